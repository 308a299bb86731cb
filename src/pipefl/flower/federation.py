"""The nodes of a federation between rounds: who is there, who they are, what is planned."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from time import perf_counter, sleep
from typing import Any

import numpy as np
from flwr.app import ConfigRecord, Message, RecordDict
from flwr.serverapp import Grid
from numpy.typing import NDArray

from pipefl.errors import PipeflError
from pipefl.flower.believing import profile_doubt
from pipefl.flower.deeds import Deed, complaint_of, compute_times_s
from pipefl.flower.messages import PROFILE_QUERY, MessageError, Profile, taken
from pipefl.flower.plan_config import PlanConfig
from pipefl.flower.planning import Planning, planned, planning_with, reason_to_plan
from pipefl.flower.postbox import Arrival, Postbox
from pipefl.flower.roster import Roster
from pipefl.flower.round_plan import RoundPlan, round_plan
from pipefl.plan import ClusterPlan
from pipefl.timeline.round import Round

_LOOK_S = 0.5
_LOOKS_BETWEEN_WORDS = 20


class Federation:
    """Clients, their plan, and what is left from one round for the next.

    `kept` has the clients that missed their slot and keep an update, with the round (from 0)
    whose model it is of. `tell` is told in a sentence whatever is worth knowing.
    """

    def __init__(
        self, config: PlanConfig, grid: Grid, postbox: Postbox, tell: Callable[[str], None]
    ) -> None:
        self.roster = Roster(config.window)
        self.kept: dict[int, int] = {}
        self.planning: Planning | None = None
        self._memory: Any = None
        self._config = config
        self._grid = grid
        self._postbox = postbox
        self._tell = tell

    def next_round(self, index: int, clock_s: float) -> RoundPlan:
        """Wait for enough clients, plan anew if there is a reason to, and choose the cohort."""
        looks = 0
        while True:
            there = self._greeted()
            if looks == 0:
                self.roster.age()
            reachable = there - self._postbox.busy(list(self._grid.get_node_ids()))
            if len(there) >= self._config.min_clients and reachable:
                self._plan()
                plan = self._chosen(index, clock_s, reachable)
                if plan is not None:
                    return plan
            self._refuse_hopeless(there)
            if looks % _LOOKS_BETWEEN_WORDS == 0:
                self._tell(f"waiting for clients: {len(there)} there, {len(reachable)} not busy")
            looks += 1
            sleep(_LOOK_S)

    def reachable_nodes(self) -> list[int]:
        """The nodes that are known and owe no reply."""
        node_ids = list(self._grid.get_node_ids())
        busy = self._postbox.busy(node_ids)
        known = self.roster.nodes.values()
        return [node for node in node_ids if node in known and node not in busy]

    def learn(self, index: int, plan: RoundPlan, done: list[Deed], actual: Round) -> None:
        """Take note of what a round showed: of times, of updates kept, and for the policy."""
        config = self._config
        times_s = compute_times_s(plan, done, config.unaccounted_s, config.upload_time_s)
        rows = zip(plan.client.tolist(), done, times_s, strict=True)
        for client, deed, time_s in rows:
            if time_s is not None:
                self.roster.measured(client, time_s)
            if deed.outcome == "delivered":
                known_s = time_s or self.roster.clients[client].last_time_s or 0.0
                self.roster.delivered(client, index, known_s)
            if deed.outcome == "carried":
                self.kept.setdefault(client, index)
            elif deed.outcome != "silent":
                self.kept.pop(client, None)
        own = replace(actual, client=plan.round_.client)
        policy = plan.planning.schedule.policy
        self._memory = policy.learn(index, plan.state, own)

    def notes(self) -> dict[str, Any]:
        """What a resumed run must know again, as JSON has it; a policy's memory is not in it."""
        planning = self.planning
        assert planning is not None  # noqa: S101  # there has been a round
        return {
            "clients": self.roster.notes(),
            "kept": {str(client): version for client, version in self.kept.items()},
            "number": planning.number,
            "planned": planning.client.tolist(),
            "plan": planning.plan.to_dict(),
        }

    def recall(self, notes: Mapping[str, Any]) -> None:
        """What `notes` gave: clients, all of them away, and the plan for them."""
        self.roster.recall(notes["clients"])
        self.kept = {int(client): version for client, version in notes["kept"].items()}
        clients = np.array(notes["planned"], dtype=np.intp)
        plan = ClusterPlan.from_dict(notes["plan"])
        self._use(planning_with(self._config, self.roster, notes["number"], clients, plan))

    def _refuse_hopeless(self, there: set[int]) -> None:
        """Complain if all who came were turned away: more of their kind will fare no better."""
        away = self.roster.turned_away
        if not there and len(away) >= self._config.min_clients:
            node, reason = next(iter(away.items()))
            raise PipeflError(
                f"all {len(away)} nodes were turned away, the first of them {node}: {reason}"
            )

    def _greeted(self) -> set[int]:
        """The nodes that are there and known; strangers among them are asked who they are."""
        node_ids = list(self._grid.get_node_ids())
        for event in self.roster.part_from(node_ids):
            self._tell(event)
        busy = self._postbox.busy(node_ids)
        strangers = [node for node in self.roster.strangers(node_ids) if node not in busy]
        if strangers:
            self._ask(strangers)
        return set(self.roster.nodes.values())

    def _ask(self, nodes: list[int]) -> None:
        messages = [
            Message(RecordDict({"pipefl.ask": ConfigRecord()}), node, PROFILE_QUERY)
            for node in nodes
        ]
        start_s = perf_counter()
        until_s = start_s + self._config.profile_patience_s
        arrivals = self._postbox.exchange(messages, [start_s] * len(messages), until_s)
        asked = {m.metadata.message_id: m.metadata.dst_node_id for m in messages}
        profiles = {}
        for arrival in arrivals:
            node = asked[arrival.message.metadata.reply_to_message_id]
            profile = self._profile(node, arrival, arrival.at_s - start_s)
            if profile is not None:
                profiles[node] = profile
        for event in self.roster.admit(profiles):
            self._tell(event)
        for node in set(nodes) - {asked[a.message.metadata.reply_to_message_id] for a in arrivals}:
            self._tell(f"node {node} did not say who it is; it will be asked again")

    def _profile(self, node: int, arrival: Arrival, elapsed_s: float) -> Profile | None:
        """What a node says of itself; None, and turned away, if that is nothing to plan with."""
        message = arrival.message
        if message.has_error():
            if message.metadata.src_node_id == node:
                self._tell(self.roster.turn_away(node, complaint_of(message)))
            return None
        try:
            profile = taken(message.content, Profile)
        except MessageError as error:
            self._tell(self.roster.turn_away(node, str(error)))
            return None
        why = "it has no profile" if profile is None else profile_doubt(profile, elapsed_s)
        if why is not None:
            self._tell(self.roster.turn_away(node, why))
            return None
        return profile

    def _plan(self) -> None:
        reason = reason_to_plan(self._config, self.planning, self.roster)
        if reason is None:
            return
        number = 1 if self.planning is None else self.planning.number + 1
        if number == 1:
            self.roster.number_by_partition()
        planning, events = planned(self._config, self.roster, number)
        for event in events:
            self._tell(event)
        if planning is None:
            return
        self._use(planning)
        sizes = ", ".join(str(size) for size in planning.plan.size.tolist())
        self._tell(f"plan {planning.number}, {reason}: clusters of {sizes} clients")

    def _use(self, planning: Planning) -> None:
        self.planning = planning
        self._memory = planning.schedule.policy.start(planning.scene)

    def _chosen(self, index: int, clock_s: float, reachable: set[int]) -> RoundPlan | None:
        """The round's plan, if anybody who is planned for can be reached."""
        planning = self.planning
        if planning is None:
            return None
        at = self.roster.nodes
        there = np.array([at.get(client) in reachable for client in planning.client.tolist()])
        plan = round_plan(
            self._config,
            planning,
            self.roster,
            index=index,
            clock_s=clock_s,
            reachable=there,
            carried=self._carried(planning),
            memory=self._memory,
        )
        return plan if plan.scheduled.any() else None

    def _carried(self, planning: Planning) -> NDArray[np.intp]:
        numbers = {client: place for place, client in enumerate(planning.client.tolist())}
        return np.array([numbers[c] for c in self.kept if c in numbers], dtype=np.intp)
