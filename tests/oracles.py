"""Slow, plain answers to check the fast ones against; they share no code with them."""

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray


def least_uneven_sizes(capacity: Sequence[int]) -> int:
    """The smallest sum of squared whole cluster sizes, by trying all of them."""
    num_clients = capacity[-1]

    def search(k: int, reached: int) -> int:
        if k == len(capacity) - 1:
            return (num_clients - reached) ** 2
        ends = range(reached, capacity[k] + 1)
        return min((end - reached) ** 2 + search(k + 1, end) for end in ends)

    return search(0, 0)


def clusters_by_sorting(
    compute_time_s: NDArray[np.float64], boundary: NDArray[np.int64]
) -> NDArray[np.intp]:
    """eq:cluster_set word by word: sort by (time, index), then count."""
    order = sorted(range(compute_time_s.size), key=lambda m: (compute_time_s[m], m))
    cluster_of = np.empty(compute_time_s.size, dtype=np.intp)
    for position, client in enumerate(order, 1):
        cluster_of[client] = next(k for k, end in enumerate(boundary) if position <= end)
    return cluster_of


def mean_slowest(compute_time_s: Sequence[float], num_sampled: int) -> float:
    """The mean of the largest of every possible sample without replacement."""
    return float(np.mean([max(chosen) for chosen in combinations(compute_time_s, num_sampled)]))
