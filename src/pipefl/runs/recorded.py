"""A run as it lies on disk: finished, being run, or left in the middle. Needs no torch."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pipefl.errors import InputFileError, PipeflError
from pipefl.plan import ClusterPlan
from pipefl.runs.config import RunConfig
from pipefl.runs.directory import RunDirectory, is_in_use, read_json
from pipefl.runs.ending import FINISHED, RunState
from pipefl.runs.history import first_at_target
from pipefl.runs.intervals import IntervalRecord, read_intervals
from pipefl.runs.records import RoundRecord, read_records
from pipefl.runs.toml_files import read_notes


@dataclass(frozen=True, eq=False)
class Clients:
    """What a run knows of its clients and their data: the file clients.json.

    `planned` are the clients that plan.json is for, in its order: everybody, but in a
    federation, where a plan has those who were there and fast enough.
    """

    source: str
    notes: Mapping[str, str]
    client_id: tuple[str, ...]
    num_samples: NDArray[np.int64]
    num_test_samples: int
    num_parameters: int
    schedule: str
    planned: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class RecordedRun:
    """Everything in a run's folder but its checkpoints.

    `plan` and `clients` are None where their files are missing; `missing` names those. With
    `state` "failed", `failure` says why. `versions` and `machine` are those that it was begun
    with, empty if they were not noted. `intervals` and `federation`, its settings, are those of
    a federation, empty in a simulated run.
    """

    path: Path
    config: RunConfig
    records: tuple[RoundRecord, ...]
    plan: ClusterPlan | None
    clients: Clients | None
    state: RunState
    failure: str | None
    versions: Mapping[str, str]
    machine: Mapping[str, str]
    missing: tuple[str, ...]
    intervals: tuple[IntervalRecord, ...]
    federation: Mapping[str, Any]

    @property
    def is_federation(self) -> bool:
        """Whether real nodes trained, so that its clock is a real one."""
        return bool(self.federation)

    @property
    def clock_s(self) -> float:
        """The clock after the last record, simulated but in a federation."""
        return self.records[-1].clock_s if self.records else 0.0

    @cached_property
    def at_target(self) -> RoundRecord | None:
        """The first round at the target, None if it was not reached or there is none."""
        target = self.config.target_accuracy
        return None if target is None else first_at_target(self.records, target)

    @property
    def best_accuracy(self) -> float | None:
        """The highest accuracy that was measured in full."""
        return max((r.accuracy for r in self.records if r.accuracy is not None), default=None)

    @property
    def schedule(self) -> str:
        """The schedule's name, such as `clustered/slots`."""
        if self.clients is not None:
            return self.clients.schedule
        discipline = self.config.discipline
        return f"{self.config.policy}/{discipline}" if discipline else self.config.policy


def read_run(path: Path) -> RecordedRun:
    """The run of a folder; complains of one that is none, and of files that are broken."""
    directory = RunDirectory(path)
    config = directory.config()
    notes = read_notes(directory.config_path)
    is_there = {
        name: (path / name).is_file() for name in ("plan.json", "clients.json", "rounds.jsonl")
    }
    records = tuple(read_records(directory.rounds_path)) if is_there["rounds.jsonl"] else ()
    return RecordedRun(
        path=path,
        config=config,
        records=records,
        plan=_plan(directory.plan_path) if is_there["plan.json"] else None,
        clients=_clients(directory.clients_path) if is_there["clients.json"] else None,
        state=state_of(directory, len(records)),
        failure=directory.failure(),
        versions=notes["versions"],
        machine=notes["machine"],
        missing=tuple(name for name, there in is_there.items() if not there),
        intervals=_intervals(directory.intervals_path),
        federation=_federation(directory.federation_path),
    )


def state_of(directory: RunDirectory, num_rounds: int) -> RunState:
    """How far a run of so many recorded rounds has come, from its folder's files and its lock."""
    if is_in_use(directory.path):
        return "running"
    if directory.failure_path.exists():
        return "failed"
    if not directory.result_path.exists():
        return "unfinished"
    outcome = read_json(directory.result_path)
    if outcome.get("ending") not in FINISHED:
        raise InputFileError(f"{directory.result_path}: not the outcome of a run")
    if outcome.get("num_rounds") != num_rounds:  # it has been gone on with since
        return "unfinished"
    return FINISHED[outcome["ending"]]


def _plan(path: Path) -> ClusterPlan:
    try:
        return ClusterPlan.from_dict(read_json(path))
    except (PipeflError, TypeError, ValueError) as error:
        raise InputFileError(f"{path}: {_without_path(error, path)}") from None


def _intervals(path: Path) -> tuple[IntervalRecord, ...]:
    return tuple(read_intervals(path)) if path.is_file() else ()


def _federation(path: Path) -> Mapping[str, Any]:
    if not path.is_file():
        return {}
    noted = read_json(path)
    if not isinstance(noted.get("settings"), dict):
        raise InputFileError(f"{path}: it does not hold the settings of a federation")
    return noted


def _clients(path: Path) -> Clients:
    table = read_json(path)
    try:
        everybody = range(len(table["client_id"]))
        planned = tuple(int(each) for each in table.get("planned", everybody))
        if not set(planned) <= set(everybody):
            raise ValueError("clients are planned for who are not listed")
        return Clients(
            source=str(table["source"]),
            notes={str(name): str(text) for name, text in _table(table["notes"]).items()},
            client_id=tuple(str(each) for each in table["client_id"]),
            num_samples=np.array(table["num_samples"], dtype=np.int64),
            num_test_samples=int(table["num_test_samples"]),
            num_parameters=int(table["num_parameters"]),
            schedule=str(table["schedule"]),
            planned=planned,
        )
    except (KeyError, TypeError, ValueError):
        raise InputFileError(f"{path}: it does not describe a run's clients") from None


def _table(value: Any) -> dict[Any, Any]:
    return dict(value)


def _without_path(error: Exception, path: Path) -> str:
    return str(error).removeprefix(f"{path}: ")
