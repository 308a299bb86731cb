"""The server's step: from the model and the clients' weighted update to the next model."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from pipefl.policies.fedat import FedAt
from pipefl.policies.scene import Scene
from pipefl.policies.step import Step

State = dict[str, Tensor]
ModelOf = Callable[[int], Tensor]


class Server(Protocol):
    """Takes one step after the other; what it remembers is part of a run's checkpoints."""

    def stepped(self, model: Tensor, update: Tensor, step: Step, model_of: ModelOf) -> Tensor:
        """The next model, P numbers in a new tensor; `model_of` gives the older versions."""
        ...

    def state(self) -> State:
        """What it remembers, as named tensors."""
        ...

    def restore(self, state: Mapping[str, Tensor]) -> None:
        """Remember this."""
        ...


@dataclass(frozen=True)
class AddingServer:
    r"""Adds the update: with a full gradient, Δ = −η g, that is gradient descent.

    .. math:: \mathbf{w}[t+1] = \mathbf{w}[t] + \eta_s\, u[t]

    Paper: eq:global_update, with the server's learning rate η_s = 1.
    """

    learning_rate: float = 1.0

    def stepped(self, model: Tensor, update: Tensor, step: Step, model_of: ModelOf) -> Tensor:
        """The sum."""
        return torch.add(model, update, alpha=self.learning_rate)

    def state(self) -> State:
        """Nothing."""
        return {}

    def restore(self, state: Mapping[str, Tensor]) -> None:
        """Nothing."""


class OptimiserServer:
    """Any torch optimiser, with the negated update for a gradient.

    From: Reddi et al., *Adaptive Federated Optimization* (2021), FedAvgM, FedAdam, FedYogi;
    Hsu et al. (2019) for momentum.
    """

    def __init__(self, make: Callable[[list[Tensor]], torch.optim.Optimizer], size: int) -> None:
        self._weights = torch.zeros(size)
        self._optimiser = make([self._weights])

    def stepped(self, model: Tensor, update: Tensor, step: Step, model_of: ModelOf) -> Tensor:
        """One step of the optimiser from the model."""
        self._weights.copy_(model)
        self._weights.grad = update.neg()
        self._optimiser.step()
        return self._weights.clone()

    def state(self) -> State:
        """The optimiser's tensors, by their names in it."""
        kept = self._optimiser.state[self._weights]
        return {
            name: value.clone() if isinstance(value, Tensor) else torch.tensor(value)
            for name, value in kept.items()
            if value is not None
        }

    def restore(self, state: Mapping[str, Tensor]) -> None:
        """Put them back."""
        self._optimiser.state[self._weights] = {
            name: value.clone() for name, value in state.items()
        }


class TierServer:
    r"""FedAT's server: a model for each tier, and their average for all.

    .. math:: w^{(k)} \leftarrow w[v] + u, \qquad w = \sum_k a_k\, w^{(k)}

    Legend: k the tier whose round has ended, v the version that its clients were given,
    a_k from `FedAt.weights`. Tiers without an update stand with the initial model.
    """

    def __init__(self, fedat: FedAt, scene: Scene, initial: Tensor) -> None:
        self._fedat = fedat
        self._tier_of: NDArray[np.intp] = fedat.tier_of(scene)
        self._models = initial.repeat(fedat.num_tiers, 1)
        self._num_updates = torch.zeros(fedat.num_tiers, dtype=torch.int64)

    def stepped(self, model: Tensor, update: Tensor, step: Step, model_of: ModelOf) -> Tensor:
        """The tier's model anew, then the average."""
        tier = int(self._tier_of[step.client[0]])
        self._models[tier] = model_of(int(step.version[0])) + update
        self._num_updates[tier] += 1
        weights = torch.from_numpy(self._fedat.weights(self._num_updates.numpy()))
        return weights.to(self._models.dtype) @ self._models

    def state(self) -> State:
        """The tiers' models, and how often each has updated."""
        return {"models": self._models.clone(), "num_updates": self._num_updates.clone()}

    def restore(self, state: Mapping[str, Tensor]) -> None:
        """Put them back."""
        self._models.copy_(state["models"])
        self._num_updates.copy_(state["num_updates"])
