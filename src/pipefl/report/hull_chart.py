"""The lower convex hull of a plan (the paper's Fig. 3), active constraints marked."""

from collections.abc import Iterator
from typing import Any

import altair as alt
import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray

from pipefl.plan.relaxed import thresholds
from pipefl.plan.solvers import solve_relaxed
from pipefl.report.apart import Align, Label, apart
from pipefl.report.theme import EMPHASIS, QUIET, UPLOAD, Mode, ink, paper, themed
from pipefl.report.whole_axis import whole_axis

_MOST_POINTS, _MOST_NAMED = 1500, 13
_WIDTH, _HEIGHT, _MARGIN = 480, 360, 24
_SHIFT = 12  # from a point to its name, in x and in y
_ACTIVE, _INACTIVE = "active constraint", "inactive constraint"
_ENDS = "(0, 0) and (K, M)"


def hull_chart(
    capacity: ArrayLike, title: str = "Clusters from the lower convex hull", mode: Mode = "light"
) -> Any:
    """The points (k, π_k), their lower convex hull, and where equal clusters would lie.

    Paper: fig:Example1, eq:set_of_thresholds. Filled points are active constraints, the
    slope of the hull is the relaxed cluster size δ. Above 1,500 clusters the inactive
    points are thinned out evenly.
    """
    points, corners = _points(capacity)
    equal = pl.DataFrame({"k": [0, points["k"].max()], "pi": [0, points["pi"].max()]})
    clusters, clients = (int(points[name].to_numpy().max()) for name in ("k", "pi"))
    x = alt.X(
        "k:Q",
        title="cluster k",
        axis=whole_axis(0, clusters, grid=False),
        scale=alt.Scale(nice=False, padding=_MARGIN),
    )
    y = alt.Y(
        "pi:Q",
        title="clients ready by slot k, πₖ",
        axis=whole_axis(0, clients),
        scale=alt.Scale(nice=False, padding=_MARGIN),
    )
    kinds = [_ACTIVE, _INACTIVE, _ENDS]
    marks = (
        alt.Chart(points)
        .mark_point(size=90, opacity=1, strokeWidth=2)
        .encode(
            x=x,
            y=y,
            shape=alt.Shape(
                "kind:N",
                scale=alt.Scale(domain=kinds, range=["circle", "circle", "square"]),
            ),
            fill=alt.Fill(
                "kind:N",
                scale=alt.Scale(domain=kinds, range=[UPLOAD, paper(mode), ink(mode)]),
            ),
            stroke=alt.Stroke(
                "kind:N", scale=alt.Scale(domain=kinds, range=[UPLOAD, QUIET, ink(mode)])
            ),
            tooltip=["k", "pi", "kind"],
        )
    )
    layers = [
        alt.Chart(equal).mark_line(strokeDash=[5, 4], color=QUIET).encode(x=x, y=y),
        alt.Chart(corners).mark_line(color=EMPHASIS, strokeWidth=2.5).encode(x=x, y=y),
    ]
    names = pl.concat([_point_names(points), _slopes(corners)])
    names = names.filter(apart(_labels(names))) if points.height <= _MOST_NAMED else names[:0]
    aligns: tuple[Align, Align] = ("right", "left")
    for align in aligns:
        layers += _written(names.filter(align=align), x, y, mode, align)
    chart = alt.layer(*layers, marks).properties(
        width=_WIDTH,
        height=_HEIGHT,
        title=alt.Title(
            title,
            subtitle="Line: the lower convex hull, its slope the cluster size. Dashed: all equal.",
        ),
    )
    return themed(chart, mode)


def _points(capacity: ArrayLike) -> tuple[pl.DataFrame, pl.DataFrame]:
    """All points, and the hull's corners from (0, 0) to (K, M)."""
    pi = thresholds(capacity)
    active = solve_relaxed(pi).active
    kept = np.unique(np.linspace(0, pi.size - 1, min(pi.size, _MOST_POINTS)).astype(np.intp))
    kept = np.union1d(kept, np.flatnonzero(active)[:_MOST_POINTS])
    kind = np.where(active[kept], _ACTIVE, _INACTIVE)
    points = pl.DataFrame(
        {
            "k": np.concatenate(([0], kept + 1)),
            "pi": np.concatenate(([0], pi[kept])),
            "kind": [_ENDS, *kind[:-1].tolist(), _ENDS],
        }
    )
    return points, points.filter(pl.col("kind") != _INACTIVE)


def _point_names(points: pl.DataFrame) -> pl.DataFrame:
    """Every point but the first by its coordinates, to its upper left; hull corners first."""
    ranked = points[1:].sort(pl.col("kind") == _INACTIVE, maintain_order=True)
    names = [f"({k:,}, {pi:,})" for k, pi in ranked["k", "pi"].iter_rows()]
    return _names(ranked["k"].to_numpy(), ranked["pi"].to_numpy(), names, "right")


def _slopes(corners: pl.DataFrame) -> pl.DataFrame:
    """δ, to be written at the lower right of the middle of each segment."""
    k, pi = corners["k"].to_numpy(), corners["pi"].to_numpy()
    names = [f"δ = {size:.4g}" for size in np.diff(pi) / np.diff(k)]
    return _names((k[1:] + k[:-1]) / 2, (pi[1:] + pi[:-1]) / 2, names, "left")


def _names(
    k: NDArray[np.number], pi: NDArray[np.number], names: list[str], align: Align
) -> pl.DataFrame:
    columns = {"k": k.astype(np.float64), "pi": pi.astype(np.float64), "name": names}
    return pl.DataFrame(columns).with_columns(align=pl.lit(align))


def _labels(names: pl.DataFrame) -> Iterator[Label]:
    """Where the names would be in pixels, by the chart's scales."""
    k, pi = names["k"].to_numpy(), names["pi"].to_numpy()
    x = (_WIDTH - 2 * _MARGIN) * k / k.max()
    y = (_HEIGHT - 2 * _MARGIN) * pi / pi.max()
    for name, align, at_x, at_y in zip(names["name"], names["align"], x, y, strict=True):
        shift = _SHIFT if align == "left" else -_SHIFT
        yield Label(name, at_x + shift, at_y - shift, align)


def _written(names: pl.DataFrame, x: alt.X, y: alt.Y, mode: Mode, align: Align) -> list[alt.Chart]:
    """The names beside their points, with a halo so that lines below them do not disturb."""
    shift = _SHIFT if align == "left" else -_SHIFT
    base = alt.Chart(names).encode(x=x, y=y, text="name:N")
    halo = base.mark_text(
        align=align, dx=shift, dy=shift, color=paper(mode), stroke=paper(mode), strokeWidth=5
    )
    return [halo, base.mark_text(align=align, dx=shift, dy=shift, color=ink(mode))]
