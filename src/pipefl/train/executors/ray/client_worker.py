"""What an actor is: a workplace over the node's shared memory, and one torch thread."""

import sys
import traceback
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from pipefl.data.federated import Samples
from pipefl.models.catalogue import ModelSettings
from pipefl.models.heap import keep_freed_memory
from pipefl.train.algorithms.algorithm import Algorithm
from pipefl.train.executors.messages import Failed
from pipefl.train.executors.ray.seat import Seat, own_seat
from pipefl.train.executors.serial import Serial
from pipefl.train.work import Judgement, Report, Unit
from pipefl.train.workplace import Diligence, Workplace

T = TypeVar("T")

Done = tuple[NDArray[np.float32], tuple[Report, ...]]
"""A unit's sums and reports."""


@dataclass(frozen=True, eq=False)
class Share:
    """All that makes a workplace, and lies once in each node's object store."""

    model: ModelSettings
    algorithm: Algorithm
    diligence: Diligence
    train: Samples
    offset: NDArray[np.int64]
    test: Samples

    def workplace(self) -> Workplace:
        """The workplace, whose arrays are views of the store."""
        return Workplace(self.model.build(), self.train, self.offset, self.test, self.diligence)


class ClientWorker:
    """An actor. What goes wrong in our own code is answered, so that no exception is lost."""

    def __init__(self) -> None:
        self._serial: Serial | None = None

    def begin(self, share: Share, paths: Sequence[str]) -> Seat | Failed:
        """Set the workplace up; modules are also looked for where the driver finds them."""
        torch.set_num_threads(1)
        keep_freed_memory()
        sys.path += [path for path in paths if path not in sys.path]

        def begun() -> Seat:
            self._serial = Serial(share.workplace(), share.algorithm)
            return own_seat()

        return _tried(begun)

    def work(
        self, unit: Unit, versions: Sequence[int], *vectors: NDArray[np.float32]
    ) -> Done | Failed:
        """Do a unit of clients that were given these versions."""

        def done() -> Done:
            with _Published(self._needed(), versions, vectors) as serial:
                (result,) = serial.work([unit])
                return result.sums.numpy(), result.reports

        return _tried(done)

    def judge(
        self, chunks: Sequence[NDArray[np.int64]], vectors: NDArray[np.float32]
    ) -> list[Judgement] | Failed:
        """Judge a model on these chunks of the test samples."""

        def done() -> list[Judgement]:
            with _Published(self._needed(), [0], [vectors]) as serial:
                return serial.judge(0, chunks)

        return _tried(done)

    def here(self) -> None:
        """Answer to the roll call."""

    def _needed(self) -> Serial:
        assert self._serial is not None  # noqa: S101  # who is asked has begun
        return self._serial


class _Published:
    """Has a serial executor hold some versions for as long as they are worked on.

    Nothing of the store is held afterwards, so that it can be freed.
    """

    def __init__(
        self, serial: Serial, versions: Sequence[int], vectors: Sequence[NDArray[np.float32]]
    ) -> None:
        self._serial = serial
        self._held = dict(zip(versions, vectors, strict=True))

    def __enter__(self) -> Serial:
        for number, array in self._held.items():
            self._serial.publish(number, read_only_tensor(array))
        return self._serial

    def __exit__(self, *_: object) -> None:
        self._serial.forget(max(self._held, default=0) + 1)


def read_only_tensor(array: NDArray[np.float32]) -> Tensor:
    """A tensor over an array of the object store; nobody writes to it."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The given NumPy array is not writable", UserWarning)
        return torch.from_numpy(array)


def _tried(do: Callable[[], T]) -> T | Failed:
    try:
        return do()
    except Exception as error:  # whatever it is, the one who asks must know
        return Failed(f"{type(error).__name__}: {error}", traceback.format_exc())
