"""How many samples clients have: the paper's histograms of its datasets."""

from typing import Any

import altair as alt
import numpy as np
import polars as pl
from numpy.typing import ArrayLike

from pipefl.report.theme import EMPHASIS, Mode, themed

_NUM_BINS = 40


def sizes_chart(
    num_samples: ArrayLike, title: str, subtitle: list[str], mode: Mode = "light"
) -> Any:
    """Clients by their number of samples, n_m, under a title and lines below it.

    Every bin holds equally many whole numbers. Paper: fig:emnist-histogram.
    """
    sizes = np.asarray(num_samples)
    low, high = float(sizes.min()) - 0.5, float(sizes.max()) + 0.5
    width = max(1.0, float(np.ceil((high - low) / _NUM_BINS)))
    edges = np.arange(low, high + width, width)
    counts, _ = np.histogram(sizes, edges)
    bins = pl.DataFrame({"low": edges[:-1], "high": edges[1:], "clients": counts})
    axis = alt.Axis(grid=False, format="d", tickCount=10)
    bars = alt.Chart(bins.filter(pl.col("clients") > 0)).mark_bar(color=EMPHASIS)
    chart = bars.encode(
        x=alt.X("low:Q", bin="binned", title="samples of a client", axis=axis),
        x2="high:Q",
        y=alt.Y("clients:Q", title="clients"),
        tooltip=["low", "high", "clients"],
    ).properties(width=640, height=260, title=alt.Title(title, subtitle=subtitle))
    return themed(chart, mode)
