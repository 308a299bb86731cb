"""A client's work in the dual method: ascent along one dual variable after the other."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pipefl.checks import count, positive
from pipefl.errors import ArgumentError
from pipefl.train.dual.labels import signs
from pipefl.train.dual.losses import Loss, LossName, loss_called

Array = NDArray[np.float64]

_BLOCK = 256  # samples whose inner products are worked out at once; their square is kept


def local_dual_steps(
    inputs: NDArray[Any],
    targets: ArrayLike,
    weights: NDArray[Any],
    dual: Array,
    *,
    loss: LossName,
    regularisation: float,
    num_all_samples: int,
    safety: float,
    epochs: int,
    rng: np.random.Generator,
) -> tuple[Array, Array]:
    r"""What to add to the weights, C × (d + 1), and the client's new dual variables, C × n_m.

    Client m holds some of the samples, and with them some of the variables of the dual
    (`objective`). It is sent w and raises its own variables by Δα, to raise

    .. math:: \mathcal{G}_m^{\sigma'}(\Delta\alpha) = \frac{1}{n} \sum_{i \in \mathcal{D}_m}
        \Big( \ell^*(-\alpha_i) - \ell^*(-\alpha_i - \Delta\alpha_i)
        - \Delta\alpha_i\, y_i w^T x_i \Big)
        - \frac{\lambda \sigma'}{2} \|\Delta w\|^2, \qquad
        \Delta w = \frac{1}{\lambda n} \sum_{i \in \mathcal{D}_m} y_i \Delta\alpha_i x_i

    which is the change of the dual but for the factor σ'. That factor stands for what the
    others do meanwhile: ‖Σ Δw‖² ≤ σ' Σ ‖Δw‖² for any σ' clients, so if so many at most
    add their Δw to the same w, the dual rises by no less than the sum of their 𝒢.

    Each variable in turn is set to its best value, exactly (`losses`), in an order that is
    drawn anew for each of the epochs. With q_i = σ' ‖x_i‖² / (λ n) and v = w + σ' Δw, it is

    .. math:: \alpha_i \leftarrow \operatorname*{arg\,max}_{a} \;
        -\ell^*(-a) - (a - \alpha_i)\, y_i v^T x_i - \tfrac{q_i}{2} (a - \alpha_i)^2

    From: Ma et al., *Adding vs. Averaging in Distributed Primal-Dual Optimization* (2015),
    with γ = 1; Smith et al., *CoCoA: A General Framework for Communication-Efficient
    Distributed Optimization* (2018). Coordinate ascent: Shalev-Shwartz and Zhang (2013).

    Legend: λ `regularisation`, n `num_all_samples` of all clients, σ' `safety`, the number
    of clients in the cohort; a smaller one takes larger steps and may diverge. `inputs`
    end with a column of ones for the bias; for C = 1 the `targets` are ±1. A first `dual`
    is all zeros, with w = 0. Keep Δα only if Δw is added: w = w(α) must hold for the sum.

    All C classes go side by side, and inner products come from Gram matrices of up to
    B = 256 samples: O(n_m B (C + d) + n_m C d) an epoch.

    >>> change, dual = local_dual_steps(
    ...     np.array([[1.0, 1.0]]), [1], np.zeros((1, 2)), np.zeros((1, 1)), loss="hinge",
    ...     regularisation=0.5, num_all_samples=2, safety=2, epochs=1,
    ...     rng=np.random.default_rng(0))
    >>> change, dual  # α = (1 − 0) / q, with q = 2 · 2 / (0.5 · 2)
    (array([[0.25, 0.25]]), array([[0.25]]))
    """
    ascended = loss_called(loss)
    scale = 1 / (positive("regularisation", regularisation, "no unit") * num_all_samples)
    factor = positive("safety", safety, "no unit") * scale
    label = signs(targets, len(weights))
    _check_shapes(inputs, label, weights, dual)
    variables = dual.T.astype(np.float64)  # a sample a row, and a copy
    change = np.zeros(weights.shape)
    for _ in range(count("epochs", epochs)):
        order = rng.permutation(len(inputs))
        for rows in np.split(order, range(_BLOCK, order.size, _BLOCK)):
            part = inputs[rows].astype(np.float64)
            score = part @ (weights + safety * change).T
            coupling = factor * (part @ part.T)
            raised = _swept(ascended, variables[rows], label[rows], score, coupling)
            change += scale * ((raised - variables[rows]) * label[rows]).T @ part
            variables[rows] = raised
    return change, np.ascontiguousarray(variables.T)


def _swept(loss: Loss, variables: Array, label: Array, score: Array, coupling: Array) -> Array:
    """The variables of a block, B × C, after one step along each of them, in order.

    `score` is Xvᵀ, B × C; `coupling` says by how much a step of one sample's signed
    variables moves the scores of all: σ' XXᵀ / (λn), B × B.
    """
    raised = np.empty_like(variables)
    for row, (now, sign) in enumerate(zip(variables, label, strict=True)):
        best = loss.best(now, sign * score[row], coupling[row, row])
        raised[row] = best
        score[row + 1 :] += coupling[row + 1 :, row, np.newaxis] * (sign * (best - now))
    return raised


def _check_shapes(
    inputs: NDArray[Any], label: Array, weights: NDArray[Any], dual: NDArray[Any]
) -> None:
    """Every sample has a label and C dual variables, and every input a weight."""
    if weights.ndim != 2 or inputs.shape != (len(label), weights.shape[1]):
        accepted = f"{len(label)} labels and weights of shape {weights.shape} do not go with it"
        raise ArgumentError("inputs.shape", inputs.shape, accepted)
    expected = (len(weights), len(inputs))
    if dual.shape != expected:
        raise ArgumentError("dual.shape", dual.shape, f"it must be {expected}")
