"""What a federation keeps of a round beside its record: who did what when, planned and actual."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, fields
from math import nan
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from pipefl.runs.records import read_lines
from pipefl.timeline.round import NO_CHANNEL, Round

Outcome = Literal["delivered", "dropped", "carried", "refused", "failed", "silent"]
"""What came of a scheduled client: its update was used; it missed its slot and sent none, or
keeps it for a later round; its update was there and not usable; it reported an error; nothing
was heard of it in time."""


@dataclass(frozen=True, kw_only=True)
class Intervals:
    """When each of n clients was ready and uploaded, in seconds from the round's start.

    None is for what was not to be, did not happen or was not heard of. `channel` is −1 for a
    client without an upload. The round lasted `duration_s`, the last `server_time_s` of it for
    the server's own work.
    """

    channel: list[int]
    ready_s: list[float | None]
    upload_start_s: list[float | None]
    upload_end_s: list[float | None]
    duration_s: float
    server_time_s: float


@dataclass(frozen=True, kw_only=True)
class IntervalRecord:
    """One round of a federation: what was planned for its n clients, and what they did.

    `client[i]` of cluster `cluster[i]` (−1 without clusters) was to upload and came to
    `outcome[i]`. By its own clock it began its upload `lateness_s[i]` after the time that it
    had been given, None if it said nothing. `planned` is what `simulate_round` forecast from
    the estimates of that time, `actual` is on the server's clock: a client's own times are
    counted from when its message reached it, and its upload ends when the server has it.
    `slot_time_s` are the slots θ of the plan in force, the `plan`-th. `events` are sentences
    on whatever else there was: clients that joined, left, or were not believed.
    """

    round: int
    plan: int
    slot_time_s: list[float]
    num_channels: int
    client: list[int]
    cluster: list[int]
    outcome: list[Outcome]
    lateness_s: list[float | None]
    planned: Intervals
    actual: Intervals
    events: list[str] = field(default_factory=list)

    def line(self) -> str:
        """The record as a line of JSON; numbers are read back to the bit."""
        return json.dumps(asdict(self), separators=(",", ":"), allow_nan=False)

    def planned_round(self) -> Round:
        """The plan as a `Round`, such as charts are made of."""
        return self._round(self.planned)

    def actual_round(self) -> Round:
        """What happened as a `Round`; whoever was not heard of is in it without an upload."""
        return self._round(self.actual)

    def _round(self, intervals: Intervals) -> Round:
        end_s = _floats(intervals.upload_end_s)
        has_upload = np.isfinite(end_s)
        ready_s = _floats(intervals.ready_s)
        return Round(
            client=np.array(self.client, dtype=np.intp),
            cluster=np.array(self.cluster, dtype=np.intp),
            channel=np.where(has_upload, intervals.channel, NO_CHANNEL).astype(np.intp),
            ready_s=np.where(np.isfinite(ready_s), ready_s, 0.0),
            upload_start_s=_floats(intervals.upload_start_s),
            upload_end_s=end_s,
            num_channels=self.num_channels,
            server_time_s=intervals.server_time_s,
            duration_s=intervals.duration_s,
        )


def intervals_from(line: str) -> IntervalRecord:
    """The record of a line; ValueError if it is none."""
    table: Any = json.loads(line)
    if not isinstance(table, dict) or table.keys() != _NAMES:
        raise ValueError("not the intervals of a round")
    parts = {name: Intervals(**table[name]) for name in ("planned", "actual")}
    return IntervalRecord(**{**table, **parts})


def read_intervals(path: Path) -> list[IntervalRecord]:
    """All records of a file; what was cut off in the middle of the last line is not one."""
    return read_lines(path, intervals_from)


_NAMES = {f.name for f in fields(IntervalRecord)}


def _floats(values: Sequence[float | None]) -> NDArray[np.float64]:
    return np.array([nan if value is None else value for value in values], dtype=np.float64)
