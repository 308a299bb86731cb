"""Who computes, waits and transmits when: clients above the sub-channels, over one axis of time."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt
import polars as pl

from pipefl.report.slot_marks import slot_marks
from pipefl.report.theme import COMPUTE, SERVER, UPLOAD, Mode, idle, paper, themed
from pipefl.report.time_unit import time_unit

_WIDTH = 640
_ROW_HEIGHT = 26


@dataclass(frozen=True, eq=False)
class Intervals:
    """Stretches of time to draw, from 0 to `until_s`.

    `clients` has the columns of `Round.intervals`, its clients in the order of their rows.
    The server works for the last `server_time_s`. The axis goes on to `axis_s`, if that is given.
    """

    clients: pl.DataFrame
    num_channels: int
    until_s: float
    server_time_s: float = 0.0
    axis_s: float | None = None

    @property
    def width_s(self) -> float:
        """What the axis shows."""
        return self.until_s if self.axis_s is None else self.axis_s


def intervals_chart(
    intervals: Intervals,
    title: str,
    *,
    slot_time_s: Sequence[float] = (),
    rows_title: str = "scheduled clients",
    since: str = "the round began",
    mode: Mode = "light",
) -> Any:
    """A row for every client above a row for every sub-channel; dashed the slots θ_1 … θ_K."""
    rows = _client_rows(intervals.clients)
    names = rows["row"].unique(maintain_order=True).to_list()
    scale = _WIDTH / intervals.width_s
    marks = slot_marks(slot_time_s, mode, pixels_per_s=scale) if slot_time_s else []
    panel = _Panel(intervals, mode)
    clients = alt.layer(panel.bars(rows, names, rows_title, None), *marks)
    channel_names = _channel_names(intervals)
    bars = panel.bars(_channel_rows(intervals), channel_names, "uplink", since)
    channels = alt.layer(bars, *marks[:1])  # the lines without their names
    chart = alt.vconcat(
        clients.properties(width=_WIDTH, height=_ROW_HEIGHT * len(names)),
        channels.properties(width=_WIDTH, height=_ROW_HEIGHT * len(channel_names)),
        spacing=14,
    )
    return themed(chart.properties(title=title), mode)


@dataclass(frozen=True, eq=False)
class _Panel:
    """What the rows of clients and those of sub-channels have in common."""

    intervals: Intervals
    mode: Mode

    def bars(
        self, rows: pl.DataFrame, names: list[str], title: str, since: str | None
    ) -> alt.Chart:
        """Bars from start to end; where nothing is said of `since` when, the axis is left out."""
        kinds = {"compute": COMPUTE, "wait": idle(self.mode), "upload": UPLOAD, "server": SERVER}
        if self.intervals.server_time_s == 0:
            del kinds["server"]
        colours = alt.Scale(domain=list(kinds), range=list(kinds.values()))
        time = alt.Scale(domain=[0, self.intervals.width_s], nice=False)
        axis = None if since is None else self._time_axis(since)
        row_axis = alt.Axis(ticks=False, domain=False, minExtent=170, labelPadding=6)
        chart: alt.Chart = (
            alt.Chart(rows)
            .mark_bar(height=16, cornerRadius=2, stroke=paper(self.mode), strokeWidth=1)
            .encode(
                x=alt.X("start_s:Q", axis=axis, scale=time),
                x2="end_s:Q",
                y=alt.Y("row:N", sort=names, title=title, axis=row_axis),
                color=alt.Color("kind:N", scale=colours),
                tooltip=["row", "kind", "start_s", "end_s"],
            )
        )
        return chart

    def _time_axis(self, since: str) -> alt.Axis:
        unit = time_unit(self.intervals.width_s)
        title = f"{unit.name} since {since}"
        return alt.Axis(title=title, labelExpr=unit.label_expr, grid=False, tickCount=10)


def _client_rows(clients: pl.DataFrame) -> pl.DataFrame:
    client = pl.format("client {}", pl.col("client"))
    in_cluster = pl.format("cluster {} · client {}", pl.col("cluster") + 1, pl.col("client"))
    row = pl.when(pl.col("cluster") < 0).then(client).otherwise(in_cluster)
    return clients.with_columns(row=row)


def _channel_rows(intervals: Intervals) -> pl.DataFrame:
    uploads = intervals.clients.filter(pl.col("kind") == "upload").select(
        pl.format("sub-channel {}", pl.col("channel") + 1).alias("row"), "kind", "start_s", "end_s"
    )
    if intervals.server_time_s == 0:
        return uploads
    server = {
        "row": ["server"],
        "kind": ["server"],
        "start_s": [intervals.until_s - intervals.server_time_s],
        "end_s": [intervals.until_s],
    }
    return pl.concat([uploads, pl.DataFrame(server)])


def _channel_names(intervals: Intervals) -> list[str]:
    names = [f"sub-channel {channel + 1}" for channel in range(intervals.num_channels)]
    return [*names, "server"] if intervals.server_time_s > 0 else names
