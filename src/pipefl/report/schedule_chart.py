"""The sub-channels of any schedule over its first steps."""

from collections.abc import Iterable, Iterator
from typing import Any

import altair as alt
import polars as pl

from pipefl.policies.step import Step
from pipefl.report.theme import TOTAL_WIDTH, Mode, cluster_colours, ink, paper, themed
from pipefl.report.time_unit import time_unit

_MOST_COLOURS = 8


def schedule_chart(
    steps: Iterable[Step],
    num_channels: int,
    until_s: float,
    title: str = "The sub-channels",
    mode: Mode = "light",
) -> Any:
    """A row for every sub-channel: uploads up to `until_s`, by how stale they are.

    `steps` are those of a schedule from its first on. Dashed lines are the server's steps.
    """
    shown = list(_with_uploads_before(until_s, steps))
    uploads = _uploads(shown, until_s)
    names = [f"sub-channel {channel + 1}" for channel in range(num_channels)]
    kinds, unit = _kinds(uploads), time_unit(until_s)
    colours = cluster_colours(max(2, len(kinds)), mode)[: len(kinds)]
    bars = (
        alt.Chart(uploads)
        .mark_bar(height=16, stroke=paper(mode), strokeWidth=1, clip=True)
        .encode(
            x=alt.X(
                "start_s:Q",
                title=f"{unit.name} since the start",
                axis=alt.Axis(grid=False, tickCount=10, labelExpr=unit.label_expr),
                scale=alt.Scale(domain=[0, until_s], nice=False),
            ),
            x2="end_s:Q",
            y=alt.Y(
                "row:N",
                sort=names,
                title=None,
                axis=alt.Axis(ticks=False, domain=False, labelPadding=8),
            ),
            color=alt.Color("kind:N", scale=alt.Scale(domain=kinds, range=colours)),
            tooltip=["client", "kind", "start_s", "end_s"],
        )
    )
    ends = pl.DataFrame({"end_s": [step.end_s for step in shown if step.end_s <= until_s]})
    rules = alt.Chart(ends).mark_rule(strokeDash=[3, 3], color=ink(mode)).encode(x="end_s:Q")
    chart = alt.layer(bars, rules).properties(
        width=TOTAL_WIDTH,
        height=26 * num_channels,
        autosize=alt.AutoSizeParams(type="fit-x", contains="padding"),
        title=alt.Title(title, subtitle="Dashed: the server has a new model."),
    )
    return themed(chart, mode)


def _with_uploads_before(until_s: float, steps: Iterable[Step]) -> Iterator[Step]:
    """The first steps, up to the one after which whoever uploads was sent out too late.

    A client may upload early and be part of a later step, with others that took longer.
    """
    ends_s: list[float] = []
    for step in steps:
        yield step
        ends_s.append(step.end_s)
        if step.oldest_version and ends_s[step.oldest_version - 1] >= until_s:
            return


def _uploads(steps: list[Step], until_s: float) -> pl.DataFrame:
    rows = [
        (f"sub-channel {channel + 1}", int(client), start_s, end_s, int(late))
        for step in steps
        for channel, client, start_s, end_s, late in zip(
            step.channel.tolist(),
            step.client.tolist(),
            step.upload_start_s.tolist(),
            step.upload_end_s.tolist(),
            step.staleness.tolist(),
            strict=True,
        )
        if start_s < until_s
    ]
    columns = {
        "row": pl.String,
        "client": pl.Int64,
        "start_s": pl.Float64,
        "end_s": pl.Float64,
        "late": pl.Int64,
    }
    frame = pl.DataFrame(rows, schema=columns, orient="row")
    return frame.with_columns(
        kind=pl.Series([_kind(late) for late in frame["late"]], dtype=pl.String)
    )


def _kind(late: int) -> str:
    if late >= _MOST_COLOURS - 1:
        return f"{_MOST_COLOURS - 1} or more steps old"
    return "fresh" if late == 0 else f"{late} step{'s' * (late > 1)} old"


def _kinds(uploads: pl.DataFrame) -> list[str]:
    ages = sorted({min(late, _MOST_COLOURS - 1) for late in uploads["late"]})
    return [_kind(late) for late in ages]
