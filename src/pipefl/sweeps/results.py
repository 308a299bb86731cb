"""What a sweep has found so far, cell by cell."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf
from pathlib import Path

from pipefl.settings import Setting
from pipefl.sweeps.config import CellConfig, SweepConfig
from pipefl.sweeps.directory import CellState, SweepDirectory
from pipefl.sweeps.search import Key
from pipefl.sweeps.spread import Spread
from pipefl.sweeps.trial import Outcome, Trial


@dataclass(frozen=True)
class CellResult:
    """A cell at its best point, as far as that is known.

    `point` holds the tuned settings, None where no seed has reached the target. `outcome`
    and `run_path` have an entry a seed, in the order of the sweep's `seeds`; an outcome is
    None where the seed has not been run. `tried` are all trials, of every point.
    `is_settled` says that no more trials of the cell are wanted.
    """

    name: str
    settings: Mapping[str, Setting]
    point: Mapping[str, float] | None
    seeds: tuple[int, ...]
    outcome: tuple[Outcome | None, ...]
    run_path: tuple[Path, ...]
    tried: Mapping[Key, Outcome]
    is_settled: bool

    @property
    def runs_begun(self) -> tuple[Path, ...]:
        """The runs at the best point of which something is on disk."""
        pairs = zip(self.outcome, self.run_path, strict=True)
        return tuple(path for outcome, path in pairs if outcome is not None and outcome.done)

    @property
    def rounds(self) -> tuple[int | None, ...]:
        """Each seed's rounds to the target, None where it is not reached."""
        return tuple(None if each is None else each.rounds for each in self.outcome)

    @property
    def seconds(self) -> tuple[float | None, ...]:
        """The same of the simulated clock."""
        return tuple(None if each is None else each.seconds for each in self.outcome)

    @property
    def rounds_spread(self) -> Spread | None:
        """Median and range of the rounds over the seeds that are over."""
        over = [each for each in self.outcome if each is not None and each.is_over]
        return Spread.of(inf if each.rounds is None else float(each.rounds) for each in over)

    @property
    def seconds_spread(self) -> Spread | None:
        """The same of the simulated seconds."""
        over = [each for each in self.outcome if each is not None and each.is_over]
        return Spread.of(inf if each.seconds is None else each.seconds for each in over)


def sweep_results(directory: SweepDirectory) -> tuple[CellResult, ...]:
    """Every cell of a sweep, in the sweep's order, from what is on disk."""
    sweep = directory.config()
    return tuple(
        cell_result(sweep, CellState(sweep, cell, directory), directory) for cell in sweep.cells
    )


def cell_result(sweep: SweepConfig, state: CellState, directory: SweepDirectory) -> CellResult:
    """A cell at its best point."""
    cell: CellConfig = state.cell
    search = state.search
    best = search.best
    found = () if best is None else tuple(search.outcomes.get((best, s)) for s in sweep.seeds)
    trials = () if best is None else tuple(Trial(cell.name, best, s) for s in sweep.seeds)
    return CellResult(
        name=cell.name,
        settings=cell.settings,
        point=None if best is None else dict(zip(sweep.grids_of(cell), best, strict=True)),
        seeds=sweep.seeds,
        outcome=found,
        run_path=tuple(directory.run_path(trial) for trial in trials),
        tried=search.outcomes,
        is_settled=not search.wanted(),
    )
