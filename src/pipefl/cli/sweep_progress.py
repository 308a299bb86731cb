"""A sweep's progress: a table that fills in on a terminal, a line for each trial elsewhere."""

import sys
import time
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from math import inf

from rich.console import Console, Group
from rich.live import Live
from rich.text import Text

from pipefl.cli.paper_tables import rounds_table
from pipefl.policies.paper_points import paper_points
from pipefl.report.durations import in_words
from pipefl.sweeps.cells import paper_cell
from pipefl.sweeps.config import SweepConfig
from pipefl.sweeps.directory import CellState, SweepDirectory
from pipefl.sweeps.forecast import work_left, work_of_round
from pipefl.sweeps.results import cell_result
from pipefl.sweeps.sessions import SessionFile
from pipefl.sweeps.trial import Outcome, Trial

_DRAW_EVERY_S = 1.0
_LEAST_S = 10.0  # before which nobody can say how long the rest will take


class SweepProgress:
    """A watcher of a sweep that shows what is known, what is being run, and the time left."""

    def __init__(self, directory: SweepDirectory, session: SessionFile, live: Live | None) -> None:
        self._directory = directory
        self._sweep: SweepConfig = directory.config()
        self._session = session
        self._live = live
        self._paper_rounds = _paper_rounds(self._sweep)
        self._began_s = time.monotonic()
        self._drawn_s = -inf
        self._work_done = 0.0
        self._running: dict[Trial, int] = {}
        self._begun_at: dict[Trial, int] = {}

    def update(self, cells: Sequence[CellState], running: dict[Trial, int]) -> None:
        """Note and show what is new."""
        by_name = {cell.cell.name: cell for cell in cells}
        over = self._running.keys() - running.keys()
        for trial in running.keys() - self._running.keys():
            self._begun_at[trial] = _done_before(by_name[trial.cell], trial)
        self._running = dict(running)
        for trial in over:
            cell = by_name[trial.cell]
            outcome = cell.search.outcomes[trial.point, trial.seed]
            rounds = max(0, outcome.done - self._begun_at.pop(trial))
            self._work_done += rounds * work_of_round(self._sweep, cell)
            if self._live is None:
                print(self._line(trial, outcome, cells), file=sys.stderr, flush=True)
        self._session.note()
        if self._live is not None and time.monotonic() - self._drawn_s > _DRAW_EVERY_S:
            self._drawn_s = time.monotonic()
            self._live.update(self._picture(cells))

    def _picture(self, cells: Sequence[CellState]) -> Group:
        results = [cell_result(self._sweep, cell, self._directory) for cell in cells]
        now = [
            f"{_name(trial, self._sweep)}: {done:,} rounds" for trial, done in self._running.items()
        ]
        lines = [*now, self._how_far(cells), "Ctrl-C stops; what is done is kept."]
        title = Text(self._sweep.title, style="bold")
        return Group(title, rounds_table(self._sweep, results), Text("\n".join(lines)))

    def _line(self, trial: Trial, outcome: Outcome, cells: Sequence[CellState]) -> str:
        if outcome.rounds is not None:
            text = f"{outcome.rounds:,} rounds"
        elif outcome.failure is not None:
            text = f"no target: {outcome.failure}"
        else:
            text = f"not in {outcome.done:,} rounds"
        clock = time.strftime("%H:%M:%S")
        return f"{clock} {_name(trial, self._sweep)}: {text} · {self._how_far(cells)}"

    def _how_far(self, cells: Sequence[CellState]) -> str:
        settled = sum(not cell.search.wanted() for cell in cells)
        text = f"{settled} of {len(cells)} cells settled"
        left_s = self._left_s(cells)
        return text if left_s is None else f"{text} · about {in_words(round(left_s))} left"

    def _left_s(self, cells: Sequence[CellState]) -> float | None:
        """The seconds left, from the work that was done since the beginning."""
        by_name = {cell.cell.name: cell for cell in cells}
        now = sum(
            max(0, done - self._begun_at[trial]) * work_of_round(self._sweep, by_name[trial.cell])
            for trial, done in self._running.items()
        )
        elapsed_s = time.monotonic() - self._began_s
        if elapsed_s < _LEAST_S or not self._work_done + now:
            return None
        left = work_left(self._sweep, cells, self._paper_rounds) - now
        return max(0.0, left) * elapsed_s / (self._work_done + now)


@contextmanager
def sweep_progress(directory: SweepDirectory, session: SessionFile) -> Iterator[SweepProgress]:
    """The progress of a sweep while it is run; warnings are shown as lines of it."""
    console = Console(stderr=True)
    live = Live(console=console, refresh_per_second=2, transient=True)
    with warnings.catch_warnings():
        warnings.simplefilter("always", RuntimeWarning)
        warnings.showwarning = lambda message, *_, **__: console.print(
            f"pipefl: {message}", markup=False, highlight=False, soft_wrap=True
        )
        session.note(at_once=True)
        try:
            if console.is_terminal:
                with live:
                    yield SweepProgress(directory, session, live)
            else:
                yield SweepProgress(directory, session, None)
        finally:
            session.note(at_once=True)


def _name(trial: Trial, sweep: SweepConfig) -> str:
    names = sweep.grids_of(sweep.cell(trial.cell))
    point = ", ".join(f"{n} {value:g}" for n, value in zip(names, trial.point, strict=True))
    return f"{trial.cell}, {point}, seed {trial.seed}"


def _done_before(cell: CellState, trial: Trial) -> int:
    outcome = cell.search.outcomes.get((trial.point, trial.seed))
    return 0 if outcome is None else outcome.done


def _paper_rounds(sweep: SweepConfig) -> dict[str, float]:
    if not sweep.paper:
        return {}
    points = paper_points(sweep.paper)
    places = zip(points.num_clusters.tolist(), points.num_channels.tolist(), strict=True)
    return {
        paper_cell(k, n): float(rounds)
        for (k, n), rounds in zip(places, points.rounds.tolist(), strict=True)
    }
