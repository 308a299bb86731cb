"""Work done in this process, unit after unit."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from pipefl.train.algorithms.algorithm import Algorithm
from pipefl.train.executors.executor import one_thread
from pipefl.train.work import Judgement, Unit, UnitResult
from pipefl.train.workplace import Workplace


class Serial:
    """An executor that needs nothing but the workplace; the others have one in each process."""

    def __init__(self, place: Workplace, algorithm: Algorithm) -> None:
        self._place = place
        self._algorithm = algorithm
        self._sent: dict[int, Tensor] = {}

    def publish(self, version: int, vectors: Tensor) -> None:
        """Keep the vectors, which nobody changes afterwards."""
        # Sums may be taken in another order where memory begins elsewhere in a cache line.
        is_aligned = vectors.data_ptr() % 64 == 0
        self._sent[version] = vectors if is_aligned else vectors.clone()

    def forget(self, before: int) -> None:
        """Let go of older versions."""
        for version in [each for each in self._sent if each < before]:
            del self._sent[version]

    def work(self, units: Sequence[Unit]) -> list[UnitResult]:
        """One unit after the other."""
        if not units:
            return []
        with one_thread():
            return self._algorithm.work(self._place, units, self._sent)

    def judge(self, version: int, chunks: Sequence[NDArray[np.int64]]) -> list[Judgement]:
        """One chunk after the other."""
        weights = self._sent[version][0]
        with one_thread():
            return [self._place.judged(weights, chunk) for chunk in chunks]

    def close(self) -> None:
        """Nothing was begun."""
