"""How long many rounds last and how many clients they serve, and nothing else of them."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pipefl.checks import count, non_negative_seconds
from pipefl.plan.cluster_plan import ClusterPlan
from pipefl.plan.times import compute_times
from pipefl.timeline.batch import LateClients, batch_demand, simulate_rounds
from pipefl.timeline.batch_queue import starts_of_equal_uploads
from pipefl.timeline.batch_release import release_all_s
from pipefl.timeline.demand import Discipline
from pipefl.timeline.single import check_choices

_ROUNDS_AT_ONCE = 1024  # of a few dozen clients each: as much as the fast caches hold


@dataclass(frozen=True, eq=False)
class RoundTimes:
    """Of R rounds: duration, time in which sub-channels are busy, and clients served."""

    duration_s: NDArray[np.float64]
    busy_s: NDArray[np.float64]
    num_served: NDArray[np.int64]


def round_times(
    cohorts: NDArray[np.intp],
    compute_time_s: ArrayLike,
    upload_time_s: ArrayLike,
    num_channels: int = 1,
    *,
    discipline: Discipline = "slots",
    plan: ClusterPlan | None = None,
    server_time_s: float = 0.0,
    missed: LateClients = "drop",
    factor: NDArray[np.float64] | None = None,
) -> RoundTimes:
    """The durations that `simulate_rounds` gives, to the last bit, in a fraction of its time.

    With equal uploads it does not matter who is served when: release times are sorted
    without their owners. Rounds are taken a few thousand at a time, so that memory beyond
    the answer does not grow with their number. Arguments as in `simulate_rounds`.

    >>> round_times(np.array([[0, 1], [1, 2]]), [1.0, 2.0, 3.0], 2.0, discipline="fifo").duration_s
    array([5., 6.])
    """
    times = compute_times(compute_time_s)
    channels = count("num_channels", num_channels)
    server_s = non_negative_seconds("server_time_s", server_time_s)
    check_choices(discipline, missed, plan, times.size)
    num_rounds = len(cohorts)
    duration_s, busy_s = np.empty((2, num_rounds))
    num_served = np.empty(num_rounds, dtype=np.int64)
    for start in range(0, num_rounds, _ROUNDS_AT_ONCE):
        piece = slice(start, start + _ROUNDS_AT_ONCE)
        chunk_factor = None if factor is None else factor[piece]
        if np.ndim(upload_time_s):
            rounds = simulate_rounds(
                cohorts[piece],
                times,
                upload_time_s,
                channels,
                discipline=discipline,
                plan=plan,
                server_time_s=server_s,
                missed=missed,
                factor=chunk_factor,
            )
            duration_s[piece], busy_s[piece] = rounds.duration_s, rounds.busy_s
            num_served[piece] = rounds.delivered.sum(axis=1)
            continue
        demand = batch_demand(
            cohorts[piece],
            times,
            upload_time_s,
            num_channels=channels,
            plan=plan if discipline in ("slots", "eager-slots") else None,
            factor=chunk_factor,
        )
        upload_s = float(demand.upload_time_s)
        release_s = release_all_s(demand, discipline, missed)
        last_s, served = _last_ends_s(release_s, upload_s, channels)
        if discipline == "slots" and plan is not None:
            last_s = np.maximum(last_s, float(plan.slot_time_s[-1]) + plan.upload_time_s)
        duration_s[piece] = last_s + server_s
        busy_s[piece] = served * upload_s
        num_served[piece] = served
    return RoundTimes(duration_s, busy_s, num_served)


def _last_ends_s(
    release_s: NDArray[np.float64], upload_time_s: float, num_channels: int
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """When the last upload of each round ends, and how many there are; release is n × R."""
    sorted_s = np.sort(np.ascontiguousarray(release_s.T), axis=1)
    start_s = starts_of_equal_uploads(np.ascontiguousarray(sorted_s.T), upload_time_s, num_channels)
    if np.isfinite(start_s[-1]).all():
        return start_s[-1] + upload_time_s, np.full(start_s.shape[1], start_s.shape[0])
    is_served = np.isfinite(start_s)
    last_s = np.where(is_served, start_s + upload_time_s, 0.0).max(axis=0)
    return last_s, is_served.sum(axis=0)
