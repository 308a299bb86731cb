"""Many rounds at once, to the last bit what `simulate_round` gives for each."""

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pipefl.checks import count, non_negative_seconds
from pipefl.errors import ArgumentError
from pipefl.plan.cluster_plan import ClusterPlan
from pipefl.plan.times import compute_times
from pipefl.timeline.batch_queue import serve_all
from pipefl.timeline.batch_release import BatchDemand, release_all_s
from pipefl.timeline.demand import Discipline
from pipefl.timeline.single import check_choices, upload_times

LateClients = Literal["drop", "next-slot"]

NOBODY = -1


@dataclass(frozen=True, eq=False)
class Rounds:
    """R rounds of up to n clients: arrays of R × n, and R durations, in seconds.

    Each round's clock starts at 0. A client that missed its slot, and a place of the
    cohort that holds `NOBODY`, has NaN for its upload.
    """

    client: NDArray[np.intp]
    upload_start_s: NDArray[np.float64]
    upload_end_s: NDArray[np.float64]
    duration_s: NDArray[np.float64]
    num_channels: int

    @property
    def delivered(self) -> NDArray[np.bool_]:
        """Which of the scheduled clients uploaded."""
        return ~np.isnan(self.upload_end_s)

    @property
    def busy_s(self) -> NDArray[np.float64]:
        """Time in which sub-channels carry uploads, for each round."""
        busy: NDArray[np.float64] = np.nansum(self.upload_end_s - self.upload_start_s, axis=1)
        return busy

    @property
    def utilisation(self) -> NDArray[np.float64]:
        """The share of the sub-channels' time in which they carry an upload; 0 without any."""
        time_s = self.num_channels * self.duration_s
        return np.divide(self.busy_s, time_s, out=np.zeros_like(time_s), where=time_s > 0)


def simulate_rounds(
    cohorts: ArrayLike,
    compute_time_s: ArrayLike,
    upload_time_s: ArrayLike,
    num_channels: int = 1,
    *,
    discipline: Discipline = "slots",
    plan: ClusterPlan | None = None,
    server_time_s: float = 0.0,
    missed: LateClients = "drop",
    factor: ArrayLike | None = None,
) -> Rounds:
    """Simulate one round for each row of `cohorts`.

    `cohorts` holds R × n client indices, different within a row, −1 for nobody;
    `factor`, of the same shape, multiplies each one's compute time in that round. The
    rest is as in `simulate_round`; clients cannot be carried over, since rounds are
    computed side by side. O(n) array operations over all rounds.

    >>> rounds = simulate_rounds(np.array([[0, 1], [1, 2]]), [1.0, 2.0, 3.0], 2.0,
    ...                          discipline="fifo")
    >>> rounds.duration_s
    array([5., 6.])
    """
    times = compute_times(compute_time_s)
    channels = count("num_channels", num_channels)
    server_s = non_negative_seconds("server_time_s", server_time_s)
    check_choices(discipline, missed, plan, times.size)
    if missed not in get_args(LateClients):
        accepted = "it must be drop or next-slot: rounds side by side hand nobody on to the next"
        raise ArgumentError("missed", missed, accepted)
    cohorts = _distinct_rows(cohorts)
    demand = batch_demand(
        cohorts, times, upload_time_s, num_channels=channels, plan=plan, factor=factor
    )
    start_s, end_s = serve_all(
        release_all_s(demand, discipline, missed), demand.upload_time_s, channels
    )
    last_s = np.nanmax(end_s, axis=0, initial=0.0)
    if discipline == "slots" and plan is not None:
        last_s = np.maximum(last_s, float(plan.slot_time_s[-1]) + plan.upload_time_s)
    return Rounds(cohorts, start_s.T, end_s.T, last_s + server_s, channels)


def batch_demand(
    cohorts: NDArray[np.intp],
    times_s: NDArray[np.float64],
    upload_time_s: ArrayLike,
    *,
    num_channels: int,
    plan: ClusterPlan | None,
    factor: ArrayLike | None,
) -> BatchDemand:
    """The cohorts' demand with rounds along the second axis, where arrays are contiguous."""
    client = cohorts.T
    if client.min() < NOBODY or client.max() >= times_s.size:
        accepted = f"the population has clients 0 to {times_s.size - 1:,}, and −1 is nobody"
        raise ArgumentError("cohorts", cohorts, accepted)
    nobody = client == NOBODY
    ready_s = times_s[client] if factor is None else times_s[client] * _factors(factor, cohorts).T
    uploads = upload_times(upload_time_s, times_s.size)
    is_one_time = np.ndim(upload_time_s) == 0
    cluster = None if plan is None else plan.cluster_of[client]
    return BatchDemand(
        ready_s=np.where(nobody, np.inf, ready_s) if nobody.any() else ready_s,
        upload_time_s=float(uploads[0]) if is_one_time else np.where(nobody, 0.0, uploads[client]),
        cluster=np.zeros((0, 0), dtype=np.int32) if cluster is None else cluster,
        slot_time_s=np.zeros(0) if plan is None else plan.slot_time_s,
        num_channels=num_channels,
    )


def _distinct_rows(cohorts: ArrayLike) -> NDArray[np.intp]:
    """A row of different client indices for every round, or a clear error."""
    accepted = "it must hold a row of clients for every round, all rows equally long"
    try:
        rows = np.asarray(cohorts)
    except ValueError:  # ragged
        raise ArgumentError("cohorts", cohorts, accepted) from None
    if rows.ndim != 2 or rows.size == 0 or rows.dtype.kind not in "iu":
        raise ArgumentError("cohorts", cohorts, accepted)
    ascending = np.sort(rows, axis=1)
    again = (ascending[:, 1:] == ascending[:, :-1]) & (ascending[:, 1:] != NOBODY)
    if again.any():
        row = int(again.any(axis=1).argmax())
        raise ArgumentError(f"cohorts[{row}]", rows[row], "every client can be scheduled once")
    return rows.astype(np.intp, copy=False)


def _factors(factor: ArrayLike, cohorts: NDArray[np.intp]) -> NDArray[np.float64]:
    """One finite factor above 0 for each client of the cohorts, or a clear error."""
    factors = np.asarray(factor)
    if factors.shape != cohorts.shape or factors.dtype.kind not in "iuf":
        accepted = f"it must hold a number for each of the cohorts' {cohorts.shape} places"
        raise ArgumentError("factor", factor, accepted)
    if not (factors.min() > 0 and np.isfinite(factors.max())):
        raise ArgumentError("factor", factor, "every factor must be finite and above 0")
    return factors
