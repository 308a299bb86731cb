"""From relaxed sizes to whole clients."""

import numpy as np
from numpy.typing import NDArray


def cluster_boundaries(capacity: NDArray[np.int64], active: NDArray[np.bool_]) -> NDArray[np.int64]:
    r"""The last sorted client of each cluster: cumulative relaxed sizes, rounded.

    .. math:: \omega_k = \Big\lfloor \sum_{i=1}^{k} \delta_i + \tfrac12 \Big\rfloor

    Paper: the rounding of sec:clustering-solution, from δ to ω of eq:main_optimization,
    within eq:threshold_main and eq:all_clients.

    Between two active constraints (a, π_a) and (b, π_b) the sum is the line through
    both, so ω_k is computed in whole numbers, without rounding error, and halves
    always go up. Since π_k is whole and the sum at most π_k, ω_k ≤ π_k holds. The
    whole-number problem is M-convex, which makes this rounding optimal.

    Legend: π `capacity`, `active` marks the hull's vertices. O(K).

    >>> cluster_boundaries(np.array([4, 7]), np.array([False, True]))
    array([4, 7])
    """
    vertex = np.flatnonzero(active)
    steps = np.diff(vertex, prepend=-1)
    rise = np.diff(capacity[vertex], prepend=0)
    a, pi_a, run, climb = (
        np.repeat(of_segment, steps)
        for of_segment in (vertex - steps, capacity[vertex] - rise, steps, rise)
    )
    k_minus_a = np.arange(capacity.size) - a
    boundary: NDArray[np.int64] = pi_a + (2 * k_minus_a * climb + run) // (2 * run)
    return boundary
