"""Who takes part how often, and how far that bends the average model."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True)
class Fairness:
    """How evenly M clients took part.

    `jain` is 1 if all delivered equally many updates and 1/M if one delivered them all.
    `worst_off` is the least number of updates of any client as a share of the mean,
    `never` the share of clients that delivered none. `bias` is the share of the
    average's weight that lies with the wrong clients: 0 if each weighs n_m/n over time.
    """

    jain: float
    worst_off: float
    never: float
    bias: float


def fairness(participation: ArrayLike, weight: ArrayLike, num_samples: ArrayLike) -> Fairness:
    """Judge participation counts and the weight that clients had in the averages. O(M).

    `participation` counts each client's delivered updates. `weight` is each client's
    weight in eq:gradients_averaging, summed over all steps.

    >>> fairness([2, 1, 0], weight=[2.0, 1.0, 0.0], num_samples=[5, 5, 5]).jain
    0.6
    """
    counts = np.asarray(participation, dtype=np.float64)
    mean = counts.mean()
    return Fairness(
        jain=jain_index(counts),
        worst_off=float(counts.min() / mean) if mean else 0.0,
        never=float(np.mean(counts == 0)),
        bias=weight_bias(weight, num_samples),
    )


def jain_index(participation: ArrayLike) -> float:
    r"""Jain's index of fairness.

    .. math:: J = \frac{\big(\sum_m x_m\big)^2}{M \sum_m x_m^2}

    From: Jain, Chiu and Hawe, *A Quantitative Measure of Fairness and Discrimination for
    Resource Allocation in Shared Computer Systems* (1984). 1 if nobody took part at all.

    >>> jain_index([1, 1, 1, 1]), jain_index([4, 0, 0, 0])
    (1.0, 0.25)
    """
    counts = np.asarray(participation, dtype=np.float64)
    squares = float(np.dot(counts, counts))
    return float(counts.sum()) ** 2 / (counts.size * squares) if squares else 1.0


def weight_bias(weight: ArrayLike, num_samples: ArrayLike) -> float:
    r"""How much of the average's weight lies with the wrong clients.

    .. math:: \frac12 \sum_m \Big| \bar w_m - \frac{n_m}{n} \Big|, \qquad
        \bar w_m = \frac{\sum_t w_m[t]}{\sum_t \sum_j w_j[t]}

    where w_m[t] is client m's weight in step t.

    Paper: eq:main_problem, which weighs each client by p_m = n_m/n. Sampling N of M_k
    clients in clusters of unequal size does not. Part of it is chance: with few steps no
    client can have had its exact share.

    >>> weight_bias([3.0, 1.0], num_samples=[10, 10])
    0.25
    """
    had = _shares(weight)
    due = _shares(num_samples)
    return float(np.abs(had - due).sum() / 2)


def _shares(values: ArrayLike) -> NDArray[np.float64]:
    array = np.asarray(values, dtype=np.float64)
    total = array.sum()
    return array / total if total else array
