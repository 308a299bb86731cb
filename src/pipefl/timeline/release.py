"""The disciplines: from when on each client of a round may transmit.

A discipline only says when a client is let go, and in which order; then the clients
take the N sub-channels first come, first served (`place`).

===============  ==========================================================================
discipline       a client of cluster k is let go
===============  ==========================================================================
`fifo`           when it is ready: no sub-channel idles while anybody is ready
`wait-all`       when all clients of the round are ready: conventional federated learning
`slots`          at θ_k, if it is ready by then: the paper (fig:protocol, alg:csgd)
`eager-slots`    when all clients of clusters 1 … k in this round are ready
===============  ==========================================================================
"""

import math

import numpy as np

from pipefl.timeline.demand import Demand, Discipline, Missed
from pipefl.timeline.further_slots import further_slot


def release_times_s(demand: Demand, discipline: Discipline, missed: Missed) -> list[float]:
    """For each client the time from which on it may transmit; ∞ if not in this round."""
    if discipline == "fifo":
        return [float(ready) for ready in demand.ready_s]
    if discipline == "wait-all":
        return [float(demand.ready_s.max(initial=0.0))] * demand.ready_s.size
    if discipline == "eager-slots":
        return _eager(demand)
    return _in_slots(demand, missed)


def _eager(demand: Demand) -> list[float]:
    return [float(demand.ready_s[demand.cluster <= cluster].max()) for cluster in demand.cluster]


def _in_slots(demand: Demand, missed: Missed) -> list[float]:
    """Those that are on time at their slot; the others in what the slots have left over.

    Clients carried over from an earlier round come first among the others. Late ones
    join them with `next-slot`, where after θ_K further slots follow until all have
    transmitted; with `carry` they wait for the next round.
    """
    on_time = ~demand.carried & (demand.ready_s <= demand.slot_time_s[demand.cluster])
    release: list[float] = np.where(on_time, demand.slot_time_s[demand.cluster], math.inf).tolist()
    late = np.flatnonzero(~on_time & ~demand.carried).tolist() if missed == "next-slot" else []
    waiting = np.flatnonzero(demand.carried).tolist() + late
    used = np.bincount(demand.cluster[on_time], minlength=demand.slot_time_s.size)
    for slot_s, num_used in zip(demand.slot_time_s.tolist(), used.tolist(), strict=True):
        if not waiting:
            break
        _let_go(demand, waiting, release, slot_s, max(0, demand.num_channels - num_used))
    number, last_slot_s = 0.0, float(demand.slot_time_s[-1])
    while waiting and missed == "next-slot":
        earliest_s = float(demand.ready_s[waiting].min())
        spacing_s = float(demand.upload_time_s.max())
        number, slot_s = further_slot(number, last_slot_s, spacing_s, earliest_s)
        _let_go(demand, waiting, release, slot_s, demand.num_channels)
    return release


def _let_go(
    demand: Demand, waiting: list[int], release: list[float], slot_s: float, num_left: int
) -> None:
    """Give a slot's free sub-channels to those of the waiting that are ready, in their order."""
    for i in [i for i in waiting if demand.ready_s[i] <= slot_s][:num_left]:
        release[i] = slot_s
        waiting.remove(i)
