"""The relaxed clustering problem: its thresholds, objective and solution."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pipefl.errors import ArgumentError
from pipefl.plan.times import frozen_floats


@dataclass(frozen=True, eq=False)
class RelaxedSolution:
    """The optimum of eq:main_optimization3.

    `relaxed_size` is δ_1 … δ_K (clients, not whole). `active[k]` is true where the
    k-th constraint has a positive multiplier, that is where (k, π_k) is a vertex of
    the lower convex hull; the last entry, the equality constraint, is always true.
    """

    relaxed_size: NDArray[np.float64]
    active: NDArray[np.bool_]


def thresholds(capacity: ArrayLike) -> NDArray[np.int64]:
    """π_1 ≤ … ≤ π_K = M as an integer array, or an error that says what is wrong.

    >>> thresholds([10, 46, 80, 100])
    array([ 10,  46,  80, 100])
    """
    array = np.asarray(capacity)
    if array.ndim != 1 or array.size == 0 or array.dtype.kind not in "iu":
        raise ArgumentError("capacity", capacity, "it must be K ≥ 1 whole numbers π_1 … π_K")
    pi = array.astype(np.int64, copy=False)
    if pi[0] < 0 or pi[-1] < 1 or np.any(pi[1:] < pi[:-1]):
        raise ArgumentError("capacity", capacity, "it must not decrease, from ≥ 0 up to M ≥ 1")
    return pi


def relaxed_sizes(relaxed_size: ArrayLike, num_clusters: int | None = None) -> NDArray[np.float64]:
    """δ_1 … δ_K as an array of finite numbers, or an error that says what is wrong.

    >>> relaxed_sizes([10, 30, 30, 30])
    array([10., 30., 30., 30.])
    """
    sizes = frozen_floats("relaxed_size", relaxed_size)
    if sizes.size == 0 or not np.isfinite(sizes).all():
        raise ArgumentError(
            "relaxed_size", relaxed_size, "it must be K ≥ 1 finite numbers δ_1 … δ_K"
        )
    if num_clusters is not None and sizes.size != num_clusters:
        accepted = f"it must hold {num_clusters:,} numbers, as capacity does"
        raise ArgumentError("relaxed_size", relaxed_size, accepted)
    return sizes


def objective(relaxed_size: ArrayLike) -> float:
    r"""How unequal the clusters are.

    .. math:: \sum_{k=1}^{K} \Big( \delta_k - \frac{M}{K} \Big)^2,
        \qquad M = \sum_k \delta_k

    Paper: eq:objective_main3, and eq:objective_main when the sizes are whole. Legend: δ
    `relaxed_size`.

    >>> objective([10, 30, 30, 30])
    300.0
    """
    sizes = relaxed_sizes(relaxed_size)
    return float(np.sum((sizes - sizes.mean()) ** 2))


def solution_of_hypothesis(
    capacity: NDArray[np.int64], active_index: NDArray[np.intp]
) -> NDArray[np.float64]:
    r"""The sizes δ that follow when just the constraints in `active_index` are active.

    .. math:: \delta_i = \frac{\pi_{p^{(j)}} - \pi_{p^{(j-1)}}}{p^{(j)} - p^{(j-1)}},
        \qquad i \in \{p^{(j-1)} + 1, \dots, p^{(j)}\}

    Paper: eq:solution_delta, the solution of the equations of lem:two_possibilities
    (eq:lemma2): eq:case1 where a constraint is slack, eq:case2 where it is tight.

    Legend: π `capacity`, p − 1 `active_index` (0-based, ascending, ending with K − 1). O(K).

    >>> solution_of_hypothesis(np.array([10, 46, 80, 100]), np.array([0, 3]))
    array([10., 30., 30., 30.])
    """
    return np.repeat(_slopes(capacity, active_index), _steps(active_index))


def solution_of_candidates(
    capacity: NDArray[np.int64], candidate: NDArray[np.intp]
) -> RelaxedSolution:
    """The solution whose hull vertices are among `candidate` (0-based, ending with K − 1).

    Candidates through which the hull passes straight are tight but not active and
    are left out. Slopes are single divisions of exact integers, so equal slopes
    compare equal and different ones different as long as K·M < 2^52. O(K).
    """
    slopes = _slopes(capacity, candidate)
    while not np.all(turns := slopes[1:] > slopes[:-1]):
        candidate = candidate[np.append(turns, True)]
        slopes = _slopes(capacity, candidate)
    active = np.zeros(capacity.size, dtype=np.bool_)
    active[candidate] = True
    return RelaxedSolution(np.repeat(slopes, _steps(candidate)), active)


def _slopes(capacity: NDArray[np.int64], index: NDArray[np.intp]) -> NDArray[np.float64]:
    reached = capacity[index]
    return np.ediff1d(reached, to_begin=reached[0]) / _steps(index)


def _steps(index: NDArray[np.intp]) -> NDArray[np.intp]:
    return np.ediff1d(index, to_begin=index[0] + 1)
