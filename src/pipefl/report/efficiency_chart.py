"""Spectral efficiency and clients per round against the number of clusters."""

from typing import Any

import altair as alt
import polars as pl

from pipefl.report.theme import EMPHASIS, UPLOAD, Mode, ink, themed
from pipefl.report.whole_axis import whole_axis


def efficiency_chart(
    frame: pl.DataFrame,
    chosen: int | None = None,
    title: str = "Efficiency against the number of clusters",
    mode: Mode = "light",
) -> Any:
    """ε and its ceiling from a `sweep` over K, at one upload time, Δ and N.

    The line is the paper's ε; the points are what is reached where clusters have fewer
    clients than there are sub-channels. A ring marks the `chosen` K.
    """
    rows = frame.filter("feasible").select(
        "num_clusters",
        "efficiency",
        "clients_per_round",
        reached=pl.col("clients_per_round")
        * pl.col("upload_time_s")
        / (pl.col("num_channels") * pl.col("round_s")),
    )
    x = alt.X(
        "num_clusters:Q",
        title="clusters K",
        axis=whole_axis(1, int(rows["num_clusters"].to_numpy().max(initial=1)), grid=False),
        scale=alt.Scale(nice=False, padding=24),
    )
    share = alt.Axis(format=".0%")
    base = alt.Chart(rows)
    line = base.mark_line(color=EMPHASIS, strokeWidth=2.5).encode(
        x=x, y=alt.Y("efficiency:Q", title="time in which sub-channels are used", axis=share)
    )
    points = base.mark_point(size=70, filled=True, opacity=1, color=UPLOAD).encode(
        x=x, y="reached:Q", tooltip=["num_clusters", "efficiency", "reached", "clients_per_round"]
    )
    layers = [line, points]
    if chosen is not None:
        ring = base.transform_filter(alt.datum.num_clusters == chosen)
        layers.append(
            ring.mark_point(size=260, color=ink(mode), strokeWidth=1.5).encode(x=x, y="reached:Q")
        )
    chart = alt.layer(*layers).properties(
        width=480,
        height=260,
        title=alt.Title(
            title, subtitle="Line: the paper's ε. Points: with clusters as they come out."
        ),
    )
    return themed(chart, mode)
