"""One round as planned: who is in it, and the order that each client is given."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pipefl.flower.messages import SlotOrder
from pipefl.flower.places import later_places
from pipefl.flower.plan_config import PlanConfig
from pipefl.flower.planning import Planning
from pipefl.flower.roster import Roster
from pipefl.policies.policy import State
from pipefl.randomness import generator
from pipefl.timeline.round import Round
from pipefl.timeline.single import simulate_round


@dataclass(frozen=True, eq=False)
class RoundPlan:
    """A round's n clients, `client` in the roster, and their times by the clock of the plan.

    The last of them, those in `is_carried`, have an update from an earlier round to deliver.
    `round_` knows clients by their numbers in the planning. `state` is what the policy knew.
    """

    planning: Planning
    state: State
    round_: Round
    client: NDArray[np.intp]
    is_carried: NDArray[np.bool_]
    orders: tuple[SlotOrder, ...]

    @property
    def scheduled(self) -> NDArray[np.bool_]:
        """Who has a place in the uplink: a carried client has none where the slots are full."""
        return self.round_.delivered


def round_plan(
    config: PlanConfig,
    planning: Planning,
    roster: Roster,
    *,
    index: int,
    clock_s: float,
    reachable: NDArray[np.bool_],
    carried: NDArray[np.intp],
    memory: Any,
) -> RoundPlan:
    """Round `index`, from 0: the policy's choice among those that can be reached, on the clock.

    `reachable` is for the planning's clients, and `carried` has numbers of theirs. The draw
    depends on the seed, the round and who can be reached, and on nothing else.
    """
    schedule, scene = planning.schedule, planning.scene
    state = _state(
        planning, roster, clock_s=clock_s, reachable=reachable, carried=carried, memory=memory
    )
    cohort = schedule.policy.select(index, state, generator(config.seed, "select", index))
    fresh = cohort[reachable[cohort] & ~np.isin(cohort, carried)]
    kept = carried[reachable[carried]]
    round_ = simulate_round(
        fresh,
        scene.compute_time_s,
        scene.upload_time_s,
        scene.num_channels,
        discipline=schedule.discipline,
        plan=scene.plan,
        server_time_s=scene.server_time_s,
        missed=schedule.missed,
        carried=kept,
    )
    is_carried = np.arange(round_.client.size) >= fresh.size
    return RoundPlan(
        planning=planning,
        state=state,
        round_=round_,
        client=planning.client[round_.client],
        is_carried=is_carried,
        orders=_orders(config, planning, round_, is_carried, index),
    )


def _state(
    planning: Planning,
    roster: Roster,
    *,
    clock_s: float,
    reachable: NDArray[np.bool_],
    carried: NDArray[np.intp],
    memory: Any,
) -> State:
    clients = [roster.clients[each] for each in planning.client.tolist()]
    observed = [np.nan if c.last_time_s is None else c.last_time_s for c in clients]
    return State(
        scene=planning.scene,
        clock_s=clock_s,
        participation=np.array([c.participation for c in clients], dtype=np.int64),
        last_round=np.array([c.last_round for c in clients], dtype=np.int64),
        observed_time_s=np.array(observed, dtype=np.float64),
        available=reachable,
        carried=carried,
        memory=memory,
    )


def _orders(
    config: PlanConfig,
    planning: Planning,
    round_: Round,
    is_carried: NDArray[np.bool_],
    index: int,
) -> tuple[SlotOrder, ...]:
    """First come, first served needs no orders; else everybody is let go when its upload begins.

    Only slots can be missed: a client that is late for another discipline's time uploads.
    """
    schedule = planning.schedule
    at_once = schedule.discipline == "fifo"
    in_slots = schedule.discipline == "slots"
    places, period_s = _no_places(round_)
    if in_slots:
        places, period_s = later_places(round_, planning.plan)
    start_s = np.where(round_.delivered & (not at_once), round_.upload_start_s, 0.0)
    return tuple(
        SlotOrder(
            round=index + 1,
            release_s=float(start_s[i]),
            forgiven_s=config.forgiven_s,
            missed=schedule.missed if in_slots else "next-slot",
            later_s=places[i],
            period_s=period_s,
            deliver=bool(is_carried[i]),
        )
        for i in range(round_.client.size)
    )


def _no_places(round_: Round) -> tuple[list[list[float]], float]:
    return [[] for _ in range(round_.client.size)], 0.0
