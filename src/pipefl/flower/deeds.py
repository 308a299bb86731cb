"""What each client of a round did, from what came back of its order."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from flwr.app import Message, RecordDict

from pipefl.flower.believing import Seen, computed_s, doubt
from pipefl.flower.cohort_grid import Exchanged
from pipefl.flower.messages import MessageError, SlotReport, taken
from pipefl.flower.replies import Arrays, odd_ones, rebased, refusal
from pipefl.flower.round_plan import RoundPlan
from pipefl.runs.intervals import Outcome


@dataclass(frozen=True, kw_only=True)
class Deed:
    """One client's part in a round; times in seconds since the round's messages were sent.

    `seen` is its report if that can be true, `arrived_s` when its reply was there, `message` the
    reply, `version` the round (from 0) whose model its update was computed from.
    `reason` says why it was refused or failed.
    """

    outcome: Outcome
    version: int
    reason: str | None = None
    seen: Seen | None = None
    arrived_s: float | None = None
    message: Message | None = None


@dataclass(frozen=True, eq=False)
class Rules:
    """By which replies are judged: the models by the round that sent them, and bounds.

    `num_samples` are the samples of each of the round's clients, `version` the round whose
    model each one's update must be of.
    """

    models: Mapping[int, Arrays]
    num_samples: Sequence[int]
    version: Sequence[int]
    weight_key: str
    largest_update: float


def deeds(
    plan: RoundPlan, nodes: Mapping[int, int], exchanged: Exchanged, rules: Rules
) -> list[Deed]:
    """A deed for each client of the plan; only replies that may be used are "delivered"."""
    sent_to = {m.metadata.message_id: m.metadata.dst_node_id for m in exchanged.messages}
    arrived = {sent_to[a.message.metadata.reply_to_message_id]: a for a in exchanged.arrivals}
    found = []
    for row, client in enumerate(plan.client.tolist()):
        arrival = arrived.get(nodes.get(client, -1))
        if not plan.scheduled[row]:
            found.append(Deed(outcome="carried", version=rules.version[row]))
        elif arrival is None:
            found.append(Deed(outcome="silent", version=rules.version[row]))
        else:
            arrived_s = arrival.at_s - exchanged.start_s
            found.append(_deed(arrival.message, arrived_s, rules, row))
    return _consistent(found)


def compute_times_s(
    plan: RoundPlan, done: Sequence[Deed], unaccounted_s: float, upload_time_s: float
) -> list[float | None]:
    """How long each client computed in this round; None for those that did not, or are silent."""
    fresh = [
        not carried and deed.outcome not in ("silent", "failed")
        for carried, deed in zip(plan.is_carried.tolist(), done, strict=True)
    ]
    seen = [deed.seen if is_fresh else None for deed, is_fresh in zip(done, fresh, strict=True)]
    arrived_s = [
        deed.arrived_s if is_fresh else None for deed, is_fresh in zip(done, fresh, strict=True)
    ]
    return computed_s(seen, arrived_s, unaccounted_s, upload_time_s)


def _deed(message: Message, arrived_s: float, rules: Rules, row: int) -> Deed:
    deed = Deed(
        outcome="delivered", version=rules.version[row], arrived_s=arrived_s, message=message
    )
    if message.has_error():
        return replace(deed, outcome="failed", reason=complaint_of(message))
    try:
        report = taken(message.content, SlotReport)
    except MessageError as error:
        return replace(deed, outcome="refused", reason=str(error))
    if report is None:
        reason = "its reply has no report: uplink_slot is not among its ClientApp's mods"
        return replace(deed, outcome="refused", reason=reason)
    seen = Seen(report, arrived_s)
    untrue = doubt(seen)
    deed = replace(deed, reason=untrue, seen=seen if untrue is None else None)
    if report.came != "uploaded":
        return replace(deed, outcome="carried" if report.came == "carried" else "dropped")
    if report.model_round != rules.version[row] + 1:
        told = f"its update is of round {report.model_round}, not {rules.version[row] + 1}"
        return replace(deed, outcome="refused", reason=told)
    return _judged(deed, message.content, rules, row)


def complaint_of(message: Message) -> str:
    """The reason of an error message, in one line."""
    return " ".join((message.error.reason or "").split()) or f"error {message.error.code}"


def _judged(deed: Deed, content: RecordDict, rules: Rules, row: int) -> Deed:
    """Refused, or with a model as if trained from the present one, the last that was sent."""
    then, now = rules.models[deed.version], rules.models[max(rules.models)]
    why = refusal(content, then, rules.num_samples[row], rules.weight_key, rules.largest_update)
    if why is not None:
        return replace(deed, outcome="refused", reason=why)
    if then is not now:
        name, record = next(iter(content.array_records.items()))
        content[name] = rebased(record, then, now)
    return deed


def _consistent(done: list[Deed]) -> list[Deed]:
    """Those whose metrics have other names than most are refused too."""
    rows = [row for row, deed in enumerate(done) if deed.outcome == "delivered"]
    contents = [
        deed.message.content for deed in done if deed.outcome == "delivered" and deed.message
    ]
    for row, why in zip(rows, odd_ones(contents), strict=True):
        if why is not None:
            done[row] = replace(done[row], outcome="refused", reason=why)
    return done
