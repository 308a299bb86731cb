"""CoCoA+: the dual method, for linear models."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from pipefl.checks import positive
from pipefl.models.layout import Layout
from pipefl.randomness import generator
from pipefl.train.algorithms.algorithm import Reply, Sent, one_by_one
from pipefl.train.dual.losses import LossName, loss_called
from pipefl.train.dual.objective import mean_loss
from pipefl.train.dual.sdca import local_dual_steps
from pipefl.train.work import Job, Unit, UnitResult
from pipefl.train.workplace import Workplace

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Cocoa:
    r"""Every client keeps its part α of the dual variables, and raises the dual along them.

    .. math:: \min_w \frac{\lambda}{2} \|w\|^2 + \frac{1}{n} \sum_{i=1}^{n} \sum_{c=1}^{C}
        \ell(y_{ic}\, w_c^T x_i), \qquad
        w[t+1] = w[t] + \sum_{m \in \mathcal{S}[t]} \Delta w_m

    C binary problems, each class against the rest, by logistic regression or a support
    vector machine (`objective`); the class with the largest score is the answer. Clients'
    changes are added up as they are, whatever their numbers of samples: w = w(α) must hold.
    So a step is that of a round, and the server adds with a learning rate of 1. There is no
    learning rate; `local_epochs` goes through a client's samples as often (`sdca`).

    From: Ma et al., *Adding vs. Averaging in Distributed Primal-Dual Optimization* (2015).
    The paper means its scheduling for "both primal or dual optimization methods".

    Legend: λ `regularisation`, of the bias as well; ℓ `loss`; n the samples of all clients;
    𝒮[t] the cohort, whose size is the factor σ' by which each of its clients holds back.
    Clients keep C n_m numbers each. Weights are float32, so that w is w(α) but for rounding;
    the objective is as close to its least value as the square of that.
    """

    regularisation: float = 1e-4
    loss: LossName = "logistic"
    name: str = "cocoa"
    num_replies: int = 1
    additive: bool = True

    def __post_init__(self) -> None:
        positive("regularisation", self.regularisation, "no unit")
        loss_called(self.loss)

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
        samples = place.samples_of(job.client)
        inputs, targets = with_ones(place.inputs(samples)), place.targets(samples).numpy()
        weights = as_rows(place.model.layout, sent[0])
        own = np.zeros((len(weights), samples.size)) if job.own is None else job.own[0]
        change, dual = local_dual_steps(
            inputs,
            targets,
            weights,
            own,
            loss=self.loss,
            regularisation=self.regularisation,
            num_all_samples=len(place.train),
            safety=cohort_size,
            epochs=place.diligence.local_epochs,
            rng=generator(place.diligence.seed, "dual steps", *job.key),
        )
        loss = mean_loss(weights, inputs, targets, loss=self.loss)
        return as_vector(place.model.layout, change).unsqueeze(0), loss, (dual,)


def with_ones(inputs: Tensor) -> NDArray[np.float32]:
    """Prepared inputs as rows, with a last column of ones for the bias."""
    rows = inputs.flatten(1).cpu().numpy()
    return np.hstack([rows, np.ones((len(rows), 1), np.float32)])


def as_rows(layout: Layout, weights: Tensor) -> Array:
    """A linear model's weights and biases as one array, C × (d + 1)."""
    weight, bias = layout.views(weights)
    return torch.cat([weight, bias.unsqueeze(1)], 1).double().numpy()


def as_vector(layout: Layout, rows: Array) -> Tensor:
    """The other way round, in the precision of a model."""
    vector = torch.empty(layout.num_parameters)
    weight, bias = layout.views(vector)
    weight.copy_(torch.from_numpy(rows[:, :-1]))
    bias.copy_(torch.from_numpy(rows[:, -1]))
    return vector
