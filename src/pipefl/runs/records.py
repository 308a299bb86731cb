"""What is recorded of a round: one line of `rounds.jsonl`."""

import json
import math
import os
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, Protocol, TypeVar

from pipefl.errors import InputFileError
from pipefl.runs.writing import writing


@dataclass(frozen=True, kw_only=True)
class RoundRecord:
    """One round, or one step of a server without rounds.

    Lists have an entry for each client that delivered: who it is, the `version` of the model
    it worked on, its mean training loss on the way, and its upload's sub-channel and
    absolute times (seconds of the run's clock). `missed` were scheduled and delivered
    nothing; `refused` delivered what could not be used, with the reason. `loss` is the mean
    of the losses by n_m, None if there are none.

    `accuracy` is on all the test samples judged; where the evaluation could stop early,
    it is None, and the true one is at most `accuracy_at_most`. `num_judged` test samples
    were looked at. `round` counts from 1.
    """

    round: int
    start_s: float
    duration_s: float
    clock_s: float
    client: list[int]
    version: list[int]
    client_loss: list[float | None]
    channel: list[int]
    upload_start_s: list[float]
    upload_end_s: list[float]
    missed: list[int] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)
    loss: float | None = None
    accuracy: float | None = None
    accuracy_at_most: float | None = None
    num_judged: int = 0

    def line(self) -> str:
        """The record as a line of JSON; numbers are read back to the bit.

        >>> record = RoundRecord(round=1, start_s=0.0, duration_s=0.1, clock_s=0.1, client=[3],
        ...     version=[0], client_loss=[0.3], channel=[0], upload_start_s=[0.0],
        ...     upload_end_s=[0.1])
        >>> record_from(record.line()) == record
        True
        """
        return json.dumps(asdict(self), separators=(",", ":"), allow_nan=False)


_NAMES = {f.name for f in fields(RoundRecord)}


def record_from(line: str) -> RoundRecord:
    """The record of a line; ValueError if it is none."""
    table: Any = json.loads(line)
    if not isinstance(table, dict) or table.keys() != _NAMES:
        raise ValueError("not the record of a round")
    return RoundRecord(**table)


def finite(value: float) -> float | None:
    """The number, or None for what JSON has no word for."""
    return value if math.isfinite(value) else None


def read_records(path: Path) -> list[RoundRecord]:
    """All records of a file; what was cut off in the middle of the last line is not one."""
    return read_lines(path, record_from)


class Line(Protocol):
    """What a file of rounds has in each line."""

    @property
    def round(self) -> int:
        """The round, from 1."""
        ...

    def line(self) -> str:
        """The line, without its end."""
        ...


L = TypeVar("L", bound=Line)


def read_lines(path: Path, parse: Callable[[str], L]) -> list[L]:
    """All whole lines of a file that has one for each round, in order."""
    return [record for record, _ in _complete(path, parse)]


class RecordFile:
    """Appends records, each given to the system at once."""

    def __init__(self, path: Path, keep: int, parse: Callable[[str], Line] = record_from) -> None:
        """Open a file after its first `keep` records, and cut off whatever follows them."""
        ends = [0, *(end for _, end in _complete(path, parse))] if path.exists() else [0]
        self._path = path
        # Without a buffer, of which a part would be left to write when there is no room for it.
        self._file = path.open("r+b" if path.exists() else "xb", buffering=0)
        self._file.truncate(ends[keep])
        self._file.seek(ends[keep])

    def append(self, record: Line) -> None:
        """One line more."""
        left = record.line().encode() + b"\n"
        with writing(self._path):
            while left:
                left = left[self._file.write(left) :]

    def sync(self) -> None:
        """What has been appended survives a power cut."""
        with writing(self._path):
            os.fsync(self._file.fileno())

    def close(self) -> None:
        """Nothing more is appended."""
        self._file.close()


def _complete(path: Path, parse: Callable[[str], L]) -> Iterator[tuple[L, int]]:
    """The records that end with a line's end, and at which byte they do."""
    end = 0
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            if not line.endswith(b"\n"):
                return
            end += len(line)
            try:
                record = parse(line.decode())
            except (ValueError, TypeError):
                raise InputFileError(f"{path}, line {number}: not the record of a round") from None
            if record.round != number:
                text = f"round {record.round} stands where round {number} is due"
                raise InputFileError(f"{path}, line {number}: {text}")
            yield record, end
