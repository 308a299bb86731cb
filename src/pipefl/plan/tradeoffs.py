"""What each choice of K, Δ, N and upload time would give."""

from collections.abc import Iterable, Iterator
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pipefl.checks import count, non_negative_seconds, positive_seconds, several
from pipefl.plan.bounds import most_clusters, preferred_clusters
from pipefl.plan.clustering import MOST_CLUSTERS
from pipefl.plan.cut import cut_sorted_clients
from pipefl.plan.efficiency import pipelined_efficiency
from pipefl.plan.times import compute_times
from pipefl.plan.tried import whole_numbers_between

if TYPE_CHECKING:
    import polars

_MOST_UNASKED = 32


def sweep(
    compute_time_s: ArrayLike,
    upload_time_s: float | Iterable[float],
    *,
    num_clusters: int | Iterable[int] | None = None,
    slack_s: float | Iterable[float] = 0.0,
    num_channels: int | Iterable[int] = 1,
    server_time_s: float = 0.0,
) -> "polars.DataFrame":
    """One row for every combination of upload time, Δ, K and N.

    Each of those may be one value or several. Without `num_clusters`, every K up to
    eq:choosing_K, or 32 of them at equal ratios where there are more.

    ====================  ==================================================================
    column                meaning
    ====================  ==================================================================
    upload_time_s         τ_com
    slack_s               Δ_global
    num_clusters          K
    num_channels          N
    feasible              whether eq:techincal_K admits K; if not, what follows is null
    sizes                 clients in each cluster
    smallest, largest     the extremes of those
    size_deviation        their standard deviation (eq:requirement)
    clients_per_round     min(N, M_k) summed over the clusters
    round_s               τ_max + Δ_global + τ_com + τ_server
    clients_per_s         clients_per_round / round_s
    efficiency            the paper's ε
    channels_saved        sub-channels beyond N that a conventional round needs to serve
                          as many clients
    ====================  ==================================================================

    One sort, then O(K log M) a row.

    >>> frame = sweep([1, 2, 3, 4], upload_time_s=1.0, num_clusters=[1, 3], num_channels=[1, 2])
    >>> frame.select("num_clusters", "num_channels", "clients_per_round").rows()
    [(1, 1, 1), (1, 2, 2), (3, 1, 3), (3, 2, 4)]
    """
    import polars as pl  # here, because planning alone does not need it

    sorted_s = np.sort(compute_times(compute_time_s))
    server_s = non_negative_seconds("server_time_s", server_time_s)
    uploads = several("upload_time_s", upload_time_s, positive_seconds)
    slacks = several("slack_s", slack_s, non_negative_seconds)
    channels = several("num_channels", num_channels, count)
    asked = None
    if num_clusters is not None:
        asked = several("num_clusters", num_clusters, partial(count, maximum=MOST_CLUSTERS))
    rows = [
        row
        for upload, slack in product(uploads, slacks)
        for clusters in asked or _unasked(sorted_s, upload, slack)
        for row in _rows(sorted_s, (upload, slack, clusters), channels, server_s)
    ]
    return pl.DataFrame(rows, schema=_schema(), orient="row")


def _unasked(sorted_s: NDArray[np.float64], upload_s: float, slack_s: float) -> list[int]:
    most = preferred_clusters(float(sorted_s[0]), float(sorted_s[-1]), upload_s, slack_s)
    return whole_numbers_between(1, min(most, MOST_CLUSTERS), _MOST_UNASKED)


def _rows(
    sorted_s: NDArray[np.float64],
    choice: tuple[float, float, int],
    channels: list[int],
    server_s: float,
) -> Iterator[tuple[Any, ...]]:
    """The rows of one upload time, Δ and K, one for each N."""
    upload_s, slack_s, clusters = choice
    latest_s = float(sorted_s[-1])
    if clusters > most_clusters(float(sorted_s[0]), latest_s, upload_s, slack_s):
        for num_channels in channels:
            yield (*choice, num_channels, False, *[None] * 9)
        return
    cut = cut_sorted_clients(sorted_s, upload_s, clusters, slack_s)
    round_s = latest_s + slack_s + upload_s + server_s
    efficiency = pipelined_efficiency(latest_s, upload_s, clusters, slack_s, server_s)
    sizes = cut.size
    spread = (sizes.tolist(), int(sizes.min()), int(sizes.max()), float(sizes.std()))
    for num_channels in channels:
        served = cut.clients_per_round(num_channels)
        figures = (served, round_s, served / round_s, efficiency, max(0, served - num_channels))
        yield (*choice, num_channels, True, *spread, *figures)


def _schema() -> dict[str, Any]:
    import polars as pl

    return {
        "upload_time_s": pl.Float64,
        "slack_s": pl.Float64,
        "num_clusters": pl.Int64,
        "num_channels": pl.Int64,
        "feasible": pl.Boolean,
        "sizes": pl.List(pl.Int64),
        "smallest": pl.Int64,
        "largest": pl.Int64,
        "size_deviation": pl.Float64,
        "clients_per_round": pl.Int64,
        "round_s": pl.Float64,
        "clients_per_s": pl.Float64,
        "efficiency": pl.Float64,
        "channels_saved": pl.Int64,
    }
