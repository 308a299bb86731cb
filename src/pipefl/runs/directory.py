"""A run's folder: what is where in it, and who may write to it."""

import fcntl
import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from pipefl.errors import InputFileError, MissingFileError, PipeflError
from pipefl.runs.config import RunConfig, changes_bits
from pipefl.runs.machine import machine
from pipefl.runs.toml_files import config_toml, read_config
from pipefl.runs.writing import write_bytes_whole

_NOTED = ("pipefl", "torch", "numpy", "scipy", "flwr", "ray")
_LOCK = ".lock"
_ATTEMPTS = 3
_PAUSE_S = 0.02


class InUseError(PipeflError):
    """A folder that another process writes to."""


@dataclass(frozen=True)
class RunDirectory:
    """The files of one run.

    ==================  ==========================================================
    file                what it holds
    ==================  ==========================================================
    config.toml         everything needed to run it again, with versions and machine
    plan.json           the clusters and their slots (`ClusterPlan.to_dict`)
    clients.json        what is known of the clients: names, n_m, the dataset's source
    rounds.jsonl        one `RoundRecord` a line
    intervals.jsonl     of a federation, one `IntervalRecord` a line: planned and actual
    federation.json     of a federation, its settings beyond the configuration
    checkpoints/        models, see `pipefl.runs.checkpoints`
    result.json         the outcome, when the run has ended
    failure.json        the reason why it cannot go on, if there is one
    ==================  ==========================================================
    """

    path: Path

    @property
    def config_path(self) -> Path:
        """The configuration's file."""
        return self.path / "config.toml"

    @property
    def plan_path(self) -> Path:
        """The plan's file."""
        return self.path / "plan.json"

    @property
    def clients_path(self) -> Path:
        """The clients' file."""
        return self.path / "clients.json"

    @property
    def rounds_path(self) -> Path:
        """The records' file."""
        return self.path / "rounds.jsonl"

    @property
    def intervals_path(self) -> Path:
        """The intervals' file, which only federations have."""
        return self.path / "intervals.jsonl"

    @property
    def federation_path(self) -> Path:
        """The file of a federation's own settings."""
        return self.path / "federation.json"

    @property
    def checkpoints_path(self) -> Path:
        """The checkpoints' folder."""
        return self.path / "checkpoints"

    @property
    def result_path(self) -> Path:
        """The outcome's file."""
        return self.path / "result.json"

    @property
    def failure_path(self) -> Path:
        """The file of the reason why the run cannot go on."""
        return self.path / "failure.json"

    def exists(self) -> bool:
        """Whether a run has been begun here."""
        return self.config_path.is_file()

    def failure(self) -> str | None:
        """Why the run cannot go on, if anything has been noted."""
        if not self.failure_path.exists():
            return None
        return str(read_json(self.failure_path).get("reason", "the reason was not noted"))

    def refuse_existing(self) -> None:
        """Complain of a run that is here already."""
        if self.exists():
            raise PipeflError(
                f"{self.path} holds a run already; go on with it by --resume, or choose another "
                "name by --set name=…"
            )

    def begin(self, config: RunConfig) -> None:
        """Write the configuration, upon which a run is here; complains if there is one."""
        self.refuse_existing()
        self.path.mkdir(parents=True, exist_ok=True)
        self.write_config(config)

    def write_config(self, config: RunConfig) -> None:
        """Write a configuration, with the versions and the machine of now."""
        notes = {"versions": versions(), "machine": machine()}
        write_whole(self.config_path, config_toml(config, notes))

    def config(self) -> RunConfig:
        """The run's configuration."""
        if not self.exists():
            raise MissingFileError(f"{self.path}: there is no run here (no config.toml)")
        return read_config(self.config_path)

    def refuse_other(self, config: RunConfig) -> None:
        """Complain of a run here whose numbers would be others than this config's."""
        mine, theirs = config.model_dump(), self.config().model_dump()
        different = [
            f"{name} {theirs[name]!r} → {mine[name]!r}"
            for name in mine
            if changes_bits(name, theirs[name], mine[name])
        ]
        if different:
            text = "; ".join(different)
            raise PipeflError(f"{self.path} is a run of another configuration: {text}")

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Nobody else writes here meanwhile; the lock goes with the process, however it ends."""
        with locked_folder(self.path):
            yield


@contextmanager
def locked_folder(path: Path) -> Iterator[None]:
    """Nobody else has the folder's lock meanwhile; it goes with the process, however it ends."""
    path.mkdir(parents=True, exist_ok=True)
    number = os.open(path / _LOCK, os.O_RDWR | os.O_CREAT, 0o644)
    if not _taken(number):
        os.close(number)
        raise InUseError(f"{path} is in use by another process")
    try:
        yield
    finally:
        os.close(number)


def is_in_use(path: Path) -> bool:
    """Whether a process, this one or another, has the folder's lock."""
    try:
        number = os.open(path / _LOCK, os.O_RDONLY)
    except OSError:
        return False
    try:
        fcntl.flock(number, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(number)
    return False


def _taken(number: int) -> bool:
    """Whether the lock could be had; one who asks `is_in_use` holds it for a moment only."""
    for attempt in range(_ATTEMPTS):
        try:
            fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if attempt + 1 < _ATTEMPTS:
                time.sleep(_PAUSE_S)
        else:
            return True
    return False


def write_whole(path: Path, text: str) -> None:
    """Write a file so that it is there as a whole or not at all."""
    write_bytes_whole(path, text.encode(), path.with_name(f".{path.name}.part"))


def read_json(path: Path) -> dict[str, Any]:
    """The table that a JSON file holds; what else may be there is complained of in one line."""
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:  # of JSON, or of UTF-8
        raise InputFileError(f"{path}: not a JSON file: {error}") from None
    except OSError as error:
        raise InputFileError(f"{path} cannot be read: {error.strerror}") from None
    if not isinstance(value, dict):
        raise InputFileError(f"{path}: it holds no table")
    return value


def write_json(path: Path, value: Any) -> None:
    """The same for what JSON can hold."""
    write_whole(path, json.dumps(value, indent=1, allow_nan=False) + "\n")


def versions() -> dict[str, str]:
    """The versions of the packages that results may depend on."""
    found = {}
    for package in _NOTED:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found
