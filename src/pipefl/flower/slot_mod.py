"""The client's side of the schedule: a mod that holds a reply until its slot."""

from math import ceil
from time import perf_counter, sleep, time

from flwr.app import ArrayRecord, ConfigRecord, Context, Message, MetricRecord, RecordDict
from flwr.clientapp.typing import ClientAppCallable

from pipefl.flower.messages import Came, SlotOrder, SlotReport, attach, taken

_KEPT = "pipefl.kept."
_KEPT_ROUND = "pipefl.kept"


def uplink_slot(message: Message, context: Context, call_next: ClientAppCallable) -> Message:
    r"""Compute, wait for the slot, reply, and report when all that was.

    .. math:: \text{upload start} = \max(\theta_k,\ \tau_m) \quad
        \text{seconds after the message was received}

    From: this package's paper, fig:protocol. It must be the first in a `ClientApp`'s `mods`, so
    that everything that others do to the reply is done before the slot. Time runs from the
    receipt by this machine's `perf_counter`, so clocks need not agree. Messages without an
    order pass through untouched: those of other strategies, evaluations, and the stages of
    secure aggregation.

    A client that is later for its slot than is forgiven does as ordered: its reply goes
    without its arrays (`drop`), waits for a later place of its own (`next-slot`), or stays
    here until it is called for (`carry`).
    """
    received_s, received_unix_s = perf_counter(), time()
    order = taken(message.content, SlotOrder)
    if order is None:
        return call_next(message, context)
    reply, model_round = _computed(message, context, call_next, order)
    if reply.has_error():
        return reply
    compute_s = perf_counter() - received_s
    came, release_s = _decided(order, compute_s)
    if model_round is None:
        came = "nothing"
    if came == "carried":
        _keep(context.state, reply.content, order.round)
    if came != "uploaded":
        reply, release_s = Message(RecordDict(), reply_to=message), compute_s
    _hold_until(received_s + release_s)
    start_s = perf_counter() - received_s
    report = SlotReport(
        round=order.round,
        came=came,
        compute_s=compute_s,
        wait_s=start_s - compute_s,
        upload_start_s=start_s,
        lateness_s=max(0.0, start_s - order.release_s) if order.release_s > 0 else 0.0,
        model_round=order.round if model_round is None else model_round,
        received_unix_s=received_unix_s,
    )
    attach(reply.content, report)
    return reply


def _computed(
    message: Message, context: Context, call_next: ClientAppCallable, order: SlotOrder
) -> tuple[Message, int | None]:
    """The reply and the round of the model it is based on; None if there is nothing to send."""
    if not order.deliver:
        return call_next(message, context), order.round
    kept = _released(context.state)
    if kept is None:
        return Message(RecordDict(), reply_to=message), None
    content, model_round = kept
    return Message(content, reply_to=message), model_round


def _decided(order: SlotOrder, ready_s: float) -> tuple[Came, float]:
    """What becomes of a reply that is ready, and when it may be sent."""
    if ready_s <= order.release_s + order.forgiven_s:
        return "uploaded", order.release_s
    if order.missed == "drop":
        return "dropped", ready_s
    if order.missed == "carry":
        return "carried", ready_s
    return "uploaded", next_place_s(order.later_s, order.period_s, ready_s)


def next_place_s(later_s: list[float], period_s: float, ready_s: float) -> float:
    """The first of the places, the last of which comes back every so often, from a time on.

    >>> [next_place_s([4.0, 10.0], 6.0, ready_s) for ready_s in (3.0, 4.5, 10.5, 16.0)]
    [4.0, 10.0, 16.0, 16.0]
    """
    for place_s in later_s:
        if place_s >= ready_s:
            return place_s
    if not later_s or period_s <= 0:
        return ready_s
    return later_s[-1] + ceil((ready_s - later_s[-1]) / period_s) * period_s


def _hold_until(time_s: float) -> None:
    while (left_s := time_s - perf_counter()) > 0:
        sleep(left_s)


def _keep(state: RecordDict, content: RecordDict, model_round: int) -> None:
    _released(state)
    for name, record in content.items():
        state[_KEPT + name] = record
    state[_KEPT_ROUND] = ConfigRecord({"round": model_round})


def _released(state: RecordDict) -> tuple[RecordDict, int] | None:
    """What was kept and for which round, which is then kept no longer."""
    about = state.get(_KEPT_ROUND)
    if not isinstance(about, ConfigRecord):
        return None
    del state[_KEPT_ROUND]
    records: dict[str, ArrayRecord | MetricRecord | ConfigRecord] = {}
    for name in [name for name in state if name.startswith(_KEPT)]:
        records[name.removeprefix(_KEPT)] = state[name]
        del state[name]
    return RecordDict(records), int(str(about["round"]))
