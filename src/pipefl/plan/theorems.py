"""Theorems 1 and 2: constraints that need not be considered."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pipefl.plan.relaxed import thresholds


def inactive_by_theorem1(capacity: ArrayLike) -> NDArray[np.bool_]:
    r"""Which constraints Theorem 1 shows to be inactive at the optimum.

    .. math:: \pi_k > \frac{k}{K} M \quad\Rightarrow\quad \lambda_k = 0

    The point (k, π_k) lies above the straight line from (0, 0) to (K, M): at equal
    clusters its constraint would not bind.

    Paper: theorem:inactive_Constraints, eq:theorem1. Legend: π `capacity`, K its
    length, M its last entry. O(K).

    >>> inactive_by_theorem1([10, 46, 80, 100])
    array([False, False,  True, False])
    """
    pi = thresholds(capacity)
    above: NDArray[np.bool_] = pi * pi.size > np.arange(1, pi.size + 1) * pi[-1]
    return above


def inactive_by_theorem2(capacity: ArrayLike) -> NDArray[np.bool_]:
    r"""Which constraints Theorem 2 shows to be inactive at the optimum, by some a and b.

    .. math:: \frac{\pi_k - \pi_a}{k - a} > \frac{\pi_b - \pi_a}{b - a}
        \quad\Rightarrow\quad \lambda_k = 0, \qquad 0 \le a < k < b \le K

    The point (k, π_k) lies above the chord from (a, π_a) to (b, π_b). Taken over all
    chords, what remains is the lower convex hull of eq:set_of_thresholds. The theorem
    says a ≥ 1; its proof holds for a = 0 as well, where b = K is Theorem 1.

    Paper: theorem:Generalized, eq:theorem2. Every chord is tried: O(K³) comparisons,
    meant for the K ≤ 24 of the hypothesis test.

    >>> inactive_by_theorem2([10, 46, 80, 100])
    array([False,  True,  True, False])
    """
    pi = np.concatenate(([0], thresholds(capacity)))
    return np.array([_above_some_chord(pi, k) for k in range(1, pi.size)])


def _above_some_chord(pi: NDArray[np.int64], k: int) -> bool:
    a = np.arange(k)[:, np.newaxis]
    b = np.arange(k + 1, pi.size)[np.newaxis, :]
    return bool(np.any((pi[k] - pi[a]) * (b - a) > (pi[b] - pi[a]) * (k - a)))
