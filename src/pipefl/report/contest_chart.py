"""Schedules against each other in simulated seconds."""

from collections.abc import Sequence
from typing import Any

import altair as alt
import polars as pl

from pipefl.report.theme import EMPHASIS, QUIET, UPLOAD, Mode, ink, themed
from pipefl.sweeps.contest import CONVENTIONAL, PAPER_SLOTS, ROLLING, Standing

_WIDTH, _ROW_HEIGHT = 140, 24
_COLOURS = {CONVENTIONAL: QUIET, PAPER_SLOTS: EMPHASIS, ROLLING: UPLOAD}


def contest_chart(contests: Sequence[Sequence[Standing]], title: str, mode: Mode = "light") -> Any:
    """A panel for every N: each schedule's median, and a line over the range of its seeds.

    `contests` hold the same entrants, one contest for each N; seconds that are not known, or
    never reached the target, leave their row empty.
    """
    names = list(dict.fromkeys(standing_name(s) for contest in contests for s in contest))
    panels = [
        _panel(contest, names, mode, is_first=number == 0)
        for number, contest in enumerate(contests)
    ]
    note = "Minutes on the simulated clock: a dot is the median seed, a line the range of all."
    chart = alt.hconcat(*panels, spacing=16).properties(title=alt.Title(title, subtitle=note))
    return themed(chart, mode)


def standing_name(standing: Standing) -> str:
    """An entrant with what it takes beyond the others."""
    entrant = standing.entrant
    return f"{entrant.title}, {entrant.uplink}" if entrant.uplink else entrant.title


def _panel(contest: Sequence[Standing], names: list[str], mode: Mode, *, is_first: bool) -> Any:
    rows = [
        {
            "schedule": standing_name(s),
            "kind": s.entrant.title,
            "minutes": s.seconds.median / 60,
            "least": s.seconds.least / 60,
            "most": s.seconds.most / 60
            if s.seconds.range < float("inf")
            else s.seconds.median / 60,
        }
        for s in contest
        if s.seconds is not None and s.seconds.is_finite
    ]
    frame = pl.DataFrame(rows, schema=_SCHEMA)
    axis = alt.Axis(ticks=False, domain=False, labelLimit=400) if is_first else None
    y = alt.Y("schedule:N", sort=names, title=None, axis=axis, scale=alt.Scale(domain=names))
    x = alt.X("minutes:Q", title="minutes", axis=alt.Axis(tickCount=4), scale=alt.Scale(zero=True))
    colour = alt.Color(
        "kind:N",
        legend=None,
        scale=alt.Scale(
            domain=[*_COLOURS, *(n for n in frame["kind"].unique() if n not in _COLOURS)],
            range=[*_COLOURS.values(), *[ink(mode)] * len(names)],
        ),
    )
    base = alt.Chart(frame).encode(y=y, color=colour)
    lines = base.mark_rule(strokeWidth=2).encode(x=alt.X("least:Q"), x2="most:Q")
    dots = base.mark_circle(size=70, opacity=1).encode(x=x, tooltip=["schedule", "minutes"])
    return alt.layer(lines, dots).properties(
        width=_WIDTH,
        height=_ROW_HEIGHT * len(names),
        title=alt.Title(f"N = {contest[0].num_channels}", anchor="middle", fontSize=13, offset=6),
    )


_SCHEMA = {
    "schedule": pl.String,
    "kind": pl.String,
    "minutes": pl.Float64,
    "least": pl.Float64,
    "most": pl.Float64,
}
