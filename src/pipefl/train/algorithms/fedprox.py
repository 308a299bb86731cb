"""FedProx: local work that is held near the model it began with."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from pipefl.checks import non_negative
from pipefl.train.algorithms.algorithm import Reply, Sent, one_by_one
from pipefl.train.algorithms.descent import descended
from pipefl.train.work import Job, Unit, UnitResult
from pipefl.train.workplace import Workplace


@dataclass(frozen=True)
class FedProx:
    r"""Gradient descent on the client's loss plus a spring to the model that it was given.

    .. math:: w \leftarrow w - \eta \big( \nabla F_\mathcal{B}(w) + \mu\, (w - w[t]) \big)

    From: Li et al., *Federated Optimization in Heterogeneous Networks* (2020).

    Legend: μ `proximal`, 0 for plain `local-sgd`; η the learning rate.
    """

    proximal: float = 0.01
    name: str = "fedprox"
    num_replies: int = 1
    additive: bool = False

    def __post_init__(self) -> None:
        non_negative("proximal", self.proximal, "no unit")

    def start(self, num_parameters: int) -> Tensor:
        """Nothing but the model is sent."""
        return torch.zeros(0, num_parameters)

    def work(self, place: Workplace, units: Sequence[Unit], sent: Sent) -> list[UnitResult]:
        """One client after the other."""
        return one_by_one(place, units, sent, self._reply)

    def own_share(self, num_samples: int, all_samples: int) -> tuple[float, ...]:
        """One reply, so none."""
        return ()

    def after(self, vectors: Tensor, sums: Tensor) -> Tensor:
        """Nothing is kept."""
        return vectors

    def _reply(self, place: Workplace, job: Job, sent: Tensor, cohort_size: int) -> Reply:
        pull = place.diligence.learning_rate * self.proximal
        change, loss = descended(place, job, sent[0], lambda w: (w - sent[0]).mul_(pull))
        return change, loss, None
