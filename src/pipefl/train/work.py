"""What clients are asked to do, and what they answer: the messages of a training run.

A step's clients are dealt into units. A unit is worked on as a whole, by whichever
process, and answers with one weighted sum of its clients' replies. Which clients a unit
has depends on the step alone, so the sums, and every bit of the model, are the same for
any number of processes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from pipefl.models.joint_change import JointChange

_FEW_UNITS = 8  # a step of few clients: enough to share out, few enough to add up quickly
_MOST_CLIENTS = 32  # a unit, as long as there are no more than
MOST_UNITS = 128  # a step: as many sums of P numbers lie in memory before they are added up

Own = tuple[NDArray[Any], ...]


@dataclass(frozen=True, eq=False)
class Job:
    """Client `client` works on the model of `version`.

    `key` tells its random draws from those of every other job. Its replies go into the
    unit's sums with the factors `share`, one for each kind of reply. `own` is what the
    client has kept from its last job, if the algorithm lets it keep anything.
    """

    client: int
    version: int
    key: tuple[int, ...]
    share: tuple[float, ...]
    own: Own | None = None


@dataclass(frozen=True, eq=False)
class Unit:
    """Some of the `cohort_size` clients of one step, each of them once."""

    jobs: tuple[Job, ...]
    cohort_size: int


@dataclass(frozen=True, eq=False)
class Report:
    """What is known of one client's work beside its part in the unit's sums.

    `refused` says why its reply was left out of the sums: it was not finite, or larger
    than allowed. `own` is what it keeps until its next job.
    """

    client: int
    loss: float
    refused: str | None = None
    own: Own | None = None


@dataclass(frozen=True, eq=False)
class UnitResult:
    """A unit's sums, one row of P numbers a kind of reply, and its clients' reports."""

    sums: Tensor
    reports: tuple[Report, ...]


@dataclass(frozen=True, eq=False)
class Judgement:
    """How well a model did on some test samples: `num_correct` out of `num_judged` answers.

    `badness` says for each sample how badly it was missed; the larger, the worse.
    """

    num_correct: int
    num_judged: int
    badness: NDArray[np.float32]


def dealt(jobs: Sequence[Job], company: int = 1) -> list[Unit]:
    """The jobs of one step, in order, in units of equal size but for the last.

    Up to 256 jobs are in at most 8 units; more are in units of 32, and from 4,096 on in 128
    units. A unit has at least `company` jobs if there are so many. A client that is in a step
    more than once is in as many units, and there may be as many more.

    >>> jobs = [Job(m, version=0, key=(0, m), share=(1.0,)) for m in range(20)]
    >>> [len(unit.jobs) for unit in dealt(jobs)]
    [3, 3, 3, 3, 3, 3, 2]
    """
    in_few, in_most = (max(1, -(-len(jobs) // units)) for units in (_FEW_UNITS, MOST_UNITS))
    size = max(in_most, min(in_few, _MOST_CLIENTS), company)
    parts: list[list[Job]] = []
    for turn in turns(jobs):
        parts += [turn[first : first + size] for first in range(0, len(turn), size)]
    return [Unit(tuple(part), len(jobs)) for part in parts]


def turns(jobs: Sequence[Job]) -> list[list[Job]]:
    """The jobs that are their client's first ones, the second ones, and so on."""
    each_turn: list[list[Job]] = []
    had: dict[int, int] = {}
    for job in jobs:
        turn = had.get(job.client, 0)
        had[job.client] = turn + 1
        if turn == len(each_turn):
            each_turn.append([])
        each_turn[turn].append(job)
    return each_turn


def refusal(change: Tensor, largest_update: float) -> str | None:
    """Why a reply cannot be used, if it cannot: NaN, infinite, or of too large a norm."""
    norm = float(torch.linalg.vector_norm(change))
    if norm <= largest_update:
        return None
    return _refused(norm, largest_update, is_finite=bool(change.isfinite().all()))


def joint_refusal(change: JointChange, client: int, largest_update: float) -> str | None:
    """The same of one of several clients that were trained together."""
    if change.norm_is_at_most(client, largest_update):
        return None
    norm = change.norm(client)
    return _refused(norm, largest_update, is_finite=isfinite(norm))


def _refused(norm: float, largest_update: float, *, is_finite: bool) -> str:
    if not is_finite:
        return "its update is not finite"
    return f"its update has norm {norm:.3g}, more than {largest_update:g}"
