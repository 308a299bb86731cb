"""Algorithms that users might bring, for `package.module:factory`."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from pipefl.train.algorithms.algorithm import Reply, Sent, one_by_one
from pipefl.train.algorithms.descent import descended
from pipefl.train.work import Job, Unit, UnitResult
from pipefl.train.workplace import Workplace


@dataclass(frozen=True)
class Clipped:
    """Local epochs whose updates are no longer than `longest`."""

    longest: float = 1.0
    name: str = "clipped"
    num_replies: int = 1
    additive: bool = False

    def start(self, num_parameters: int) -> Tensor:
        """Nothing but the model is sent."""
        return torch.zeros(0, num_parameters)

    def work(self, place: Workplace, units: Sequence[Unit], sent: Sent) -> list[UnitResult]:
        """One client after the other."""
        return one_by_one(place, units, sent, self._reply)

    def own_share(self, num_samples: int, all_samples: int) -> tuple[float, ...]:
        """One reply, so none."""
        return ()

    def after(self, vectors: Tensor, sums: Tensor) -> Tensor:
        """Nothing is kept."""
        return vectors

    def _reply(self, place: Workplace, job: Job, sent: Tensor, cohort_size: int) -> Reply:
        change, loss = descended(place, job, sent[0])
        return change * (self.longest / max(float(change.norm()), self.longest)), loss, None


@dataclass(frozen=True)
class Half:
    """Half an algorithm."""

    name: str = "half"
    num_replies: int = 1

    def work(self) -> None:
        """No work."""


class Plain:
    """All parts of an algorithm, but no dataclass."""

    name, num_replies, additive = "plain", 1, False
    start = work = own_share = after = None


def needy(longest: float) -> Clipped:
    """A factory that cannot be called without arguments."""
    return Clipped(longest)
