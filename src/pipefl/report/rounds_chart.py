"""Rounds to a target against clients a round, with the paper's beside ours."""

from collections.abc import Sequence
from typing import Any

import altair as alt
import polars as pl

from pipefl.report.theme import Mode, cluster_colours, ink, themed
from pipefl.sweeps.paper_table import TableCell

_TICKS = [25, 50, 100, 200, 400, 800, 1600, 3200]
_WIDTH, _HEIGHT = 330, 250


def rounds_chart(rows: Sequence[Sequence[TableCell]], title: str, mode: Mode = "light") -> Any:
    """Two panels with the same axes, ours and the paper's: a line for every K.

    Both axes are logarithmic, since what a client more adds falls with their number.
    """
    ours = [_ours(cell) for row in rows for cell in row if cell.rounds and cell.rounds.is_finite]
    theirs = [_theirs(cell) for row in rows for cell in row if cell.paper_rounds is not None]
    frames = [pl.DataFrame(each, schema=_SCHEMA) for each in (ours, theirs)]
    every = pl.concat(frames)
    if every.is_empty():
        return themed(alt.Chart(every).mark_point().properties(title=title), mode)
    clusters = sorted(every["K"].unique().to_list())
    low, high = every.select(low=pl.col("least").min(), high=pl.col("most").max()).row(0)
    span = alt.Scale(type="log", base=2, domain=[low / 1.1, high * 1.1])
    colour = alt.Color(
        "K:O",
        legend=alt.Legend(title="K", orient="right", offset=8),
        scale=alt.Scale(domain=clusters, range=cluster_colours(len(clusters), mode)),
    )
    panels = [
        _panel(frame, name, span, colour, mode)
        for frame, name in zip(frames, ("ours", "the paper's"), strict=True)
        if not frame.is_empty()
    ]
    chart = alt.hconcat(*panels, spacing=24)
    note = "Rounds to the target. A line is the range over seeds."
    return themed(chart.properties(title=alt.Title(title, subtitle=note)), mode)


def _panel(frame: pl.DataFrame, name: str, span: alt.Scale, colour: alt.Color, mode: Mode) -> Any:
    x = alt.X(
        "clients:Q",
        title="clients a round, K·N",
        scale=alt.Scale(type="log", base=2),
        axis=alt.Axis(values=[1, 2, 4, 8, 16, 32], grid=False),
    )
    y = alt.Y("rounds:Q", title="rounds", scale=span, axis=alt.Axis(values=_TICKS, format=",d"))
    base = alt.Chart(frame).encode(x=x, color=colour)
    ranges = base.mark_rule(strokeWidth=1.5).encode(y=alt.Y("least:Q", scale=span), y2="most:Q")
    lines = base.mark_line(strokeWidth=1.5).encode(y=y)
    dots = base.mark_circle(size=60, opacity=1).encode(y=y, tooltip=["K", "N", "rounds"])
    return alt.layer(ranges, lines, dots).properties(
        width=_WIDTH,
        height=_HEIGHT,
        title=alt.Title(name, anchor="middle", fontSize=13, offset=6, color=ink(mode)),
    )


def _ours(cell: TableCell) -> dict[str, float]:
    assert cell.rounds is not None  # noqa: S101  # only such cells are asked for
    most = cell.rounds.most if cell.rounds.range < float("inf") else cell.rounds.median
    return _row(cell, cell.rounds.median, cell.rounds.least, most)


def _theirs(cell: TableCell) -> dict[str, float]:
    rounds = float(cell.paper_rounds or 0)
    return _row(cell, rounds, rounds, rounds)


def _row(cell: TableCell, rounds: float, least: float, most: float) -> dict[str, float]:
    return {
        "K": cell.num_clusters,
        "N": cell.num_channels,
        "clients": cell.num_clusters * cell.num_channels,
        "rounds": rounds,
        "least": least,
        "most": most,
    }


_SCHEMA = {
    "K": pl.Int64,
    "N": pl.Int64,
    "clients": pl.Int64,
    "rounds": pl.Float64,
    "least": pl.Float64,
    "most": pl.Float64,
}
