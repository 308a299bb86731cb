r"""What the dual method minimises, what it maximises, and the gap between the two.

The primal problem is a linear model with weights w in the squared norm and a loss ℓ of its
margins on all n samples; the dual has one variable for each of these:

.. math:: P(w) = \frac{\lambda}{2} \|w\|^2 + \frac{1}{n} \sum_{i=1}^{n} \ell(y_i w^T x_i),
    \qquad
    D(\alpha) = \frac{1}{n} \sum_{i=1}^{n} -\ell^*(-\alpha_i)
    - \frac{\lambda}{2} \|w(\alpha)\|^2, \qquad
    w(\alpha) = \frac{1}{\lambda n} \sum_{i=1}^{n} y_i \alpha_i x_i

P(w) ≥ D(α) for every w and α, and they meet at the optimum, where w = w(α). So the gap
P(w) − D(α) bounds how far w still is from the best P, without knowing the best.

With C classes there are C such problems, one against the rest, and everything here is the
sum over them. Arrays: `inputs` n × (d + 1) with a last column of ones, whose weight is the
bias, so that **the bias is regularised too**; `targets` n classes, or ±1 where C is 1;
`weights` C × (d + 1); `variables` α, C × n.

Each function takes O(C n d).
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pipefl.checks import positive
from pipefl.train.dual.labels import signs
from pipefl.train.dual.losses import LossName, loss_called

Array = NDArray[np.float64]


def primal(
    weights: Array,
    inputs: NDArray[Any],
    targets: ArrayLike,
    *,
    loss: LossName,
    regularisation: float,
) -> float:
    """P(w), with λ `regularisation`.

    >>> primal(np.array([[1.0, 0.0]]), np.array([[3.0, 1.0], [0.5, 1.0]]), [1, 1],
    ...        loss="hinge", regularisation=0.1)
    0.3
    """
    squared = float(np.vdot(weights, weights))
    penalty = positive("regularisation", regularisation, "no unit") / 2 * squared
    return penalty + mean_loss(weights, inputs, targets, loss=loss)


def mean_loss(weights: Array, inputs: NDArray[Any], targets: ArrayLike, *, loss: LossName) -> float:
    """The mean over these samples of the loss, added up over the classes."""
    margins = signs(targets, len(weights)) * (inputs @ weights.T)
    return float(loss_called(loss).value(margins).sum() / len(margins))


def dual(
    variables: Array,
    inputs: NDArray[Any],
    targets: ArrayLike,
    *,
    loss: LossName,
    regularisation: float,
) -> float:
    """D(α), −∞ if a variable is outside [0, 1].

    >>> dual(np.array([[1.0, 0.5]]), np.array([[1.0, 1.0], [2.0, 1.0]]), [1, -1],
    ...      loss="hinge", regularisation=0.5)
    0.6875
    """
    weights = weights_of(variables, inputs, targets, regularisation=regularisation)
    gain = float(loss_called(loss).gain(variables).sum())
    return gain / len(inputs) - regularisation / 2 * float(np.vdot(weights, weights))


def duality_gap(
    weights: Array,
    variables: Array,
    inputs: NDArray[Any],
    targets: ArrayLike,
    *,
    loss: LossName,
    regularisation: float,
) -> float:
    """P(w) − D(α): at least 0, and no less than P(w) is above its least value."""
    above = primal(weights, inputs, targets, loss=loss, regularisation=regularisation)
    return above - dual(variables, inputs, targets, loss=loss, regularisation=regularisation)


def weights_of(
    variables: Array,
    inputs: NDArray[Any],
    targets: ArrayLike,
    *,
    regularisation: float,
    num_all_samples: int | None = None,
) -> Array:
    """w(α), C × (d + 1): of some clients' samples their part in it, if n is given.

    >>> weights_of(np.array([[1.0, 0.5]]), np.array([[1.0, 1.0], [2.0, 1.0]]), [1, -1],
    ...            regularisation=0.5)
    array([[0. , 0.5]])
    """
    divisor = positive("regularisation", regularisation, "no unit") * (
        num_all_samples or len(inputs)
    )
    signed = variables * signs(targets, len(variables)).T
    return np.asarray(signed @ inputs, dtype=np.float64) / divisor
