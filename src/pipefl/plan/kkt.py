"""Is it the optimum? The Karush-Kuhn-Tucker conditions of the relaxed problem."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pipefl.plan.relaxed import relaxed_sizes, thresholds


@dataclass(frozen=True, eq=False)
class KktResiduals:
    """How far a candidate is from meeting each of the five conditions, in clients.

    All are 0, but for rounding, at the optimum and nowhere else.
    """

    primal_equality: float
    primal_inequality: float
    dual: float
    complementary_slackness: float
    gradient: float

    @property
    def largest(self) -> float:
        """The worst of the five."""
        return max(
            self.primal_equality,
            self.primal_inequality,
            self.dual,
            self.complementary_slackness,
            self.gradient,
        )


def multipliers(relaxed_size: ArrayLike) -> tuple[NDArray[np.float64], float]:
    r"""The Lagrange multipliers that belong to given sizes.

    .. math:: \delta_k = \delta_{k-1} + \tfrac12 \lambda_{k-1}, \qquad
        \delta_K = \tfrac{M}{K} + \tfrac12 \nu

    Paper: lem:Variables, eq:subsequent and eq:optimal_delta, solved for λ_1 … λ_{K−1}
    and ν. Legend: δ `relaxed_size`. O(K).

    >>> multipliers([10, 30, 30, 30])
    (array([40.,  0.,  0.]), 10.0)
    """
    size = relaxed_sizes(relaxed_size)
    return 2 * np.diff(size), float(2 * (size[-1] - size.mean()))


def lagrangian(
    relaxed_size: ArrayLike, capacity: ArrayLike, dual: ArrayLike, equality_dual: float
) -> float:
    r"""The Lagrangian of the relaxed problem.

    .. math:: \mathcal{L} = \sum_{k=1}^{K} \Big(\delta_k - \frac{M}{K}\Big)^2
        + \sum_{k=1}^{K-1} \lambda_k \Big(\sum_{i=1}^{k} \delta_i - \pi_k\Big)
        - \nu \Big(\sum_{i=1}^{K} \delta_i - M\Big)

    Paper: eq:Lagrangian, which is eq:objective_dual of eq:dual_optimization. Legend: δ
    `relaxed_size`, π `capacity`, λ `dual`, ν `equality_dual`. O(K).

    >>> lagrangian([10, 30, 30, 30], [10, 46, 80, 100], [40, 0, 0], 10)
    300.0
    """
    pi = thresholds(capacity)
    size = relaxed_sizes(relaxed_size, pi.size)
    excess = np.cumsum(size) - pi
    unevenness = np.sum((size - pi[-1] / pi.size) ** 2)
    return float(unevenness + np.dot(dual, excess[:-1]) - equality_dual * excess[-1])


def kkt_residuals(capacity: ArrayLike, relaxed_size: ArrayLike) -> KktResiduals:
    r"""Check the five conditions, with the multipliers of `multipliers`.

    1. eq:all_clients3, :math:`\sum_k \delta_k = M`;
    2. eq:threshold_main3, :math:`\sum_{i \le k} \delta_i \le \pi_k`;
    3. eq:threshold_dual, :math:`\lambda_k \ge 0`, which is Lemma 2 (eq:optimality_check);
    4. eq:complementary_slackness, :math:`\lambda_k (\sum_{i \le k} \delta_i - \pi_k) = 0`,
       here as the smaller of the two factors;
    5. eq:vanishing_gradient,
       :math:`2(\delta_k - M/K) + \sum_{i=k}^{K-1} \lambda_i - \nu = 0`.

    Paper: eq:all_clients3, eq:threshold_main3, eq:threshold_dual,
    eq:complementary_slackness, eq:vanishing_gradient, lem:subsequent,
    eq:optimality_check. Legend: π `capacity`, δ `relaxed_size`. O(K).

    >>> kkt_residuals([10, 46, 80, 100], [10, 30, 30, 30]).largest
    0.0
    >>> kkt_residuals([10, 46, 80, 100], [10, 36, 27, 27]).dual  # Case B of Example 1
    18.0
    """
    pi = thresholds(capacity)
    size = relaxed_sizes(relaxed_size, pi.size)
    dual, equality_dual = multipliers(size)
    excess = np.cumsum(size) - pi
    remaining = np.append(np.cumsum(dual[::-1])[::-1], 0.0)
    gradient = 2 * (size - pi[-1] / pi.size) + remaining - equality_dual
    return KktResiduals(
        primal_equality=abs(float(excess[-1])),
        primal_inequality=_largest(excess[:-1]),
        dual=_largest(-dual),
        complementary_slackness=_largest(np.minimum(np.abs(dual), np.abs(excess[:-1]))),
        gradient=_largest(np.abs(gradient)),
    )


def _largest(values: NDArray[np.float64]) -> float:
    return max(0.0, float(values.max(initial=0.0)))
