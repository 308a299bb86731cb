"""CoCoA+ on arrays alone: whole rounds, without a clock and without a network."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pipefl.data.federated import Samples
from pipefl.randomness import generator
from pipefl.train.dual.losses import LossName
from pipefl.train.dual.sdca import local_dual_steps

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Progress:
    """The server's weights, C × (d + 1), and what each client keeps: its α, C × n_m."""

    weights: Array
    dual: tuple[Array, ...]


def start(clients: Sequence[Samples], num_rows: int) -> Progress:
    """The beginning, w = 0 and α = 0, where every client's share in w(α) = 0 is right."""
    weights = np.zeros((num_rows, clients[0].inputs.shape[1]))
    return Progress(weights, tuple(np.zeros((num_rows, len(client))) for client in clients))


def cocoa_round(
    progress: Progress,
    clients: Sequence[Samples],
    cohort: ArrayLike,
    *,
    loss: LossName,
    regularisation: float,
    epochs: int = 1,
    seed: int = 0,
    round_index: int = 0,
) -> Progress:
    r"""One round: the clients of the cohort raise their parts of the dual, and all is added up.

    .. math:: w[t+1] = w[t] + \sum_{m \in \mathcal{S}} \Delta w_m, \qquad
        \alpha_{(m)}[t+1] = \alpha_{(m)}[t] + \Delta\alpha_{(m)} \text{ for } m \in \mathcal{S}

    Legend: 𝒮 `cohort`, different clients; Δw_m and Δα of `local_dual_steps`, with the
    number of these clients for σ'. Others' work of the same round is neither averaged nor
    scaled down, since σ' has already allowed for it: the dual cannot fall. w = w(α) holds
    after each round. `clients` have inputs with a last column of ones.

    >>> two = [Samples(np.array([[2.0, 1.0]]), np.array([1])),
    ...        Samples(np.array([[-2.0, 1.0]]), np.array([-1]))]
    >>> after = cocoa_round(start(two, 1), two, [0, 1], loss="hinge", regularisation=2.5)
    >>> after.weights, after.dual  # α = (1 − 0) / (2 · 5 / (2.5 · 2)), and w as in `weights_of`
    (array([[0.4, 0. ]]), (array([[0.5]]), array([[0.5]])))
    """
    members = np.unique(np.asarray(cohort, dtype=np.intp)).tolist()
    weights, dual = progress.weights.copy(), list(progress.dual)
    for client in members:
        change, dual[client] = local_dual_steps(
            clients[client].inputs,
            clients[client].targets,
            progress.weights,
            dual[client],
            loss=loss,
            regularisation=regularisation,
            num_all_samples=sum(map(len, clients)),
            safety=len(members),
            epochs=epochs,
            rng=generator(seed, "dual steps", round_index, client),
        )
        weights += change
    return Progress(weights, tuple(dual))
