"""The disciplines for many rounds side by side; see `release` for what they mean."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pipefl.timeline.demand import Discipline, Missed
from pipefl.timeline.further_slots import further_slot


@dataclass(frozen=True, eq=False)
class BatchDemand:
    """What the clients of R rounds ask of the uplink: arrays of n × R.

    A place with nobody is ready at ∞. `upload_time_s` is a float if all take as long.
    """

    ready_s: NDArray[np.float64]
    upload_time_s: float | NDArray[np.float64]
    cluster: NDArray[np.int32]
    slot_time_s: NDArray[np.float64]
    num_channels: int


def release_all_s(
    demand: BatchDemand, discipline: Discipline, missed: Missed
) -> NDArray[np.float64]:
    """For each client the time from which on it may transmit; ∞ if not in this round."""
    if discipline == "fifo":
        return demand.ready_s
    nobody = np.isinf(demand.ready_s)
    if discipline == "wait-all":
        slowest_s = np.where(nobody, -np.inf, demand.ready_s).max(axis=0)
        return np.where(nobody, np.inf, slowest_s)
    if discipline == "eager-slots":
        return np.where(nobody, np.inf, _eager_s(demand, nobody))
    return _in_slots_s(demand, nobody, missed)


def _eager_s(demand: BatchDemand, nobody: NDArray[np.bool_]) -> NDArray[np.float64]:
    ready_s = np.where(nobody, -np.inf, demand.ready_s)
    return np.stack(
        [np.where(demand.cluster <= own, ready_s, -np.inf).max(axis=0) for own in demand.cluster]
    )


def _in_slots_s(
    demand: BatchDemand, nobody: NDArray[np.bool_], missed: Missed
) -> NDArray[np.float64]:
    slot_s = demand.slot_time_s[demand.cluster]
    on_time = demand.ready_s <= slot_s
    release_s = np.where(on_time, slot_s, np.inf)
    waiting = ~on_time & ~nobody
    if missed == "next-slot" and waiting.any():
        _fill_later_slots(demand, on_time, waiting, release_s)
    return release_s


def _fill_later_slots(
    demand: BatchDemand,
    on_time: NDArray[np.bool_],
    waiting: NDArray[np.bool_],
    release_s: NDArray[np.float64],
) -> None:
    """Give the waiting clients what the slots have left over, then further slots."""
    first = np.searchsorted(demand.slot_time_s, demand.ready_s[waiting].min())
    for k in range(int(first), demand.slot_time_s.size):
        used = (on_time & (demand.cluster == k)).sum(axis=0)
        slot_s = np.full(release_s.shape[1], demand.slot_time_s[k])
        _let_go(demand, waiting, release_s, slot_s, demand.num_channels - used)
    number = np.zeros(release_s.shape[1])
    spacing_s = np.broadcast_to(np.max(demand.upload_time_s, axis=0), number.shape)
    last_slot_s = float(demand.slot_time_s[-1])
    while (some := waiting.any(axis=0)).any():
        earliest_s = np.where(waiting, demand.ready_s, np.inf).min(axis=0)[some]
        slot_s = np.zeros(number.shape)
        number[some], slot_s[some] = further_slot(
            number[some], last_slot_s, spacing_s[some], earliest_s
        )
        _let_go(demand, waiting, release_s, slot_s, demand.num_channels)


def _let_go(
    demand: BatchDemand,
    waiting: NDArray[np.bool_],
    release_s: NDArray[np.float64],
    slot_s: NDArray[np.float64],
    num_left: int | NDArray[np.int64],
) -> None:
    """Give the free sub-channels of each round's slot to those of the waiting that are ready."""
    ready = waiting & (demand.ready_s <= slot_s)
    taken = ready & (np.cumsum(ready, axis=0) <= num_left)
    np.copyto(release_s, slot_s, where=taken)
    waiting &= ~taken
