r"""How good the model is on the test samples, with no more of them judged than it takes.

To know whether an accuracy a* is reached on S answers, it is enough to find more wrong ones than

.. math:: E = S - \min \{ c : c / S \ge a^* \}

allows. Samples that were missed badly last time are looked at first, since they are likely to
be wrong again; so a model far from the target is found out after little more than E + 1 of
them, and the answer is the same as if all had been looked at.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pipefl.checks import between
from pipefl.errors import PipeflError
from pipefl.models.loss import PADDING
from pipefl.train.executors.executor import Executor

_CHUNK = 64  # samples that are judged as one piece, by one process
_LEAST_WAVE = 128
_GROWTH = 1.5


@dataclass(frozen=True)
class Verdict:
    """The accuracy, or, where it was enough to know that the target is missed, a bound on it."""

    accuracy: float | None
    accuracy_at_most: float | None
    num_judged: int


class Evaluator:
    """Judges one model after the other, and remembers which samples were missed how badly.

    `badness` is the memory, one number a test sample; it is part of a run's state, since the
    number of samples judged depends on it. Verdicts do not.
    """

    def __init__(self, targets: NDArray[np.integer], target_accuracy: float | None) -> None:
        is_text = targets.ndim > 1
        self._answers = (targets != PADDING).sum(1) if is_text else np.ones(len(targets), np.int64)
        self._num_answers = int(self._answers.sum())
        if self._num_answers == 0:
            raise PipeflError("the test samples hold no answers to judge")
        self._is_text = is_text
        self._allowed = None if target_accuracy is None else self._most_errors(target_accuracy)
        self.badness = np.zeros(len(targets), np.float32)

    def full(self, executor: Executor, version: int) -> Verdict:
        """The accuracy on all test samples."""
        return self._judged(executor, version, None)

    def against_target(self, executor: Executor, version: int) -> Verdict:
        """The same if the target is reached; else perhaps only a bound that is below it."""
        return self._judged(executor, version, self._allowed)

    def _judged(self, executor: Executor, version: int, allowed: int | None) -> Verdict:
        wrong = num_judged = 0
        for wave in self._waves(allowed):
            chunks = self._chunks(wave)
            judgements = executor.judge(version, chunks)
            for chunk, judgement in zip(chunks, judgements, strict=True):
                wrong += judgement.num_judged - judgement.num_correct
                self.badness[chunk] = judgement.badness
            num_judged += wave.size
            if allowed is not None and wrong > allowed and num_judged < self.badness.size:
                at_most = (self._num_answers - wrong) / self._num_answers
                return Verdict(None, at_most, num_judged)
        return Verdict((self._num_answers - wrong) / self._num_answers, None, num_judged)

    def _waves(self, allowed: int | None) -> Iterator[NDArray[np.intp]]:
        """All samples, the worst first: as few as could decide, then more and more."""
        worst_first = np.argsort(-self.badness, kind="stable")
        if allowed is None:
            yield worst_first
            return
        answers_of_sample = self._num_answers / self.badness.size
        size = _whole_chunks((allowed + 1) / answers_of_sample)
        first = 0
        while first < worst_first.size:
            yield worst_first[first : first + size]
            first += size
            size = max(_LEAST_WAVE, _whole_chunks(first * (_GROWTH - 1)))

    def _chunks(self, wave: NDArray[np.intp]) -> Sequence[NDArray[np.int64]]:
        """A wave in pieces; sequences of like length together, so that little is padding."""
        if self._is_text:
            wave = wave[np.argsort(self._answers[wave], kind="stable")]
        return [wave[first : first + _CHUNK] for first in range(0, wave.size, _CHUNK)]

    def _most_errors(self, target_accuracy: float) -> int:
        """E, such that `accuracy >= target_accuracy`, in floats, just holds with E errors."""
        target = between("target_accuracy", target_accuracy, 0.0, 1.0)
        needed = int(np.ceil(target * self._num_answers))
        while needed > 0 and (needed - 1) / self._num_answers >= target:
            needed -= 1
        while needed / self._num_answers < target:
            needed += 1
        return self._num_answers - needed


def _whole_chunks(size: float) -> int:
    return max(1, int(np.ceil(size / _CHUNK))) * _CHUNK
