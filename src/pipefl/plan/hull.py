"""Algorithm 2 of the paper, as printed."""

import numpy as np
from numpy.typing import NDArray

from pipefl.plan.relaxed import RelaxedSolution, solution_of_candidates


def solve_by_lower_hull(capacity: NDArray[np.int64]) -> RelaxedSolution:
    r"""The optimum by walking the lower convex hull from (0, 0) to (K, M).

    From the vertex a the next one is the point that is seen at the smallest slope,

    .. math:: b^* = \arg\min_{b \in \{a+1, \dots, K\}} \frac{\pi_b - \pi_a}{b - a},

    and every cluster between them gets that slope as its size. Of several points at
    the same slope the last is taken, so that only true vertices are visited.

    Paper: alg:optimization. Legend: π `capacity`. O(K · vertices), at worst O(K²):
    `solve_by_isotonic_regression` finds the same in O(K).

    >>> solve_by_lower_hull(np.array([10, 46, 80, 100])).active
    array([ True, False, False,  True])
    """
    num_clusters = capacity.size
    pi = np.concatenate(([0], capacity))
    vertices = []
    a = 0
    while a != num_clusters:
        slopes = (pi[a + 1 :] - pi[a]) / np.arange(1, num_clusters - a + 1)
        a += slopes.size - int(np.argmin(slopes[::-1]))
        vertices.append(a - 1)
    return solution_of_candidates(capacity, np.array(vertices))
