"""SCAFFOLD: local work corrected by what all clients' gradients have in common."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from pipefl.train.algorithms.algorithm import Reply, Sent, one_by_one
from pipefl.train.algorithms.descent import descended
from pipefl.train.work import Job, Unit, UnitResult
from pipefl.train.workplace import Workplace


@dataclass(frozen=True)
class Scaffold:
    r"""Gradient descent with the client's drift c_m replaced by the common one, c.

    .. math:: w \leftarrow w - \eta \big( \nabla F_\mathcal{B}(w) - c_m + c \big), \qquad
        c_m^+ = c_m - c + \frac{w[t] - w}{J \eta}, \qquad
        c \leftarrow c + \sum_{m \in \mathcal{S}} p_m (c_m^+ - c_m)

    From: Karimireddy et al., *SCAFFOLD: Stochastic Controlled Averaging for Federated
    Learning* (2020), its second option for c_m; c weights clients by p_m = n_m / n, as the
    paper's average does. Uploads are twice as long as others': set `upload_time_s` so.

    Legend: J steps of a job; every client that took part keeps its c_m, which takes P
    numbers of memory for each of them.
    """

    name: str = "scaffold"
    num_replies: int = 2
    additive: bool = False

    def start(self, num_parameters: int) -> Tensor:
        """The common drift, c = 0 at first, is sent beside the model."""
        return torch.zeros(1, num_parameters)

    def work(self, place: Workplace, units: Sequence[Unit], sent: Sent) -> list[UnitResult]:
        """One client after the other."""
        return one_by_one(place, units, sent, _reply)

    def own_share(self, num_samples: int, all_samples: int) -> tuple[float, ...]:
        """p_m on the change of c_m."""
        return (num_samples / all_samples,)

    def after(self, vectors: Tensor, sums: Tensor) -> Tensor:
        """The new c."""
        return vectors + sums[1:]


def _reply(place: Workplace, job: Job, sent: Tensor, cohort_size: int) -> Reply:
    model, common = sent[0], sent[1]
    drift = torch.zeros_like(common) if job.own is None else torch.tensor(job.own[0])
    correction = (common - drift).mul_(place.diligence.learning_rate)
    change, loss = descended(place, job, model, lambda _: correction)
    travelled = -change[0] / (place.num_steps(job.client) * place.diligence.learning_rate)
    drift_change = travelled - common
    return torch.stack([change[0], drift_change]), loss, ((drift + drift_change).numpy(),)
