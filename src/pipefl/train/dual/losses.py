r"""Losses of a margin, what they are in the dual, and the best value of one dual variable.

For the margin m = y wᵀx of a sample, and its dual variable α from 0 to 1:

========  ==================  =====================================  ==========================
loss      ℓ(m)                gain −ℓ*(−α)                           at the optimum
========  ==================  =====================================  ==========================
hinge     max(0, 1 − m)       α                                      α = 1 if m < 1, 0 if m > 1
logistic  ln(1 + exp(−m))     −α ln α − (1 − α) ln(1 − α)            α = 1 / (1 + exp(m))
========  ==================  =====================================  ==========================

ℓ*(u) = sup_m (u m − ℓ(m)) is the convex conjugate. Outside [0, 1] the gain is −∞.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray
from scipy.special import entr

from pipefl.errors import ArgumentError

LossName = Literal["logistic", "hinge"]

Array = NDArray[np.float64]

_LEAST_CURVATURE = 1e-200  # for a sample of zeros: as good as 0, and still a divisor
_LEAST_DUAL = 1e-16  # where Newton's method may begin: ln(α / (1 − α)) = −37
_CLOSE = 1e-6  # a last step so short leaves an error of half its square
_MOST_STEPS = 100  # far beyond ln(q) + 5, which is what it takes


@dataclass(frozen=True)
class Loss:
    r"""A loss as three functions of whole arrays.

    `value(margin)` is ℓ and `gain(variables)` is −ℓ*(−α). `best(variables, margin,
    curvature)` is the dual variable that maximises the dual, all others held fixed:

    .. math:: \operatorname*{arg\,max}_{a \in [0, 1]} \;
        -\ell^*(-a) - m\,(a - \alpha) - \tfrac{q}{2} (a - \alpha)^2

    Legend: α `variables` as they are; m `margin`, the slope there; q ≥ 0 `curvature`.
    """

    value: Callable[[Array], Array]
    gain: Callable[[Array], Array]
    best: Callable[[Array, Array, Array], Array]


def loss_called(name: LossName) -> Loss:
    """The loss of that name.

    >>> loss_called("hinge").value(np.array([-1.0, 0.5, 2.0]))
    array([2. , 0.5, 0. ])
    """
    if name not in _LOSSES:
        names = " or ".join(map(repr, get_args(LossName)))
        raise ArgumentError("loss", name, f"it must be {names}")
    return _LOSSES[name]


def _hinge(margin: Array) -> Array:
    return np.maximum(0.0, 1.0 - margin)


def _hinge_gain(variables: Array) -> Array:
    return np.where((variables >= 0) & (variables <= 1), variables, -np.inf)


def _best_for_hinge(variables: Array, margin: Array, curvature: Array) -> Array:
    """The maximum of a parabola, cut off at 0 and 1: α + (1 − m) / q."""
    step = (1.0 - margin) / np.maximum(curvature, _LEAST_CURVATURE)
    return np.minimum(np.maximum(variables + step, 0.0), 1.0)


def _logistic(margin: Array) -> Array:
    return np.logaddexp(0.0, -margin)


def _logistic_gain(variables: Array) -> Array:
    return np.asarray(entr(variables) + entr(1.0 - variables))


def _best_for_logistic(variables: Array, margin: Array, curvature: Array) -> Array:
    r"""The root of the derivative, by Newton's method in z = ln(a / (1 − a)).

    .. math:: f(z) = z + m + q\,(\sigma(z) - \alpha) = 0, \qquad
        \sigma(z) = \frac{1}{1 + e^{-z}}

    f rises, with a slope of at least 1. A root above 0 is brought below it by the mirror
    image z → −z, m → −m, α → 1 − α. Below 0, f is convex: wherever Newton's method begins,
    its first step lands above the root, where that is not beyond 0, and from there it
    falls to the root and cannot pass it. In this variable neither the steep ends of the
    entropy nor a large q needs a bracket or a line search.
    """
    above = margin + curvature * (0.5 - variables) < 0.0
    slope = np.where(above, -margin, margin)
    nearest = np.where(above, 1.0 - variables, variables)
    start = np.minimum(np.maximum(nearest, _LEAST_DUAL), 0.5)
    place = np.log(start / (1.0 - start))
    offset = slope - curvature * nearest
    for _ in range(_MOST_STEPS):
        power = np.exp(place)
        share = power / (1.0 + power)
        pull = curvature * share
        rise = 1.0 + pull * (1.0 - share)
        following = np.minimum(place - (place + offset + pull) / rise, 0.0)
        moved = np.abs(following - place).max(initial=0.0)
        place = following
        if moved < _CLOSE:
            break
    power = np.exp(place)
    share = power / (1.0 + power)
    return np.where(above, 1.0 - share, share)


_LOSSES = {
    "logistic": Loss(_logistic, _logistic_gain, _best_for_logistic),
    "hinge": Loss(_hinge, _hinge_gain, _best_for_hinge),
}
