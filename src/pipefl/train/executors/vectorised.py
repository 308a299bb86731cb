"""All clients of a step as one batched program, for accelerators."""

from collections.abc import Sequence
from typing import Protocol, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.func import grad_and_value, vmap

from pipefl.errors import ArgumentError
from pipefl.models.loss import PADDING, sample_losses
from pipefl.models.model import Model
from pipefl.train.algorithms.algorithm import Adding, Algorithm, Reply
from pipefl.train.algorithms.full_gradient import FullGradient
from pipefl.train.algorithms.local_sgd import LocalSgd
from pipefl.train.executors.executor import one_thread
from pipefl.train.work import Job, Judgement, Unit, UnitResult
from pipefl.train.workplace import Workplace

_AT_ONCE = 64  # clients, each with weights and a gradient of its own on the device


class Vectorised:
    r"""An executor that takes a step of every client of a cohort at once, on the model's device.

    .. math:: W_g \leftarrow W_g - \eta\, \nabla_{W_g} \sum_{i=1}^{B} f_{gi}\,
        l(W_g, x_{gi}, y_{gi}), \qquad g = 1, \dots, G

    One program (`torch.func.vmap` over clients of `torch.func.grad`) for all G clients: few
    large kernels instead of many small ones, which is what accelerators want. Batches are
    filled up to the largest one, B samples at most, and the factor f of a sample that does
    not count is 0. Clients that are done leave, those with most steps being the first rows;
    more than 64 clients go 64 at a time.

    It trains `local-sgd`; with `full-gradient`, clients' gradients are one gradient over the
    union of their samples anyway. What it gives is what `serial` gives but for the rounding
    of float32, not to the bit. It was not measured on an accelerator: on a processor it is
    tested, and slower than the others.

    Memory: 64 (3 P + B samples and what the model keeps of them).
    """

    def __init__(self, place: Workplace, algorithm: Algorithm) -> None:
        if not isinstance(algorithm, LocalSgd | FullGradient):
            accepted = f"vectorised trains local-sgd and full-gradient only; {algorithm.name} is"
            raise ArgumentError("executor", "vectorised", f"{accepted} for serial or processes")
        self._place = place
        self._algorithm = algorithm
        self._device = place.inputs(np.zeros(1, np.int64)).device
        self._program = _program(place.model, self._device)
        self._sent: dict[int, Tensor] = {}

    def publish(self, version: int, vectors: Tensor) -> None:
        """Bring the vectors to the device."""
        self._sent[version] = vectors.to(self._device)

    def forget(self, before: int) -> None:
        """Let go of older versions."""
        for version in [each for each in self._sent if each < before]:
            del self._sent[version]

    def work(self, units: Sequence[Unit]) -> list[UnitResult]:
        """All units together; the sums are taken unit by unit, as everywhere."""
        with one_thread():
            if isinstance(self._algorithm, FullGradient):
                results = self._algorithm.work(self._place, units, self._sent)
                return [UnitResult(each.sums.cpu(), each.reports) for each in results]
            return self._side_by_side(units)

    def judge(self, version: int, chunks: Sequence[NDArray[np.int64]]) -> list[Judgement]:
        """One chunk after the other."""
        weights = self._sent[version][0]
        with one_thread():
            return [self._place.judged(weights, chunk) for chunk in chunks]

    def close(self) -> None:
        """Let go of everything on the device."""
        self._sent.clear()

    def _side_by_side(self, units: Sequence[Unit]) -> list[UnitResult]:
        jobs = [job for unit in units for job in unit.jobs]
        longest_first = sorted(jobs, key=lambda job: -self._place.num_steps(job.client))
        replies: dict[int, Reply] = {}
        for first in range(0, len(jobs), _AT_ONCE):
            part = longest_first[first : first + _AT_ONCE]
            changes, losses = self._trained(part)
            for job, change, loss in zip(part, changes, losses, strict=True):
                replies[id(job)] = (change.unsqueeze(0), loss, None)
        results = []
        for unit in units:
            adding = Adding(self._place)
            for job in unit.jobs:
                adding.add(job, replies[id(job)])
            results.append(adding.result(unit))
        return results

    def _trained(self, jobs: Sequence[Job]) -> tuple[Tensor, list[float]]:
        """Changes, G × P, and mean losses of clients in falling order of their steps."""
        place = self._place
        start = torch.stack([self._sent[job.version][0] for job in jobs])
        weights = start.clone()
        batches = [list(place.batches(job)) for job in jobs]
        total = torch.zeros(len(jobs), dtype=torch.float64)
        for step in range(len(batches[0])):
            now = [own[step] for own in batches if step < len(own)]
            gradients, losses = self._program(weights[: len(now)], *self._filled_up(now))
            weights[: len(now)].sub_(gradients, alpha=place.diligence.learning_rate)
            sizes = torch.tensor([batch.size for batch in now], dtype=torch.float64)
            total[: len(now)] += losses.cpu().double() * sizes
        num_seen = torch.tensor([sum(batch.size for batch in own) for own in batches])
        return weights.sub_(start).cpu(), (total / num_seen).tolist()

    def _filled_up(self, batches: Sequence[NDArray[np.int64]]) -> tuple[Tensor, Tensor, Tensor]:
        """Inputs and targets, G × B, and each sample's factor in its client's mean loss."""
        size = max(batch.size for batch in batches)  # clients may have fewer than B samples
        samples = np.stack([np.resize(batch, size) for batch in batches])
        targets = self._place.targets(samples)
        counts = torch.arange(size) < torch.tensor([[batch.size] for batch in batches])
        answers = (targets != PADDING).sum(2) if targets.dim() == 3 else torch.ones(samples.shape)
        factor = answers * counts  # the mean is over tokens, where samples are texts
        factor = factor / factor.sum(1, keepdim=True).clamp(min=1)
        inputs = self._place.inputs(samples.ravel())
        by_client = torch.unflatten(inputs, 0, samples.shape)
        return by_client, targets.to(self._device), factor.to(self._device)


class _Program(Protocol):
    def __call__(
        self, weights: Tensor, inputs: Tensor, targets: Tensor, factor: Tensor, /
    ) -> tuple[Tensor, Tensor]:
        """From G × P weights and G × B samples to gradients, G × P, and G losses."""
        ...


def _program(model: Model, device: torch.device) -> _Program:
    in_bf16 = model.precision == "bf16"

    def loss(weights: Tensor, inputs: Tensor, targets: Tensor, factor: Tensor) -> Tensor:
        with torch.autocast(device.type, torch.bfloat16, enabled=in_bf16):
            scores = model.score(model.layout.views(weights), inputs)
        return sample_losses(scores.float(), targets).dot(factor)

    return cast("_Program", vmap(grad_and_value(loss)))
