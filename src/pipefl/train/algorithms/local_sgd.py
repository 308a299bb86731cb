"""Federated averaging's local work: epochs of minibatch gradient descent."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from pipefl.models.joint import COMPANY, JointTraining, Lessons
from pipefl.train.algorithms.algorithm import Adding, Sent
from pipefl.train.algorithms.descent import descended
from pipefl.train.work import Job, Unit, UnitResult
from pipefl.train.workplace import Workplace


@dataclass(frozen=True)
class LocalSgd:
    r"""E epochs of gradient descent in batches of B; the change of the model is the reply.

    .. math:: w \leftarrow w - \eta\, \frac{1}{|\mathcal{B}|}
        \sum_{i \in \mathcal{B}} \nabla l(w, x_m^i, y_m^i) \quad
        \text{for each batch } \mathcal{B}, \qquad \Delta_m = w - w[t]

    From: McMahan et al., *Communication-Efficient Learning of Deep Networks from
    Decentralized Data* (2017). Paper: sec:simulations, with E = 1 and B = 16 or 10.

    Clients that begin with the same weights are trained together where the model can do that
    faster; who is with whom depends on the unit alone.
    """

    name: str = "local-sgd"
    num_replies: int = 1
    additive: bool = False

    def start(self, num_parameters: int) -> Tensor:
        """Nothing but the model is sent."""
        return torch.zeros(0, num_parameters)

    def work(self, place: Workplace, units: Sequence[Unit], sent: Sent) -> list[UnitResult]:
        """Companies of clients together, and one by one those that are better by themselves."""
        return [_unit(place, unit, sent) for unit in units]

    def own_share(self, num_samples: int, all_samples: int) -> tuple[float, ...]:
        """One reply, so none."""
        return ()

    def after(self, vectors: Tensor, sums: Tensor) -> Tensor:
        """Nothing is kept."""
        return vectors


def _unit(place: Workplace, unit: Unit, sent: Sent) -> UnitResult:
    adding = Adding(place)
    alone = list(unit.jobs)
    if place.model.joint is not None:
        for jobs in _companies(place, place.model.joint, unit.jobs):
            start = sent[jobs[0].version][0]
            adding.add_joint(jobs, place.model.joint.train(start, _lessons(place, jobs)))
            alone = [job for job in alone if job not in jobs]
    for job in alone:
        change, loss = descended(place, job, sent[job.version][0])
        adding.add(job, (change, loss, None))
    return adding.result(unit)


def _companies(place: Workplace, joint: JointTraining, jobs: Sequence[Job]) -> Iterator[list[Job]]:
    """Jobs of one version that are better done together, in falling order of steps."""
    for version in sorted({job.version for job in jobs}):
        own = [j for j in jobs if j.version == version and _rows(place, j) <= joint.most_rows]
        own.sort(key=lambda job: -place.num_steps(job.client))
        for first in range(0, len(own), COMPANY):
            company = own[first : first + COMPANY]
            if len(company) > 1 or joint.company == 1:  # side by side there must be two
                yield company


def _rows(place: Workplace, job: Job) -> int:
    """Samples that a job goes through, each as often as it does."""
    return place.num_samples_of(job.client) * place.diligence.local_epochs


def _lessons(place: Workplace, jobs: Sequence[Job]) -> Lessons:
    """The jobs' batches side by side, filled up with samples that do not count."""
    batches = [list(place.batches(job)) for job in jobs]
    size = max(batch.size for own in batches for batch in own)
    samples = np.zeros((len(batches[0]), len(jobs), size), dtype=np.int64)
    counts = np.zeros(samples.shape[:2], dtype=np.int64)
    for g, own in enumerate(batches):
        samples[:, g] = own[0][0]
        for step, batch in enumerate(own):
            samples[step, g, : batch.size] = batch
            counts[step, g] = batch.size
    inputs = place.inputs(samples.ravel())
    inputs = inputs.view(*samples.shape, *inputs.shape[1:])
    return Lessons(inputs, place.targets(samples), counts, place.diligence.learning_rate)
