"""CS-GD's local work: one gradient over all of a client's samples."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from pipefl.train.algorithms.algorithm import Reply, Sent, one_by_one
from pipefl.train.work import Job, Report, Unit, UnitResult, refusal
from pipefl.train.workplace import Workplace

_CHUNK = 256  # samples at a time: enough to keep the processor busy, few enough for its cache


@dataclass(frozen=True)
class FullGradient:
    r"""One step along the whole gradient: the reply is Δ = −η g.

    .. math:: \mathbf{g}_m[t] = \frac{1}{n_m} \sum_{i=1}^{n_m}
        \nabla l(\mathbf{w}[t], x_m^i, y_m^i)

    Paper: eq:local_gradient, for alg:csgd; with the average of eq:gradients_averaging and a
    server that adds it, the step is eq:global_update.

    All clients of a round hold the same weights, so that a weighted sum of their gradients
    is one gradient over the union of their samples, each with its client's factor. It is
    taken over chunks that do not stop at clients' borders. A client's own gradient is then
    not known, and `largest_update` bounds their average; where that is too long, or not
    finite, clients are judged one by one.
    """

    name: str = "full-gradient"
    num_replies: int = 1
    additive: bool = False

    def start(self, num_parameters: int) -> Tensor:
        """Nothing but the model is sent."""
        return torch.zeros(0, num_parameters)

    def work(self, place: Workplace, units: Sequence[Unit], sent: Sent) -> list[UnitResult]:
        """One gradient a unit, or one a client where that cannot be."""
        return [self._unit(place, unit, sent) for unit in units]

    def own_share(self, num_samples: int, all_samples: int) -> tuple[float, ...]:
        """One reply, so none."""
        return ()

    def after(self, vectors: Tensor, sums: Tensor) -> Tensor:
        """Nothing is kept."""
        return vectors

    def _unit(self, place: Workplace, unit: Unit, sent: Sent) -> UnitResult:
        versions = {job.version for job in unit.jobs}
        if len(versions) == 1:
            result = _union(place, unit, sent[versions.pop()][0])
            if result is not None:
                return result
        return one_by_one(place, [unit], sent, _reply)[0]


def _union(place: Workplace, unit: Unit, weights: Tensor) -> UnitResult | None:
    """The unit as one gradient; None if some client's part of it cannot be used."""
    samples = np.concatenate([place.samples_of(job.client) for job in unit.jobs])
    sizes = [place.samples_of(job.client).size for job in unit.jobs]
    factors = [job.share[0] / size for job, size in zip(unit.jobs, sizes, strict=True)]
    total, losses = _gradient(place, weights, samples, np.repeat(factors, sizes))
    means = [float(part.double().mean()) for part in losses.split_with_sizes(sizes)]
    total.mul_(-place.diligence.learning_rate)
    whole_share = sum(abs(job.share[0]) for job in unit.jobs)
    if not np.isfinite(means).all() or refusal(total, place.diligence.largest_update * whole_share):
        return None
    reports = [Report(job.client, mean) for job, mean in zip(unit.jobs, means, strict=True)]
    return UnitResult(total.unsqueeze(0), tuple(reports))


def _reply(place: Workplace, job: Job, sent: Tensor, cohort_size: int) -> Reply:
    samples = place.samples_of(job.client)
    share = np.full(samples.size, 1.0 / samples.size)
    gradient, losses = _gradient(place, sent[0], samples, share)
    return (
        gradient.mul_(-place.diligence.learning_rate).unsqueeze(0),
        float(losses.double().mean()),
        None,
    )


def _gradient(
    place: Workplace, weights: Tensor, samples: NDArray[np.int64], share: NDArray[np.float64]
) -> tuple[Tensor, Tensor]:
    """Σ share_i ∇l_i and the samples' losses."""
    total = torch.zeros_like(weights)
    losses = []
    for first in range(0, samples.size, _CHUNK):
        part = samples[first : first + _CHUNK]
        factor = torch.from_numpy(share[first : first + _CHUNK]).float()
        inputs, targets = place.inputs(part), place.targets(part)
        losses.append(place.model.add_gradient(weights, inputs, targets, factor, total))
    return total, torch.cat(losses)
