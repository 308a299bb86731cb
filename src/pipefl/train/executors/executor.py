"""What an executor is: whoever does the clients' work and judges models."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from pipefl.train.work import Judgement, Unit, UnitResult


class Executor(Protocol):
    """Does the work of a training run, with the same bits wherever it is done.

    Models are known by their version. All calls return when their work is done.
    """

    def publish(self, version: int, vectors: Tensor) -> None:
        """Make known what clients of this version are sent, V × P, the model first."""
        ...

    def forget(self, before: int) -> None:
        """Versions below this one will not be asked for again."""
        ...

    def work(self, units: Sequence[Unit]) -> list[UnitResult]:
        """Do units of work; the results come in the order of the units."""
        ...

    def judge(self, version: int, chunks: Sequence[NDArray[np.int64]]) -> list[Judgement]:
        """How well a model does on each of these chunks of the test samples."""
        ...

    def close(self) -> None:
        """End what was begun; an executor is not used afterwards."""
        ...


@contextmanager
def one_thread() -> Iterator[None]:
    """Let torch compute with one thread, so that sums are taken in one order on any machine."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
