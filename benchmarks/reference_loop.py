"""The loop that everybody would write first: plain PyTorch, one client after the other."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from pipefl.data.federated import FederatedDataset, Samples
from pipefl.models.catalogue import ModelConfig
from pipefl.models.loss import PADDING
from pipefl.models.modules import torch_module

TEST_BATCH = 128


@dataclass(frozen=True, eq=False)
class ReferenceLoop:
    """Federated averaging of an ordinary module in contiguous layout, with two threads.

    The samples are tensors from the start: images as float32 in [0, 1], text as int64.
    """

    module: nn.Module
    train: tuple[Tensor, Tensor]
    offset: NDArray[np.int64]
    test: tuple[Tensor, Tensor]
    learning_rate: float
    batch_size: int

    def take_round(self, cohort: Sequence[int]) -> None:
        """Each client trains its own copy for an epoch; the copies' average is the next model."""
        start = {name: value.clone() for name, value in self.module.state_dict().items()}
        average = {name: torch.zeros_like(value) for name, value in start.items()}
        all_samples = sum(self._num_samples(client) for client in cohort)
        with two_threads():
            for client in cohort:
                self.module.load_state_dict(start)
                self._train(client)
                for name, value in self.module.state_dict().items():
                    average[name].add_(value, alpha=self._num_samples(client) / all_samples)
            self.module.load_state_dict(average)

    def full_gradient(self, cohort: Sequence[int], batch_size: int) -> None:
        """The gradient over the union of the clients' samples, in batches that fit the memory."""
        of_client = [torch.arange(self.offset[m], self.offset[m + 1]) for m in cohort]
        samples = torch.cat(of_client)
        self.module.zero_grad()
        with two_threads():
            for batch in torch.split(samples, batch_size):
                loss = self._loss(batch) * (len(batch) / len(samples))
                loss.backward()  # type: ignore[no-untyped-call]  # torch's

    def accuracy(self) -> float:
        """Of the whole test set."""
        inputs, targets = self.test
        correct = judged = 0
        with torch.no_grad(), two_threads():
            for first in range(0, len(inputs), TEST_BATCH):
                chosen = self.module(inputs[first : first + TEST_BATCH]).argmax(-1)
                answers = targets[first : first + TEST_BATCH]
                counts = (
                    answers != PADDING if answers.dim() > 1 else torch.ones_like(answers).bool()
                )
                correct += int(((chosen == answers) & counts).sum())
                judged += int(counts.sum())
        return correct / judged

    def _train(self, client: int) -> None:
        optimiser = torch.optim.SGD(self.module.parameters(), lr=self.learning_rate)
        order = torch.randperm(self._num_samples(client)) + int(self.offset[client])
        for batch in torch.split(order, self.batch_size):
            optimiser.zero_grad()
            loss = self._loss(batch)
            loss.backward()  # type: ignore[no-untyped-call]  # torch's
            optimiser.step()

    def _loss(self, batch: Tensor) -> Tensor:
        inputs, targets = self.train
        scores = self.module(inputs[batch])
        if targets.dim() == 1:
            return cross_entropy(scores, targets[batch])
        return cross_entropy(scores.flatten(0, 1), targets[batch].flatten(), ignore_index=PADDING)

    def _num_samples(self, client: int) -> int:
        return int(self.offset[client + 1] - self.offset[client])


def reference_loop(
    config: ModelConfig, data: FederatedDataset, learning_rate: float, batch_size: int
) -> ReferenceLoop:
    """The loop for a model of ours on a dataset."""
    return ReferenceLoop(
        torch_module(config),
        _tensors(data.train),
        data.offset,
        _tensors(data.test),
        learning_rate,
        batch_size,
    )


@contextmanager
def two_threads() -> Iterator[None]:
    """Let torch use both cores in this block."""
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def _tensors(samples: Samples) -> tuple[Tensor, Tensor]:
    targets = torch.from_numpy(samples.targets.astype(np.int64))
    if targets.dim() > 1:
        return torch.from_numpy(samples.inputs.astype(np.int64)), targets
    return torch.from_numpy(samples.inputs.astype(np.float32)).div_(255.0), targets
