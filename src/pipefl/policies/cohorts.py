"""The cohorts of many rounds at once, for policies that do not learn from round to round."""

import numpy as np
from numpy.typing import NDArray

from pipefl.checks import count
from pipefl.errors import ArgumentError
from pipefl.plan.cluster_plan import ClusterPlan


def clustered_cohorts(
    plan: ClusterPlan, num_channels: int, num_rounds: int, rng: np.random.Generator
) -> NDArray[np.intp]:
    """N clients from each cluster, or all of a smaller one: one row a round, clusters in order.

    Paper: alg:csgd. The draws of `Clustered`, R × Σ_k min(N, M_k) of them. O(R K N²)
    array elements, N usually a handful.

    >>> from pipefl.plan.clustering import plan_clusters
    >>> plan = plan_clusters([1.0, 2.0, 3.0, 4.0], 1.0, num_clusters=2)
    >>> clustered_cohorts(plan, 2, 3, np.random.default_rng(0)).tolist()
    [[0, 1, 2, 3], [0, 1, 2, 3], [0, 1, 2, 3]]
    """
    channels = count("num_channels", num_channels)
    rounds = count("num_rounds", num_rounds)
    sizes = np.minimum(plan.size, channels)
    cohorts = np.empty((int(sizes.sum()), rounds), dtype=np.intp)
    row = 0
    for end, size, taken in zip(plan.boundary, plan.size, sizes, strict=True):
        drawn = _distinct(int(size), int(taken), rounds, rng)
        cohorts[row : row + taken] = plan.by_cluster[end - size : end][drawn]
        row += taken
    return cohorts.T


def uniform_cohorts(
    num_clients: int, cohort_size: int, num_rounds: int, rng: np.random.Generator
) -> NDArray[np.intp]:
    """Different clients drawn uniformly from all: one row a round.

    The draws of `Uniform`. O(R n²) array elements for cohorts of n.

    >>> uniform_cohorts(3, 3, 2, np.random.default_rng(0)).tolist()
    [[0, 1, 2], [0, 1, 2]]
    """
    clients = count("num_clients", num_clients)
    size = count("cohort_size", cohort_size)
    if size > clients:
        raise ArgumentError("cohort_size", size, f"the population has {clients:,} clients")
    return _distinct(clients, size, count("num_rounds", num_rounds), rng).T


def _distinct(
    num_items: int, num_taken: int, num_rounds: int, rng: np.random.Generator
) -> NDArray[np.intp]:
    r"""For each round a uniformly random subset of 0 … num_items − 1, as rows of n × R.

    Floyd's algorithm (Bentley, *Programming Pearls*, 1987), all rounds side by side: for
    j = num_items − n, …, num_items − 1 draw t uniformly from 0 … j, and take t, or j if
    t was taken before. Every subset is equally likely; the order within it is not.
    """
    if num_taken == num_items:
        return np.broadcast_to(np.arange(num_items)[:, np.newaxis], (num_items, num_rounds))
    drawn = np.empty((num_taken, num_rounds), dtype=np.intp)
    for row, last in enumerate(range(num_items - num_taken, num_items)):
        drawn[row] = rng.integers(0, last, num_rounds, endpoint=True, dtype=np.uint32)
        taken = np.zeros(num_rounds, dtype=np.bool_)
        for before in drawn[:row]:
            taken |= before == drawn[row]
        np.copyto(drawn[row], last, where=taken)
    return drawn
