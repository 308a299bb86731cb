"""The three solvers of the relaxed problem by name."""

from collections.abc import Callable
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pipefl.errors import ArgumentError
from pipefl.plan.hull import solve_by_lower_hull
from pipefl.plan.hypotheses import solve_by_hypotheses
from pipefl.plan.isotonic import solve_by_isotonic_regression
from pipefl.plan.relaxed import RelaxedSolution, thresholds

Method = Literal["isotonic", "hull", "hypotheses"]
Solver = Callable[[NDArray[np.int64]], RelaxedSolution]

SOLVERS: dict[str, Solver] = {
    "isotonic": solve_by_isotonic_regression,
    "hull": solve_by_lower_hull,
    "hypotheses": solve_by_hypotheses,
}


def solver(method: str) -> Solver:
    """The solver of that name."""
    if method not in tuple(SOLVERS):  # which even an unhashable value can be looked up in
        raise ArgumentError("method", method, f"it must be one of {', '.join(SOLVERS)}")
    return SOLVERS[method]


def solve_relaxed(capacity: ArrayLike, method: Method = "isotonic") -> RelaxedSolution:
    r"""Solve the relaxed clustering problem for thresholds of any origin.

    .. math:: \min_{\delta} \sum_{k=1}^{K} \Big( \delta_k - \frac{M}{K} \Big)^2
        \quad\text{subject to}\quad \sum_{i=1}^{k} \delta_i \le \pi_k,\
        \sum_{i=1}^{K} \delta_i = M

    Paper: eq:main_optimization3. Legend: π `capacity` (K non-decreasing whole
    numbers, the last one M). O(K) with the default method.

    >>> solution = solve_relaxed([10, 46, 80, 100])
    >>> solution.relaxed_size, solution.active
    (array([10., 30., 30., 30.]), array([ True, False, False,  True]))
    """
    return solver(method)(thresholds(capacity))
