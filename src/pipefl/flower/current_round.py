"""The round that is going on: its messages, and what comes of them."""

from collections.abc import Mapping, Sequence
from math import isfinite

from flwr.app import Message, RecordDict

from pipefl.errors import PipeflError
from pipefl.flower.cohort_grid import Exchanged, Timetable
from pipefl.flower.deeds import Deed, Rules, deeds
from pipefl.flower.messages import attach
from pipefl.flower.plan_config import PlanConfig
from pipefl.flower.recording import DoneRound
from pipefl.flower.replies import Arrays
from pipefl.flower.roster import Roster
from pipefl.flower.round_plan import RoundPlan


class CurrentRound:
    """Round `index`, from 0, as planned; `nodes` says where each client is."""

    def __init__(self, index: int, plan: RoundPlan, nodes: Mapping[int, int]) -> None:
        self.index = index
        self.plan = plan
        self._node_of = dict(nodes)
        self._deeds: list[Deed] = []
        self._exchanged: Exchanged | None = None

    @property
    def nodes(self) -> list[int]:
        """The nodes of the clients that have a place in the uplink."""
        return [self._node_of[client] for client in self._placed]

    def ordered(self, messages: Sequence[Message]) -> list[Message]:
        """The strategy's messages with an order each; kept updates are only called for."""
        row_of = {
            self._node_of[client]: row
            for row, client in enumerate(self.plan.client.tolist())
            if self.plan.scheduled[row]
        }
        sent_to = [message.metadata.dst_node_id for message in messages]
        if sorted(sent_to) != sorted(row_of):
            raise PipeflError(
                f"the wrapped strategy sends {len(sent_to)} messages to the {len(row_of)} nodes of "
                "round's cohort; it must send one to each: give it fraction_train=1.0"
            )
        for message, node in zip(messages, sent_to, strict=True):
            row = row_of[node]
            is_kept = bool(self.plan.is_carried[row])
            message.content = RecordDict() if is_kept else RecordDict(dict(message.content))
            attach(message.content, self.plan.orders[row])
        return list(messages)

    def timetable(self, messages: Sequence[Message], config: PlanConfig) -> Timetable:
        """When the replies to these messages are due by the plan, and how long to wait.

        A reply is due when an upload without its guard time would be over.
        """
        round_ = self.plan.round_
        end_of = {
            self._node_of[client]: float(end_s) - config.guard_s
            for client, end_s, placed in zip(
                self.plan.client.tolist(), round_.upload_end_s, self.plan.scheduled, strict=True
            )
            if placed
        }
        due_s = tuple(end_of[message.metadata.dst_node_id] for message in messages)
        return Timetable(due_s, round_.duration_s + config.patience_s)

    def judge(
        self,
        exchanged: Exchanged,
        roster: Roster,
        kept: Mapping[int, int],
        models: Mapping[int, Arrays],
        bounds: tuple[str, float],
    ) -> list[Message]:
        """The replies that the strategy may have: those that can be used, and errors.

        `bounds` are the name of the weight and the largest update.
        """
        clients = self.plan.client.tolist()
        is_carried = self.plan.is_carried.tolist()
        rules = Rules(
            models=models,
            num_samples=[roster.clients[client].num_samples for client in clients],
            version=[
                kept[client] if carried else self.index
                for client, carried in zip(clients, is_carried, strict=True)
            ],
            weight_key=bounds[0],
            largest_update=bounds[1],
        )
        self._exchanged = exchanged
        self._deeds = deeds(self.plan, self._node_of, exchanged, rules)
        return [
            deed.message
            for deed in self._deeds
            if deed.message is not None and deed.outcome in ("delivered", "failed")
        ]

    def done(
        self, *, clock_s: float, server_time_s: float, events: Sequence[str], loss_key: str
    ) -> DoneRound:
        """The round, which began at that time of the clock, once the server has its new model."""
        assert self._exchanged is not None  # noqa: S101  # it has been judged
        return DoneRound(
            index=self.index,
            clock_s=clock_s,
            plan=self.plan,
            deeds=tuple(self._deeds),
            exchanged=self._exchanged,
            server_time_s=server_time_s,
            losses=[_loss(deed, loss_key) for deed in self._deeds],
            events=tuple(events),
        )

    @property
    def _placed(self) -> list[int]:
        clients: list[int] = self.plan.client[self.plan.scheduled].tolist()
        return clients


def _loss(deed: Deed, key: str) -> float | None:
    if deed.message is None or not deed.message.has_content():
        return None
    for metrics in deed.message.content.metric_records.values():
        value = metrics.get(key)
        if isinstance(value, int | float) and isfinite(value):
            return float(value)
    return None
