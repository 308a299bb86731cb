"""The round's timeline (the paper's Fig. 1): who computes, waits and transmits when."""

from collections.abc import Sequence
from typing import Any

from pipefl.report.intervals_chart import Intervals, intervals_chart
from pipefl.report.theme import Mode
from pipefl.timeline.round import Round


def round_chart(
    round_: Round,
    slot_time_s: Sequence[float] = (),
    title: str = "One round",
    mode: Mode = "light",
    *,
    until_s: float | None = None,
) -> Any:
    """A row for every client above a row for every sub-channel, over one axis of time.

    Paper: fig:protocol. Clients stand in the order of their clusters, if they have
    any; dashed lines mark the slots θ_1 … θ_K given. The axis ends with the round, or at
    `until_s`, so that two rounds can be held against each other.
    """
    intervals = Intervals(
        clients=round_.intervals.sort("cluster", "client", "start_s"),
        num_channels=round_.num_channels,
        until_s=round_.duration_s,
        server_time_s=round_.server_time_s,
        axis_s=until_s,
    )
    return intervals_chart(intervals, title, slot_time_s=slot_time_s, mode=mode)
