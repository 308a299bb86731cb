"""One run of a sweep: which, where, and what has come of it so far."""

from dataclasses import dataclass
from pathlib import Path

from pipefl.runs.config import RunConfig
from pipefl.runs.directory import RunDirectory, write_json
from pipefl.runs.history import first_at_target
from pipefl.runs.overrides import with_overrides
from pipefl.runs.records import read_records
from pipefl.sweeps.config import CellConfig, Point, SweepConfig


@dataclass(frozen=True)
class Trial:
    """A cell's run at a point of its grids with a seed."""

    cell: str
    point: Point
    seed: int

    @property
    def name(self) -> str:
        """The name of its folder.

        >>> Trial("k4-n1", (0.1,), 2).name
        'k4-n1-at-0.1-s2'
        """
        values = "-".join(f"{value:.6g}" for value in self.point)
        return f"{self.cell}-at-{values}-s{self.seed}"


@dataclass(frozen=True)
class Outcome:
    """`done` rounds have been run; `rounds` of them led to the target, None if it is not reached.

    `is_over` says that no more rounds will come: the target is reached, the run has done
    all that it may, or it has failed, for the reason `failure`.
    """

    done: int
    rounds: int | None
    seconds: float | None
    is_over: bool
    failure: str | None = None


def trial_config(sweep: SweepConfig, cell: CellConfig, trial: Trial) -> RunConfig:
    """The configuration of a trial's run."""
    tuned = dict(zip(sweep.grids_of(cell), trial.point, strict=True))
    overrides = {**cell.settings, **tuned, "seed": trial.seed, "name": trial.name}
    return with_overrides(sweep.base, overrides)


def outcome_of(folder: Path) -> Outcome:
    """What a run's records say; nothing done where there is no run."""
    directory = RunDirectory(folder)
    if not directory.exists() or not directory.rounds_path.exists():
        return Outcome(0, None, None, is_over=directory.failure_path.exists())
    config, records = directory.config(), read_records(directory.rounds_path)
    failure = directory.failure()
    assert config.target_accuracy is not None  # noqa: S101  # the sweep has checked it
    found = first_at_target(records, config.target_accuracy)
    is_over = failure is not None or directory.result_path.exists()
    if found is None:
        return Outcome(len(records), None, None, is_over, failure)
    is_over = is_over or config.stop_at_target
    return Outcome(len(records), found.round, found.clock_s, is_over, failure)


def note_failure(folder: Path, reason: str) -> None:
    """Write down why a run cannot go on."""
    folder.mkdir(parents=True, exist_ok=True)
    write_json(RunDirectory(folder).failure_path, {"reason": reason})
