"""The runs of a folder at a glance, from as few of their files as will do."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import reduce
from pathlib import Path
from typing import Any

from pipefl.errors import InputFileError, MissingFileError, PipeflError
from pipefl.policies.schedules import FLOWS, ROUND_POLICIES
from pipefl.runs.config import RunConfig
from pipefl.runs.directory import RunDirectory, read_json
from pipefl.runs.ending import FINISHED, RunState
from pipefl.runs.history import first_at_target
from pipefl.runs.overrides import setting_path
from pipefl.runs.recorded import state_of
from pipefl.runs.records import read_records

LISTED = (
    "name", "path", "model", "dataset", "policy", "discipline", "num_clusters", "num_channels",
    "learning_rate", "seed", "state", "num_rounds", "clock_s", "target_accuracy",
    "rounds_to_target", "seconds_to_target", "best_accuracy",
)  # fmt: skip
"""What a list says of each run."""


@dataclass(frozen=True)
class RunEntry:
    """One run in a list: what it is, how far it has come, what came of it.

    `discipline` is the policy's own where the config leaves it open, and None where there are
    no rounds; `num_clusters` is the plan's. Rounds and seconds are those to the target, None
    where it was not reached.
    """

    path: Path
    config: RunConfig
    discipline: str | None
    num_clusters: int | None
    state: RunState
    num_rounds: int
    clock_s: float
    rounds_to_target: int | None
    seconds_to_target: float | None
    best_accuracy: float | None

    @property
    def name(self) -> str:
        """The folder's name, by which the run is found."""
        return self.path.name

    @property
    def schedule(self) -> str:
        """Policy and discipline."""
        return f"{self.config.policy}/{self.discipline}" if self.discipline else self.config.policy

    def to_dict(self) -> dict[str, Any]:
        """The entry as JSON can hold it."""
        found = {name: self.value(name) for name in LISTED}
        return {**found, "path": str(self.path)}

    def value(self, name: str) -> Any:
        """What the list says by that name, or else the setting of that name."""
        if name in LISTED and hasattr(self, name):
            return getattr(self, name)
        table: Any = self.config.model_dump()
        return reduce(lambda part, key: part.get(key), setting_path(name), table)


@dataclass(frozen=True)
class Listing:
    """The runs of a folder by name; `broken` says of each that could not be read why.

    `foreign` is what else lies there.
    """

    entries: Sequence[RunEntry]
    broken: Sequence[str]
    foreign: Sequence[Path]


def list_runs(folder: Path) -> Listing:
    """Look at all that is in a folder of runs; hidden files do not count."""
    if not folder.is_dir():
        raise MissingFileError(f"{folder}: there is no such folder of runs")
    entries, broken, foreign = [], [], []
    for path in sorted(folder.iterdir()):
        if path.name.startswith("."):
            continue
        if not RunDirectory(path).exists():
            foreign.append(path)
            continue
        try:
            entries.append(run_entry(path))
        except PipeflError as error:
            broken.append(str(error))
        except OSError as error:
            broken.append(f"{path}: {error.strerror}")
    return Listing(entries, broken, foreign)


def run_entry(path: Path) -> RunEntry:
    """One run; its records are read only where there is no outcome that holds for them."""
    directory = RunDirectory(path)
    config = directory.config()
    num_rounds = _num_lines(directory.rounds_path)
    state = state_of(directory, num_rounds)
    outcome = _noted(directory) if state in FINISHED else _from_records(directory, config)
    return RunEntry(
        path=path,
        config=config,
        discipline=_discipline(config),
        num_clusters=config.num_clusters or _num_clusters(directory),
        state=state,
        num_rounds=int(outcome["num_rounds"]),
        clock_s=float(outcome["clock_s"]),
        rounds_to_target=outcome["rounds_to_target"],
        seconds_to_target=outcome["seconds_to_target"],
        best_accuracy=outcome["best_accuracy"],
    )


def is_wanted(entry: RunEntry, wanted: Mapping[str, object]) -> bool:
    """Whether all of these are so; names are settings, or `name`, `state`, `discipline`.

    A text may hold the wildcards * and ?.
    """
    return all(_is_so(entry.value(name), value) for name, value in wanted.items())


def _is_so(value: object, wanted: object) -> bool:
    if isinstance(value, str):
        return fnmatchcase(value, str(wanted))
    return value == wanted and isinstance(value, bool) == isinstance(wanted, bool)


def _noted(directory: RunDirectory) -> Mapping[str, Any]:
    outcome = read_json(directory.result_path)
    missing = {"num_rounds", "clock_s", "rounds_to_target", "seconds_to_target", "best_accuracy"}
    if not missing <= outcome.keys():
        raise InputFileError(f"{directory.result_path}: not the outcome of a run")
    return outcome


def _from_records(directory: RunDirectory, config: RunConfig) -> Mapping[str, Any]:
    path, target = directory.rounds_path, config.target_accuracy
    records = read_records(path) if path.exists() else []
    found = None if target is None else first_at_target(records, target)
    return {
        "num_rounds": len(records),
        "clock_s": records[-1].clock_s if records else 0.0,
        "rounds_to_target": None if found is None else found.round,
        "seconds_to_target": None if found is None else found.clock_s,
        "best_accuracy": max((r.accuracy for r in records if r.accuracy is not None), default=None),
    }


def _num_lines(path: Path) -> int:
    """Whole lines; what was cut off at the end is none."""
    if not path.exists():
        return 0
    with path.open("rb") as file:
        return sum(block.count(b"\n") for block in iter(lambda: file.read(1 << 20), b""))


def _discipline(config: RunConfig) -> str | None:
    if config.policy in FLOWS:
        return None
    policy, _, own = config.policy.partition("/")
    named = ROUND_POLICIES.get(policy)
    return config.discipline or own or (None if named is None else named.discipline)


def _num_clusters(directory: RunDirectory) -> int | None:
    """The plan's number, for a run that had it chosen."""
    if not directory.plan_path.exists():
        return None
    slots = read_json(directory.plan_path).get("slot_time_s")
    return len(slots) if isinstance(slots, list) else None
