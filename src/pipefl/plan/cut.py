"""The clustering of clients that are already sorted: all of a plan but the names."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pipefl.plan.capacity import ready_by_slot
from pipefl.plan.isotonic import solve_by_isotonic_regression
from pipefl.plan.relaxed import RelaxedSolution
from pipefl.plan.rounding import cluster_boundaries
from pipefl.plan.slots import slot_times
from pipefl.plan.solvers import Solver


@dataclass(frozen=True, eq=False)
class Cut:
    """Where the sorted clients are cut into clusters, and how that came about."""

    slot_time_s: NDArray[np.float64]
    capacity: NDArray[np.int64]
    relaxed: RelaxedSolution
    boundary: NDArray[np.int64]

    @property
    def size(self) -> NDArray[np.int64]:
        """M_k, clients in each cluster."""
        return np.diff(self.boundary, prepend=0)

    def clients_per_round(self, num_channels: int) -> int:
        """N clients from each cluster, or all of a smaller one."""
        return int(np.minimum(self.size, num_channels).sum())


def cut_sorted_clients(
    sorted_time_s: NDArray[np.float64],
    upload_time_s: float,
    num_clusters: int,
    slack_s: float = 0.0,
    solve: Solver = solve_by_isotonic_regression,
) -> Cut:
    """The steps of sec:clustering in their order: θ, π, δ, ω. O(K log M).

    Legend: 𝒯 `sorted_time_s` (M ascending values), τ_com `upload_time_s`, Δ_global
    `slack_s`, in seconds; K `num_clusters`, not above eq:techincal_K.

    >>> cut_sorted_clients(np.array([1.0, 2.0, 3.0, 4.0]), 1.0, num_clusters=2).size
    array([2, 2])
    """
    slots = slot_times(float(sorted_time_s[-1]), upload_time_s, num_clusters, slack_s)
    capacity, slots = ready_by_slot(sorted_time_s, slots)
    relaxed = solve(capacity)
    return Cut(slots, capacity, relaxed, cluster_boundaries(capacity, relaxed.active))
