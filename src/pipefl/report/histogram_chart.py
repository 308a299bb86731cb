"""How the compute times are spread, and where the clusters cut them."""

from typing import Any

import altair as alt
import numpy as np
import polars as pl
from numpy.typing import NDArray

from pipefl.plan.cluster_plan import ClusterPlan
from pipefl.report.slot_marks import slot_marks
from pipefl.report.theme import EMPHASIS, Mode, cluster_colours, themed
from pipefl.report.time_unit import time_unit
from pipefl.report.whole_axis import whole_axis

_MOST_COLOURED = 13
_NUM_BINS = 48
_WIDTH = 760
_LEGEND_COLUMNS = 7


def histogram_chart(
    plan: ClusterPlan, title: str = "Compute times and clusters", mode: Mode = "light"
) -> Any:
    """Clients by compute time, coloured by cluster, with the slots θ_1 … θ_K.

    Above 13 clusters the bars have one colour.
    """
    coloured = plan.num_clusters <= _MOST_COLOURED
    bars = _bins(plan, coloured)
    longest_s = max(bars["high_s"].to_numpy().max(), plan.slot_time_s[-1])
    shortest_s = min(bars["low_s"].to_numpy().min(), plan.slot_time_s[0])
    unit = time_unit(longest_s)
    names = [f"cluster {k + 1}" for k in range(plan.num_clusters)] if coloured else ["clients"]
    colours = cluster_colours(len(names), mode) if coloured else [EMPHASIS]
    mark = alt.Chart(bars).mark_bar()
    histogram = mark.encode(
        x=alt.X(
            "low_s:Q",
            bin="binned",
            title=f"compute time ({unit.symbol})",
            axis=alt.Axis(grid=False, tickCount=10, labelExpr=unit.label_expr),
        ),
        x2="high_s:Q",
        y=alt.Y("clients:Q", title="clients", stack="zero", axis=whole_axis(0, plan.num_clients)),
        color=alt.Color(
            "cluster:N",
            scale=alt.Scale(domain=names, range=colours),
            legend=alt.Legend(columns=_LEGEND_COLUMNS),
        ),
        order=alt.Order("k:Q"),
        tooltip=["cluster", "low_s", "high_s", "clients"],
    )
    marks = slot_marks(
        plan.slot_time_s.tolist(), mode, pixels_per_s=_WIDTH / (longest_s - shortest_s)
    )
    chart = alt.layer(histogram, *marks).properties(
        width=_WIDTH,
        height=240,
        title=alt.Title(title, subtitle="Dashed: the slots θ at which the clusters transmit."),
    )
    return themed(chart, mode)


def _bins(plan: ClusterPlan, coloured: bool) -> pl.DataFrame:
    times_s = plan.compute_time_s
    edges = _bin_edges(times_s)
    which = np.clip(np.searchsorted(edges, times_s, side="right") - 1, 0, edges.size - 2)
    num_groups = plan.num_clusters if coloured else 1
    group = plan.cluster_of if coloured else np.zeros(times_s.size, dtype=np.int64)
    counts = np.bincount(which * num_groups + group, minlength=(edges.size - 1) * num_groups)
    bin_of, k = np.divmod(np.arange(counts.size), num_groups)
    frame = pl.DataFrame(
        {"low_s": edges[bin_of], "high_s": edges[bin_of + 1], "k": k, "clients": counts}
    ).filter(pl.col("clients") > 0)
    name = pl.format("cluster {}", pl.col("k") + 1) if coloured else pl.lit("clients")
    return frame.with_columns(cluster=name)


def _bin_edges(times_s: NDArray[np.float64]) -> NDArray[np.float64]:
    """48 bins of equal width, or one for every value of times that lie on a coarse grid."""
    values = np.unique(times_s)
    if values.size == 1:
        return np.array([0.99, 1.01]) * float(values[0])
    gaps = np.diff(values)
    if values.size > 2 * _NUM_BINS or gaps.max() > 1.5 * gaps.min():
        return np.unique(np.linspace(values[0], values[-1], _NUM_BINS + 1))
    middles = (values[1:] + values[:-1]) / 2
    half = gaps.min() / 2
    return np.concatenate(([values[0] - half], middles, [values[-1] + half]))
