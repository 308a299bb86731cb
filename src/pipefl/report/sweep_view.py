"""What a sweep's page is made from: every cell at its best point, with the runs that are there."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf
from pathlib import Path

from pipefl.policies.schedules import FLOWS
from pipefl.runs.config import RunConfig
from pipefl.runs.directory import RunDirectory, is_in_use
from pipefl.runs.overrides import with_overrides
from pipefl.runs.recorded import RecordedRun, read_run
from pipefl.settings import Setting
from pipefl.sweeps.config import Point, SweepConfig
from pipefl.sweeps.directory import CellState, SweepDirectory
from pipefl.sweeps.results import CellResult, sweep_results
from pipefl.sweeps.search import Key
from pipefl.sweeps.trial import Outcome


@dataclass(frozen=True, eq=False)
class CellView:
    """A cell: its result so far, its configuration but for seed and name, the runs there are.

    `runs` are those at the best point, by their seeds; `tried` is what came of every trial.
    """

    result: CellResult
    config: RunConfig
    runs: Mapping[int, RecordedRun]
    tried: Mapping[Key, Outcome]

    @property
    def name(self) -> str:
        """The cell's."""
        return self.result.name

    @property
    def has_rounds(self) -> bool:
        """Whether its policy works in rounds."""
        return self.config.policy not in FLOWS

    @cached_property
    def upload_time_s(self) -> float | None:
        """One upload, None if no run of the cell is there to tell."""
        plans = [run.plan for run in self.runs.values() if run.plan is not None]
        return plans[0].upload_time_s if plans else None

    @cached_property
    def updates(self) -> tuple[int | None, ...]:
        """Clients' updates until the target, an entry a seed, None where it is not reached."""
        return tuple(_updates(run) for run in self.runs.values())


@dataclass(frozen=True, eq=False)
class SweepView:
    """A sweep and its cells, in the sweep's order."""

    path: Path
    config: SweepConfig
    cells: tuple[CellView, ...]
    is_running: bool
    num_runs: int

    @property
    def num_settled(self) -> int:
        """Cells of which no more trials are wanted."""
        return sum(cell.result.is_settled for cell in self.cells)

    @cached_property
    def example(self) -> RecordedRun | None:
        """Any of the runs, for what they have in common: the data and the machine."""
        runs = (run for cell in self.cells for run in cell.runs.values())
        return next(runs, None)

    @cached_property
    def has_one_uplink(self) -> bool:
        """Whether an upload takes as long in every cell, so that their seconds compare."""
        return len({cell.upload_time_s for cell in self.cells if cell.upload_time_s}) <= 1


def sweep_view(path: Path) -> SweepView:
    """The view of a sweep's folder."""
    directory = SweepDirectory(path)
    config = directory.config()
    results = {result.name: result for result in sweep_results(directory)}
    cells = tuple(
        CellView(
            result=results[cell.name],
            config=with_overrides(config.base, _overrides(results[cell.name])),
            runs=_runs(config, results[cell.name]),
            tried=CellState(config, cell, directory).search.outcomes,
        )
        for cell in config.cells
    )
    num_runs = sum(RunDirectory(each).exists() for each in directory.runs_path.glob("*"))
    return SweepView(path, config, cells, is_in_use(path), num_runs)


def middle(values: Sequence[float | None]) -> float | None:
    """The lower median, None being more than any number; None if that is it.

    >>> middle([3.0, None, 1.0]), middle([None, None, 1.0]), middle([])
    (3.0, None, None)
    """
    ordered = sorted(inf if value is None else value for value in values)
    found = ordered[(len(ordered) - 1) // 2] if ordered else inf
    return None if found == inf else found


def point_in_words(names: Sequence[str], point: Point) -> str:
    """The tuned settings' values.

    >>> point_in_words(["learning_rate"], (0.2,))
    'learning_rate 0.2'
    """
    return ", ".join(f"{name} {value:.6g}" for name, value in zip(names, point, strict=True))


def _overrides(result: CellResult) -> dict[str, Setting]:
    return {**result.settings, **(result.point or {})}


def _runs(config: SweepConfig, result: CellResult) -> dict[int, RecordedRun]:
    """The runs at the best point that have begun, by their seeds."""
    found = zip(config.seeds, result.run_path, strict=False)
    return {seed: read_run(path) for seed, path in found if RunDirectory(path).exists()}


def _updates(run: RecordedRun) -> int | None:
    if run.at_target is None:
        return None
    return sum(len(record.client) for record in run.records[: run.at_target.round])
