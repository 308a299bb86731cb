"""The default solver: an isotonic regression."""

import numpy as np
from numpy.typing import NDArray

from pipefl.plan.relaxed import RelaxedSolution, solution_of_candidates


def solve_by_isotonic_regression(capacity: NDArray[np.int64]) -> RelaxedSolution:
    r"""The optimum as the non-decreasing sequence closest to the increments of π.

    The relaxed problem

    .. math:: \min_\delta \sum_k \delta_k^2 \quad\text{subject to}\quad
        \sum_{i \le k} \delta_i \le \pi_k,\quad \sum_{i \le K} \delta_i = \pi_K

    (eq:main_optimization3 less a constant) asks for the greatest convex minorant of
    the points (k, π_k). Its slopes are the isotonic regression

    .. math:: \min_{\delta_1 \le \dots \le \delta_K}
        \sum_k \big( \delta_k - (\pi_k - \pi_{k-1}) \big)^2, \qquad \pi_0 = 0,

    which the pool-adjacent-violators algorithm of scipy solves in O(K). Its pools end
    at the hull's vertices; from those δ is computed again with one exact division each.

    Legend: π `capacity` (K non-decreasing integers, the last one M).

    >>> solve_by_isotonic_regression(np.array([10, 46, 80, 100])).relaxed_size
    array([10., 30., 30., 30.])
    """
    from scipy.optimize import isotonic_regression  # here, because it takes 0.3 s to import

    increments = np.ediff1d(capacity, to_begin=capacity[0])
    pools = isotonic_regression(increments).blocks
    return solution_of_candidates(capacity, pools[1:] - 1)
