"""A sweep from where it stands to its end."""

import shutil
from collections.abc import Callable, Collection, Sequence
from typing import Protocol

from pipefl.sweeps.directory import CellState, SweepDirectory
from pipefl.sweeps.search import Wanted
from pipefl.sweeps.trial import Trial, trial_config
from pipefl.train.sweeping.pool import TrialPool
from pipefl.train.sweeping.task import Task

_PATIENCE_S = 0.5


class SweepWatcher(Protocol):
    """Is told how a sweep is getting on."""

    def update(self, cells: Sequence[CellState], running: dict[Trial, int]) -> None:
        """All cells, and the rounds done by the trials that are being run."""
        ...


def run_sweep(
    directory: SweepDirectory,
    pool: TrialPool,
    *,
    only: Collection[str] | None = None,
    watcher: SweepWatcher | None = None,
    stop: Callable[[], bool] = lambda: False,
) -> bool:
    """Run all trials that are still wanted; whether the sweep is complete.

    If cells are named by `only`, the others are left as they are. A sweep can be stopped,
    killed and gone on with at any moment: what is on disk decides what is wanted, and no
    finished trial is run again. The pool is not closed.
    """
    with directory.locked():
        return _Sweep(directory, pool, only, watcher).to_its_end(stop)


class _Sweep:
    def __init__(
        self,
        directory: SweepDirectory,
        pool: TrialPool,
        only: Collection[str] | None,
        watcher: SweepWatcher | None,
    ) -> None:
        self._directory = directory
        self._config = directory.config()
        self._pool = pool
        self._watcher = watcher
        cells = [c for c in self._config.cells if only is None or c.name in only]
        self._cells = {c.name: CellState(self._config, c, directory) for c in cells}
        self._running: dict[Trial, int] = {}

    def to_its_end(self, stop: Callable[[], bool]) -> bool:
        """Start what is wanted wherever a place is free, until nothing is."""
        while not stop():
            self._fill_up()
            if self._watcher is not None:
                self._watcher.update(list(self._cells.values()), self._running)
            if not self._running:
                return True
            for news in self._pool.news(_PATIENCE_S):
                if news.is_over:
                    del self._running[news.trial]
                    self._learn(news.trial)
                else:
                    self._running[news.trial] = news.done
        return False

    def _fill_up(self) -> None:
        """Cells of which least is known go first: all of them are soon known at one point."""
        for cell in sorted(self._cells.values(), key=lambda cell: cell.search.num_settled):
            for wanted in cell.search.wanted():
                if self._pool.num_free == 0:
                    return
                trial = Trial(cell.cell.name, wanted.point, wanted.seed)
                if trial not in self._running:
                    self._running[trial] = 0
                    self._pool.start(trial, self._task(trial, wanted))

    def _task(self, trial: Trial, wanted: Wanted) -> Task:
        cell = self._config.cell(trial.cell)
        config = trial_config(self._config, cell, trial)
        return Task(config, self._directory.runs_path, wanted.most_rounds)

    def _learn(self, trial: Trial) -> None:
        cell = self._cells[trial.cell]
        cell.learn(trial)
        if not cell.search.wanted():  # nobody goes on with any of the cell's runs
            for path in self._directory.runs_path.glob(f"{trial.cell}-at-*/checkpoints"):
                shutil.rmtree(path)
