"""Charts of schedules over many steps: utilisation, durations, participation, comparison."""

from collections.abc import Sequence
from typing import Any

import altair as alt
import numpy as np
import polars as pl

from pipefl.policies.summary import Summary
from pipefl.report.theme import EMPHASIS, TOTAL_WIDTH, UPLOAD, Mode, ink, themed
from pipefl.report.time_unit import time_unit
from pipefl.report.whole_axis import whole_axis

_ROOM_FOR_FIGURES = 1.3  # beside the longest bar, in its lengths


def utilisation_chart(summary: Summary, mode: Mode = "light") -> Any:
    """The share of the sub-channels' time that carries uploads, over the simulated time."""
    shares = summary.busy_share
    frame = pl.DataFrame(
        {
            "time_s": np.linspace(0.0, summary.total_s, shares.size + 1),
            "share": np.append(shares, shares[-1:]),  # the last step ends where it is
        }
    )
    unit = time_unit(summary.total_s)
    mean = pl.DataFrame({"share": [summary.utilisation]})
    y = alt.Y(
        "share:Q",
        title="sub-channels in use",
        axis=alt.Axis(format=".0%"),
        scale=alt.Scale(domain=[0, 1]),
    )
    area = (
        alt.Chart(frame)
        .mark_area(color=EMPHASIS, opacity=0.35, line={"color": EMPHASIS}, interpolate="step-after")
        .encode(
            x=alt.X(
                "time_s:Q",
                title=f"simulated {unit.name}",
                axis=alt.Axis(grid=False, labelExpr=unit.label_expr),
                scale=alt.Scale(domain=[0, summary.total_s], nice=False),
            ),
            y=y,
        )
    )
    rule = alt.Chart(mean).mark_rule(strokeDash=[4, 3], color=ink(mode)).encode(y=y)
    title = alt.Title(
        "Utilisation over time", subtitle=f"Dashed: {summary.utilisation:.1%} on average."
    )
    return themed(_full_width(alt.layer(area, rule), 180, title), mode)


def duration_chart(summaries: Sequence[Summary], mode: Mode = "light") -> Any:
    """How long steps last: median, middle half and extremes of every schedule."""
    frame = pl.concat(
        [
            pl.DataFrame(
                {"name": [summary.name], **_five_numbers(summary.duration_s)},
            )
            for summary in summaries
            if summary.duration_s.size
        ]
    )
    names = frame.sort("median")["name"].to_list()
    y = alt.Y("name:N", sort=names, title=None, axis=_names_axis())
    base = alt.Chart(frame).encode(y=y)
    unit = time_unit(max(float(summary.duration_s.max(initial=0.0)) for summary in summaries))
    axis = alt.Axis(tickCount=8, labelExpr=unit.label_expr)
    x = alt.X("least:Q", title=f"{unit.name} a step", axis=axis)
    chart = alt.layer(
        base.mark_rule(color=ink(mode)).encode(x=x, x2="most:Q"),
        base.mark_bar(height=12, color=EMPHASIS).encode(x="low:Q", x2="high:Q"),
        base.mark_tick(color=UPLOAD, thickness=3, size=16, opacity=1).encode(x="median:Q"),
    )
    title = alt.Title(
        "How long a step lasts",
        subtitle="Line: extremes. Bar: the middle half. Tick: the median.",
    )
    return themed(_full_width(chart, 24 * len(names), title), mode)


def participation_chart(summary: Summary, mode: Mode = "light") -> Any:
    """How many clients delivered how many updates."""
    counts = np.bincount(summary.participation)
    width = max(1, -(-counts.size // 60))
    low = np.arange(0, counts.size, width)
    clients = np.add.reduceat(counts, low)
    edges = {"low": low - 0.5, "high": low + width - 0.5}  # a bar about its whole numbers
    frame = pl.DataFrame({**edges, "clients": clients})
    subtitle = (
        f"Jain's index {summary.fairness.jain:.3f}; the worst-off client delivered "
        f"{summary.fairness.worst_off:.0%} of the mean."
    )
    bars = (
        alt.Chart(frame)
        .mark_bar(color=EMPHASIS)
        .encode(
            x=alt.X(
                "low:Q",
                bin="binned",
                title="updates delivered",
                axis=whole_axis(0, counts.size - 1, grid=False),
                scale=alt.Scale(domain=[-0.5, float(low[-1] + width) - 0.5], nice=False),
            ),
            x2="high:Q",
            y=alt.Y("clients:Q", title="clients", axis=whole_axis(0, summary.participation.size)),
            tooltip=["low", "high", "clients"],
        )
    )
    title = alt.Title("Participation", subtitle=subtitle)
    return themed(_full_width(bars, 180, title), mode)


def comparison_chart(summaries: Sequence[Summary], mode: Mode = "light") -> Any:
    """Clients served a second, best first, with the utilisation written beside."""
    ranked = sorted(summaries, key=lambda summary: -summary.clients_per_s)
    frame = pl.DataFrame(
        {
            "name": [summary.name for summary in ranked],
            "rate": [summary.clients_per_s for summary in ranked],
            "text": [
                f"{summary.clients_per_s:.3g}/s, {summary.utilisation:.0%} used"
                for summary in ranked
            ],
        }
    )
    most = max((summary.clients_per_s for summary in summaries), default=0.0) or 1.0
    x = alt.X(
        "rate:Q",
        title="clients served a second",
        axis=alt.Axis(grid=False),
        scale=alt.Scale(domain=[0, _ROOM_FOR_FIGURES * most], nice=False),
    )
    base = alt.Chart(frame).encode(
        y=alt.Y("name:N", sort=None, title=None, axis=_names_axis()), x=x
    )
    chart = alt.layer(
        base.mark_bar(height=14, color=EMPHASIS, cornerRadiusEnd=2),
        base.mark_text(align="left", dx=6, color=ink(mode)).encode(text="text:N"),
    )
    title = alt.Title("Clients served a second, by schedule")
    return themed(_full_width(chart, 24 * len(ranked), title), mode)


def _names_axis() -> alt.Axis:
    return alt.Axis(ticks=False, domain=False, labelLimit=260, labelPadding=8)


def _full_width(chart: Any, height: int, title: alt.Title) -> Any:
    """The chart as wide as all others on a page, whatever its labels take."""
    fit = alt.AutoSizeParams(type="fit-x", contains="padding")
    return chart.properties(width=TOTAL_WIDTH, height=height, title=title, autosize=fit)


def _five_numbers(values: np.ndarray[Any, np.dtype[np.float64]]) -> dict[str, list[float]]:
    names = ("least", "low", "median", "high", "most")
    return {
        name: [float(value)]
        for name, value in zip(names, np.quantile(values, [0, 0.25, 0.5, 0.75, 1]), strict=True)
    }
