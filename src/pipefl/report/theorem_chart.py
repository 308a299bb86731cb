"""Theorem 2's geometry (the paper's Fig. 2)."""

from typing import Any

import altair as alt
import polars as pl

from pipefl.report.theme import EMPHASIS, QUIET, UPLOAD, Mode, ink, paper, themed


def theorem_chart(
    a: tuple[float, float] = (2, 12),
    k: tuple[float, float] = (4, 58),
    b: tuple[float, float] = (7, 76),
    mode: Mode = "light",
) -> Any:
    """Three points: where (k, π_k) lies above the chord from a to b, constraint k is inactive.

    Paper: fig:Theorem2, eq:theorem2. The two slopes that the theorem compares are drawn
    as lines from (a, π_a).
    """
    on_chord = a[1] + (b[1] - a[1]) * (k[0] - a[0]) / (b[0] - a[0])
    drop = pl.DataFrame({"x": [k[0]], "low": [on_chord], "high": [k[1]]})
    x = alt.X(
        "x:Q",
        scale=alt.Scale(domain=[0, b[0] + 1]),
        axis=alt.Axis(
            values=[a[0], k[0], b[0]],
            labelExpr=f"datum.value == {a[0]} ? 'a' : datum.value == {k[0]} ? 'k' : 'b'",
            grid=False,
            title="cluster",
        ),
    )
    y = alt.Y(
        "y:Q",
        scale=alt.Scale(domain=[0, b[1] * 1.2]),
        axis=alt.Axis(
            values=[a[1], k[1], b[1]],
            labelExpr=f"datum.value == {a[1]} ? 'π(a)' : datum.value == {k[1]} ? 'π(k)' : 'π(b)'",
            grid=False,
            title="clients ready by its slot",
        ),
    )
    chart = alt.layer(
        _line([a, b], EMPHASIS, x, y),
        _line([a, k], UPLOAD, x, y),
        alt.Chart(drop)
        .mark_rule(strokeDash=[4, 3], color=QUIET)
        .encode(x="x:Q", y="low:Q", y2="high:Q"),
        _points([(*a, ink(mode)), (*b, ink(mode))], x, y),
        _points([(*k, paper(mode))], x, y, stroke=UPLOAD),
        _note(
            (a[0] + k[0]) / 2 - 0.2,
            (a[1] + k[1]) / 2,
            "slope (π(k) − π(a)) / (k − a)",
            "right",
            mode,
        ),
        _note(
            (k[0] + b[0]) / 2 + 0.1,
            (on_chord + b[1]) / 2 - 3,
            "slope (π(b) − π(a)) / (b − a)",
            "left",
            mode,
        ),
        _note(k[0], k[1] + 5, "above the chord: inactive", "center", mode),
    ).properties(
        width=480, height=300, title="Theorem 2: a point above a chord is an inactive constraint"
    )
    return themed(chart, mode)


def _line(ends: list[tuple[float, float]], colour: str, x: alt.X, y: alt.Y) -> Any:
    frame = pl.DataFrame(ends, schema=["x", "y"], orient="row")
    return alt.Chart(frame).mark_line(color=colour, strokeWidth=2.5).encode(x=x, y=y)


def _points(
    points: list[tuple[float, float, str]], x: alt.X, y: alt.Y, stroke: str | None = None
) -> Any:
    frame = pl.DataFrame(points, schema=["x", "y", "fill"], orient="row")
    colour = alt.Fill("fill:N", scale=None)
    mark = alt.Chart(frame).mark_point(size=100, opacity=1, strokeWidth=2)
    return mark.encode(
        x=x,
        y=y,
        fill=colour,
        stroke=alt.value(stroke) if stroke else alt.Stroke("fill:N", scale=None),
    )


def _note(at_x: float, at_y: float, text: str, align: Any, mode: Mode) -> Any:
    frame = pl.DataFrame({"x": [at_x], "y": [at_y], "text": [text]})
    return (
        alt.Chart(frame)
        .mark_text(align=align, color=ink(mode))
        .encode(x="x:Q", y="y:Q", text="text:N")
    )
