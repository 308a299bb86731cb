"""A sweep's outcome as a small JSON file: what tables and charts are made from."""

from collections.abc import Mapping
from math import inf
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from pipefl.errors import InputFileError, MissingFileError
from pipefl.runs.overrides import first_complaint
from pipefl.settings import Setting
from pipefl.sweeps.retiming import Clock
from pipefl.sweeps.spread import Spread


class _Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class MeasuredSeed(_Section):
    """A cell's run at its best point with one seed.

    `rounds` to the target, None where `is_over` without it, or where it is still to come;
    `seconds` by the name of the clock that they were counted on.
    """

    seed: int
    rounds: int | None
    is_over: bool
    seconds: Mapping[str, float] = {}


class MeasuredTrial(_Section):
    """A run on the way to the best point: `done` rounds, `rounds` of them to the target.

    Without `rounds` it was cut short where it could no longer win, or it ended for the
    reason `failure`.
    """

    point: tuple[float, ...]
    seed: int
    done: int
    rounds: int | None
    failure: str | None = None


class MeasuredCell(_Section):
    """A cell at its best `point`; see `CellResult`.

    `in_flight` is how many clients a schedule without rounds keeps out, None for others.
    """

    name: str
    settings: Mapping[str, Setting]
    point: Mapping[str, float] | None
    is_settled: bool
    runs: tuple[MeasuredSeed, ...]
    tried: tuple[MeasuredTrial, ...]
    in_flight: int | None = None

    @property
    def rounds_spread(self) -> Spread | None:
        """Median and range of the rounds over the seeds that are over."""
        over = [run for run in self.runs if run.is_over]
        return Spread.of(inf if run.rounds is None else float(run.rounds) for run in over)

    def seconds_spread(self, clock: Clock) -> Spread | None:
        """The same of the simulated seconds on a clock, None where they are not known."""
        over = [run for run in self.runs if run.is_over]
        if any(run.rounds is not None and clock.name not in run.seconds for run in over):
            return None
        return Spread.of(run.seconds.get(clock.name, inf) for run in over)


class MeasuredSession(_Section):
    """A stretch of time in which the sweep was run: from when to when, how, and on what."""

    began: str
    wall_s: float
    command: str
    jobs: int
    machine: str
    versions: Mapping[str, str]


class MeasuredSweep(_Section):
    """All cells of a sweep, and what a reader must know of where they come from.

    `paper` is the name of the paper's table beside which they stand; `source` says where
    the data are from. `seeds` are those wanted, of which the first `num_tuning_seeds` chose
    the best points.
    """

    name: str
    title: str
    paper: str
    target_accuracy: float
    dataset: str
    source: str
    num_clients: int
    seeds: tuple[int, ...]
    num_tuning_seeds: int
    sessions: tuple[MeasuredSession, ...]
    cells: tuple[MeasuredCell, ...] = Field(min_length=1)

    def cell(self, name: str) -> MeasuredCell | None:
        """The cell of that name, if the sweep has it."""
        return next((cell for cell in self.cells if cell.name == name), None)

    @property
    def wall_s(self) -> float:
        """How long it ran, in seconds of a real clock."""
        return sum(session.wall_s for session in self.sessions)


def read_measured(path: Path) -> MeasuredSweep:
    """The outcome in a file."""
    try:
        return MeasuredSweep.model_validate_json(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise MissingFileError(f"{path}: there is no such file of results") from None
    except ValidationError as error:
        raise InputFileError(f"{path}: {first_complaint(error)}") from None
