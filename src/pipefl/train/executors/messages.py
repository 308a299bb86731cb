"""What worker processes are told, and what they answer."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pipefl.data.federated import Samples
from pipefl.data.mapping import Handle, handle_of, mapped
from pipefl.models.catalogue import ModelSettings
from pipefl.train.algorithms.algorithm import Algorithm
from pipefl.train.work import Judgement, Report, Unit
from pipefl.train.workplace import Diligence, Workplace


@dataclass(frozen=True)
class MappedSamples:
    """Where the two arrays of `Samples` are."""

    inputs: Handle
    targets: Handle

    def opened(self) -> Samples:
        """The samples, mapped."""
        return Samples(self.inputs.opened(), self.targets.opened())


@dataclass(frozen=True, eq=False)
class Setup:
    """The first message: all that makes a workplace, and the file of slots."""

    model: ModelSettings
    algorithm: Algorithm
    diligence: Diligence
    train: MappedSamples
    offset: NDArray[np.int64]
    test: MappedSamples
    slots_file: int
    slot_rows: int

    def workplace(self) -> Workplace:
        """The workplace, with the data mapped rather than copied."""
        return Workplace(
            self.model.build(), self.train.opened(), self.offset, self.test.opened(), self.diligence
        )


@dataclass(frozen=True)
class Publish:
    """The vectors of a version are the first `rows` of a slot."""

    version: int
    slot: int
    rows: int


@dataclass(frozen=True)
class Forget:
    """Versions below `before` will not be asked for again."""

    before: int


@dataclass(frozen=True, eq=False)
class Work:
    """Do this unit, and write its sums into that slot."""

    unit: Unit
    slot: int


@dataclass(frozen=True, eq=False)
class Judge:
    """Judge a model on these chunks of the test samples."""

    version: int
    chunks: tuple[NDArray[np.int64], ...]


Task = Work | Judge
"""Messages that are answered."""

Answer = tuple[Report, ...] | list[Judgement]


@dataclass(frozen=True)
class Failed:
    """The answer when something went wrong in the worker's own Python."""

    error: str
    traceback: str


def shareable(samples: Samples) -> Samples:
    """The same samples, in files that worker processes can map."""
    return Samples(mapped(samples.inputs), mapped(samples.targets))


def mapped_samples(samples: Samples) -> MappedSamples:
    """Where they find them."""
    return MappedSamples(handle_of(samples.inputs), handle_of(samples.targets))
