"""Federated averaging's local work: epochs of minibatch gradient descent."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from pipefl.train.algorithms.algorithm import Adding, Reply, Sent, one_by_one
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

    Models that say so are trained several clients at a time, which changes no bit.
    """

    name: str = "local-sgd"
    num_replies: int = 1
    additive: bool = False

    def start(self, num_parameters: int) -> Tensor:
        """Nothing but the model is sent."""
        return torch.zeros(0, num_parameters)

    def work(self, place: Workplace, units: Sequence[Unit], sent: Sent) -> list[UnitResult]:
        """One client after the other, or stacks of them side by side."""
        if place.model.stack > 1:
            return _side_by_side(place, units, sent)
        return one_by_one(place, units, sent, _reply)

    def own_share(self, num_samples: int, all_samples: int) -> tuple[float, ...]:
        """One reply, so none."""
        return ()

    def after(self, vectors: Tensor, sums: Tensor) -> Tensor:
        """Nothing is kept."""
        return vectors


def _reply(place: Workplace, job: Job, sent: Tensor, cohort_size: int) -> Reply:
    change, loss = descended(place, job, sent[0])
    return change, loss, None


def _side_by_side(place: Workplace, units: Sequence[Unit], sent: Sent) -> list[UnitResult]:
    """Stacks of clients with like numbers of steps, whatever units they are from."""
    jobs = [job for unit in units for job in unit.jobs]
    by_steps = np.argsort([-place.num_steps(job.client) for job in jobs], kind="stable")
    replies: dict[int, Reply] = {}
    for first in range(0, len(jobs), place.model.stack):
        chosen = by_steps[first : first + place.model.stack].tolist()
        changes, losses = _stack(place, [jobs[each] for each in chosen], sent)
        for row, each in enumerate(chosen):
            replies[each] = (changes[row : row + 1], losses[row], None)
    results, done = [], 0
    for unit in units:
        adding = Adding(place)
        for job in unit.jobs:
            adding.add(job, replies[done])
            done += 1
        results.append(adding.result())
    return results


def _stack(place: Workplace, jobs: Sequence[Job], sent: Sent) -> tuple[Tensor, list[float]]:
    """Changes and losses of jobs in falling order of steps: those still at it come first."""
    weights = torch.stack([sent[job.version][0] for job in jobs])
    batches = [list(place.batches(job)) for job in jobs]
    loss = torch.zeros(len(jobs), dtype=torch.float64)
    for step in range(len(batches[0])):
        now = [own[step] for own in batches if step < len(own)]
        counts = torch.tensor([batch.size for batch in now])
        samples = np.zeros((len(now), place.diligence.batch_size), dtype=np.int64)
        for row, batch in zip(samples, now, strict=True):
            row[:] = batch[0]  # a sample of its own, which counts for nothing
            row[: batch.size] = batch
        inputs = place.inputs(samples.ravel())
        losses = place.model.descend_stack(
            weights[: len(now)],
            inputs.view(*samples.shape, *inputs.shape[1:]),
            place.targets(samples),
            counts,
            place.diligence.learning_rate,
        )
        loss[: len(now)] += losses.double() * counts
    sizes = torch.tensor([sum(batch.size for batch in own) for own in batches])
    for row, job in zip(weights, jobs, strict=True):
        row.sub_(sent[job.version][0])
    return weights, (loss / sizes).tolist()
