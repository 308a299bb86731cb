"""What an algorithm is: the clients' side and the server's own vectors."""

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

import torch
from torch import Tensor

from pipefl.models.joint_change import JointChange
from pipefl.train.work import Job, Own, Report, Unit, UnitResult, joint_refusal, refusal
from pipefl.train.workplace import Workplace

Sent = Mapping[int, Tensor]
"""For each version the vectors that clients are given: V × P, the model first."""

Reply = tuple[Tensor, float, Own | None]
"""A client's replies (R × P, its change of the model first), its mean loss, what it keeps."""


class Algorithm(Protocol):
    """Local work and what the server must remember for it, as a frozen dataclass.

    Clients are sent V vectors of the model's length P, the model first and then the
    server's own ones; they reply with R such vectors, their change of the model first. The
    server gets only weighted sums of replies. Everything else, averaging and the server's
    step, is the same for all algorithms.
    """

    @property
    def name(self) -> str:
        """The name by which it is chosen, such as `local-sgd`."""
        ...

    @property
    def num_replies(self) -> int:
        """R."""
        ...

    @property
    def additive(self) -> bool:
        """Whether changes are added up as they are, rather than averaged."""
        ...

    def start(self, num_parameters: int) -> Tensor:
        """The server's own vectors before the first step, (V − 1) × P."""
        ...

    def work(self, place: Workplace, units: Sequence[Unit], sent: Sent) -> list[UnitResult]:
        """Do the units; each result is the same whatever else is asked for at once."""
        ...

    def own_share(self, num_samples: int, all_samples: int) -> tuple[float, ...]:
        """The factors on the replies beyond the first, R − 1 of them."""
        ...

    def after(self, vectors: Tensor, sums: Tensor) -> Tensor:
        """The server's own vectors after a step with these sums of replies, R × P."""
        ...


def one_by_one(
    place: Workplace,
    units: Sequence[Unit],
    sent: Sent,
    reply: Callable[[Workplace, Job, Tensor, int], Reply],
) -> list[UnitResult]:
    """Do every job of every unit by itself: `reply(place, job, its vectors, cohort size)`."""
    results = []
    for unit in units:
        adding = Adding(place)
        for job in unit.jobs:
            adding.add(job, reply(place, job, sent[job.version], unit.cohort_size))
        results.append(adding.result(unit))
    return results


class Adding:
    """Adds the replies of a unit up, job after job, and refuses those that cannot be used."""

    def __init__(self, place: Workplace) -> None:
        self._largest_update = place.diligence.largest_update
        self._sums: Tensor | None = None
        self._shape: tuple[int, ...] = ()
        self._reports: dict[int, Report] = {}

    def add(self, job: Job, reply: Reply) -> None:
        """Count one client's reply in; the rows may be overwritten afterwards."""
        rows, loss, own = reply
        self._shape = rows.shape
        refused = refusal(rows[0], self._largest_update)
        if refused is None and len(rows) > 1 and not bool(rows[1:].isfinite().all()):
            refused = "its reply is not finite"
        if refused is None:
            self._count_in(rows, job.share)
            self._reports[job.client] = Report(job.client, loss, None, own)
        else:
            self._reports[job.client] = Report(job.client, loss, refused, job.own)

    def add_joint(self, jobs: Sequence[Job], change: JointChange) -> None:
        """Count in the replies of jobs that were done together, each a change of the model."""
        shares: dict[int, float] = {}
        for g, (job, loss) in enumerate(zip(jobs, change.loss, strict=True)):
            refused = joint_refusal(change, g, self._largest_update)
            if refused is None:
                shares[g] = job.share[0]
            own = None if refused is None else job.own
            self._reports[job.client] = Report(job.client, loss, refused, own)
        self._shape = (1, change.layout.num_parameters)
        if shares:
            more = change.sum(shares).unsqueeze(0)
            self._sums = more if self._sums is None else self._sums.add_(more)

    def result(self, unit: Unit) -> UnitResult:
        """The unit's sums, and its reports in the order of its jobs."""
        sums = torch.zeros(self._shape) if self._sums is None else self._sums
        return UnitResult(sums, tuple(self._reports[job.client] for job in unit.jobs))

    def _count_in(self, rows: Tensor, share: Sequence[float]) -> None:
        if self._sums is None:
            factors = torch.tensor(share, dtype=torch.float64).to(rows.dtype)
            self._sums = rows * factors.unsqueeze(1)
            return
        for total, row, factor in zip(self._sums, rows, share, strict=True):
            total.add_(row, alpha=factor)
