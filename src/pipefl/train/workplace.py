"""Where clients' work is done: the model, the data, and how often to step through it."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from torch import Tensor, from_numpy

from pipefl.checks import count, positive
from pipefl.data.federated import Samples
from pipefl.models.loss import judge
from pipefl.models.model import Model
from pipefl.randomness import generator
from pipefl.train.work import Job, Judgement


@dataclass(frozen=True)
class Diligence:
    """How a client works through its samples.

    Legend: `batch_size` B samples make a step of `learning_rate` η, `local_epochs` E times
    through the client's samples, in an order that depends on `seed` and the job. An update
    whose norm is above `largest_update` is refused.
    """

    learning_rate: float
    batch_size: int = 16
    local_epochs: int = 1
    largest_update: float = 1e6
    seed: int = 0

    def __post_init__(self) -> None:
        positive("learning_rate", self.learning_rate, "no unit")
        count("batch_size", self.batch_size)
        count("local_epochs", self.local_epochs)
        positive("largest_update", self.largest_update, "no unit")


@dataclass(frozen=True, eq=False)
class Workplace:
    """All that a job needs beside the job itself and the vectors that its client was sent.

    Client m has the samples of `train` from `offset[m]` to `offset[m + 1]`.
    """

    model: Model
    train: Samples
    offset: NDArray[np.int64]
    test: Samples
    diligence: Diligence

    def samples_of(self, client: int) -> NDArray[np.int64]:
        """The indices of a client's samples."""
        return np.arange(self.offset[client], self.offset[client + 1])

    def num_samples_of(self, client: int) -> int:
        """How many they are."""
        return int(self.offset[client + 1] - self.offset[client])

    def batches(self, job: Job) -> Iterator[NDArray[np.int64]]:
        """The samples of each step of a job: shuffled anew for each epoch, the last batch short."""
        samples = self.samples_of(job.client)
        size = self.diligence.batch_size
        rng = generator(self.diligence.seed, "local work", *job.key)
        for _ in range(self.diligence.local_epochs):
            order = rng.permutation(samples)
            for first in range(0, order.size, size):
                yield order[first : first + size]

    def num_steps(self, client: int) -> int:
        """Steps that one job of this client takes."""
        batches = -(-self.num_samples_of(client) // self.diligence.batch_size)
        return self.diligence.local_epochs * batches

    def inputs(self, samples: NDArray[np.int64]) -> Tensor:
        """What the model eats of these training samples."""
        return self.model.prepare(self.train.inputs[samples])

    def targets(self, samples: NDArray[np.int64]) -> Tensor:
        """What the model should say of these training samples."""
        return from_numpy(self.train.targets[samples].astype(np.int64))

    def judged(self, weights: Tensor, samples: NDArray[np.int64]) -> Judgement:
        """How well a model does on these test samples."""
        inputs = self.model.prepare(self.test.inputs[samples])
        targets = from_numpy(self.test.targets[samples].astype(np.int64))
        num_correct, num_judged, badness = judge(self.model.scores(weights, inputs).cpu(), targets)
        return Judgement(int(num_correct), int(num_judged), badness.float().numpy())
