"""The actors of a run: begun, given calls, and replaced where they are lost."""

import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import ray

from pipefl.train.executors.processes import WorkerError
from pipefl.train.executors.ray.answers import LOST, answer_of
from pipefl.train.executors.ray.client_worker import ClientWorker
from pipefl.train.executors.ray.seat import Seat, doubt, own_seat, refuse_other_versions

_MOST_DEATHS = 3  # over the same call
_LOOK_UP_S = 5.0
_PATIENCE_S = 60.0  # without a single worker
_ROLL_CALL_S = 5.0  # an answer from a node that is gone is given up after 2 s

Call = Callable[[Any], Any]
"""From an actor to the reference of its answer."""


@dataclass(eq=False)
class _Member:
    """An actor; where it sits is known when it has begun."""

    actor: Any
    seat: Seat | None = None


class Crew:
    """So many actors over one share of the data, known by its reference.

    Which of them does what is a matter of luck. Actors begin whenever the cluster has a CPU
    for them, and those that have begun do the work.
    """

    def __init__(self, share: Any, size: int) -> None:
        self._share = share
        self._size = size
        self._seat = own_seat()
        self._free: list[_Member] = []
        self._busy: dict[Any, tuple[_Member, int]] = {}
        self._starting: dict[Any, _Member] = {}
        self._num_stillborn = 0
        self._doubts: set[str] = set()
        try:
            while not self._free:
                self._fill_up()
                self._hear()
        except BaseException:
            self.dismiss()
            raise

    @property
    def process_ids(self) -> list[int]:
        """Those of the actors that have begun."""
        members = [*self._free, *(member for member, _ in self._busy.values())]
        return [member.seat.process_id for member in members if member.seat is not None]

    def done(self, calls: Sequence[Call]) -> list[Any]:
        """The calls' answers, each asked of whoever is free next."""
        answers: dict[int, Any] = {}
        waiting = list(reversed(range(len(calls))))
        deaths: Counter[int] = Counter()
        lost: list[_Member] = []
        try:
            while len(answers) < len(calls):
                self._fill_up()
                while waiting and self._free:
                    member, call = self._free.pop(), waiting.pop()
                    self._busy[calls[call](member.actor)] = (member, call)
                for ref in self._hear():
                    member, call = self._busy.pop(ref)
                    try:
                        answers[call] = answer_of(ref)
                    except LOST as error:
                        lost.append(member)
                        waiting.append(call)
                        deaths[call] += 1
                        _refuse_to_go_on(deaths[call], _MOST_DEATHS, error)
                    else:
                        self._free.append(member)
        except BaseException:
            self._abandon()
            raise
        self._tell_of(lost)
        return [answers[call] for call in range(len(calls))]

    def dismiss(self) -> None:
        """End all actors."""
        self._abandon()
        _end([*self._free, *self._starting.values()])
        self._free, self._starting = [], {}

    def _fill_up(self) -> None:
        for _ in range(self._size - len(self._free) - len(self._busy) - len(self._starting)):
            kind = ray.remote(ClientWorker).options(num_cpus=1, scheduling_strategy="SPREAD")
            member = _Member(kind.remote())
            self._starting[member.actor.begin.remote(self._share, sys.path)] = member

    def _hear(self) -> list[Any]:
        """Wait for news; those that have begun are free then, and answered calls are returned."""
        heard: list[Any] = []
        since_s, told = time.monotonic(), False
        while not heard:
            heard, _ = ray.wait([*self._busy, *self._starting], timeout=_LOOK_UP_S)
            if not (told or self._busy) and time.monotonic() - since_s > _PATIENCE_S:
                told = True
                warnings.warn(_why_nobody_comes(), RuntimeWarning, stacklevel=2)
        for ref in [ref for ref in heard if ref in self._starting]:
            self._welcome(self._starting.pop(ref), ref)
        return [ref for ref in heard if ref in self._busy]

    def _welcome(self, member: _Member, ref: Any) -> None:
        try:
            member.seat = answer_of(ref)
        except LOST as error:  # perhaps its node was gone already, which Ray learns late
            self._num_stillborn += 1
            _refuse_to_go_on(self._num_stillborn, _MOST_DEATHS * self._size, error)
            return
        self._num_stillborn = 0
        refuse_other_versions(member.seat, self._seat)
        text = doubt(member.seat, self._seat)
        if text is not None and text not in self._doubts:
            self._doubts.add(text)
            warnings.warn(text, RuntimeWarning, stacklevel=2)
        self._free.append(member)

    def _tell_of(self, lost: list[_Member]) -> None:
        """One warning of all that were lost, and of those that were lost with them unnoticed."""
        if not lost:
            return
        absent = _absent(self._free)
        self._free = [member for member in self._free if member not in absent]
        _end([*lost, *absent])  # who is only out of reach shall not come back
        where: dict[str, list[int]] = {}
        for member in [*lost, *absent]:
            if member.seat is not None:
                where.setdefault(member.seat.node, []).append(member.seat.process_id)
        nodes = ", ".join(
            f"{node} (process{'es' * (len(ids) > 1)} {', '.join(map(str, sorted(ids)))})"
            for node, ids in sorted(where.items())
        )
        workers = "a worker" if len(lost) + len(absent) == 1 else "workers"
        text = f"Ray lost {workers} on {nodes}; their clients' work was done again by others"
        warnings.warn(text, RuntimeWarning, stacklevel=2)

    def _abandon(self) -> None:
        """End workers whose answers nobody waits for any more; others begin when needed."""
        _end([member for member, _ in self._busy.values()])
        self._busy = {}


def _end(members: Sequence[_Member]) -> None:
    for member in members:
        ray.kill(member.actor)


def _absent(members: Sequence[_Member]) -> list[_Member]:
    """Who of those that have nothing to do does not answer any more."""
    calls = {member.actor.here.remote(): member for member in members}
    waiting, end_s = [*calls], time.monotonic() + _ROLL_CALL_S
    absent = []
    while waiting and time.monotonic() < end_s:
        heard, waiting = ray.wait(waiting, timeout=max(0.0, end_s - time.monotonic()))
        for ref in heard:
            try:
                answer_of(ref)
            except LOST:
                absent.append(calls[ref])
    return [*absent, *(calls[ref] for ref in waiting)]


def _refuse_to_go_on(deaths: int, most: int, error: Exception) -> None:
    if deaths == most:
        reason = " ".join(str(error).split())
        raise WorkerError(
            f"{deaths} Ray workers in a row were lost over the same work; is there memory "
            f"enough? fewer workers need less; Ray says: {reason}"
        ) from error


def _why_nobody_comes() -> str:
    there, free = ray.cluster_resources().get("CPU", 0), ray.available_resources().get("CPU", 0)
    return (
        f"no Ray worker has begun for {_PATIENCE_S:.0f} s; each needs a CPU, and of the cluster's "
        f"{there:g} there are {free:g} free; still waiting"
    )
