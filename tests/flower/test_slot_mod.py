"""The client mod by itself."""

from statistics import median
from time import perf_counter, sleep
from typing import Any

import numpy as np
import pytest
from flwr.app import ConfigRecord, Context, Message, MetricRecord, RecordDict
from flwr.supercore.task_identity import TaskIdentity

import in_process
from pipefl.errors import PipeflError
from pipefl.flower import answer_profile, uplink_slot
from pipefl.flower.messages import (
    MessageError,
    Profile,
    SlotOrder,
    SlotReport,
    Told,
    attach,
    taken,
)

ORDER = SlotOrder(
    round=3,
    release_s=0.2,
    forgiven_s=0.05,
    missed="drop",
    later_s=[0.5],
    period_s=0.25,
    deliver=False,
)


def _message(order: SlotOrder | None) -> Message:
    TaskIdentity.run_id = TaskIdentity.task_id = TaskIdentity.node_id = 1
    content = RecordDict({"arrays": in_process.record(in_process.MODEL), "config": ConfigRecord()})
    if order is not None:
        attach(content, order)
    return Message(content, dst_node_id=5, message_type="train")


def _context() -> Context:
    return Context(1, 5, {"partition-id": 2}, RecordDict(), {})


def _computing(seconds: float):  # type: ignore[no-untyped-def]  # an app's function
    def train(message: Message, context: Context) -> Message:
        assert list(message.content) == ["arrays", "config"]  # the order is not for apps
        sleep(seconds)
        record = in_process.record({"weight": np.full(3, 7.0, np.float32)})
        metrics = MetricRecord({"num-examples": 1})
        return Message(RecordDict({"arrays": record, "metrics": metrics}), reply_to=message)

    return train


def _report(reply: Message) -> SlotReport:
    report = taken(reply.content, SlotReport)
    assert report is not None
    return report


def test_a_reply_is_held_until_its_slot() -> None:
    start_s = perf_counter()
    reply = uplink_slot(_message(ORDER), _context(), _computing(0.05))
    assert perf_counter() - start_s >= 0.2
    report = _report(reply)
    assert (report.came, report.round, report.model_round) == ("uploaded", 3, 3)
    assert report.upload_start_s >= 0.2
    assert report.compute_s + report.wait_s == pytest.approx(report.upload_start_s)
    assert report.lateness_s == pytest.approx(report.upload_start_s - 0.2)
    assert sorted(reply.content) == ["arrays", "metrics"]


def test_without_an_order_nothing_is_done() -> None:
    start_s = perf_counter()
    reply = uplink_slot(_message(None), _context(), _computing(0.0))
    assert perf_counter() - start_s < 0.2
    assert sorted(reply.content) == ["arrays", "metrics"]


def test_a_late_client_sends_no_arrays_when_it_is_to_drop_them() -> None:
    reply = uplink_slot(_message(ORDER), _context(), _computing(0.4))
    assert _report(reply).came == "dropped"
    assert list(reply.content) == []


def test_a_late_client_waits_for_its_later_place() -> None:
    order = SlotOrder(**{**vars(ORDER), "missed": "next-slot"})
    reply = uplink_slot(_message(order), _context(), _computing(0.3))
    report = _report(reply)
    assert report.came == "uploaded"
    assert report.upload_start_s >= 0.5
    assert report.lateness_s == pytest.approx(report.upload_start_s - 0.2)


def test_a_late_client_keeps_its_update_until_it_is_called_for() -> None:
    context = _context()
    order = SlotOrder(**{**vars(ORDER), "missed": "carry"})
    assert _report(uplink_slot(_message(order), context, _computing(0.4))).came == "carried"
    calling = SlotOrder(**{**vars(ORDER), "round": 4, "release_s": 0.0, "deliver": True})
    reply = uplink_slot(_message(calling), context, _computing(99.0))
    report = _report(reply)
    assert (report.came, report.round, report.model_round) == ("uploaded", 4, 3)
    kept = in_process.arrays(reply.content["arrays"])  # type: ignore[arg-type]  # it is one
    assert kept["weight"].tolist() == [7.0] * 3
    again = uplink_slot(_message(calling), context, _computing(99.0))
    assert _report(again).came == "nothing"
    assert dict(context.state) == {}


def test_errors_are_passed_on_at_once() -> None:
    from flwr.app import Error

    def failing(message: Message, context: Context) -> Message:
        return Message(Error(code=7, reason="no"), reply_to=message)

    start_s = perf_counter()
    reply = uplink_slot(_message(ORDER), _context(), failing)
    assert perf_counter() - start_s < 0.2
    assert reply.error.code == 7


def test_a_profile_is_measured() -> None:
    done = []

    def work() -> None:
        done.append(1)
        sleep(0.02)

    reply = answer_profile(
        _message(None),
        _context(),
        work=work,
        work_samples=4,
        num_samples=10,
        samples_per_round=30,
    )
    profile = taken(reply.content, Profile)
    assert profile is not None
    assert (profile.partition_id, profile.num_samples, profile.measured_samples) == (2, 10, 4)
    assert len(done) == 4
    assert profile.measured_s >= 0.02
    assert profile.compute_time_s == pytest.approx(profile.measured_s / 4 * 30)


def test_a_node_without_a_partition_is_told_how_to_have_one() -> None:
    context = Context(1, 5, {}, RecordDict(), {})
    with pytest.raises(PipeflError, match='start it with --node-config "partition-id=0"'):
        answer_profile(_message(None), context, work=lambda: None, work_samples=1, num_samples=1)


_PROFILE = Profile(
    partition_id=1, num_samples=2, samples_per_round=2, measured_samples=1, measured_s=0.5
)


@pytest.mark.parametrize("told", [ORDER, _PROFILE])
def test_records_are_read_back_as_they_were(told: Told) -> None:
    content = RecordDict()
    attach(content, told)
    wire = RecordDict({told.NAME: ConfigRecord.inflate(content[told.NAME].deflate())})
    assert taken(wire, type(told)) == told
    assert dict(wire) == {}
    assert taken(wire, type(told)) is None


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"measured_s": float("inf")}, "measured_s = inf"),
        ({"measured_s": -1.0}, "measured_s = -1.0"),
        ({"num_samples": 2.5}, "num_samples = 2.5"),
        ({"num_samples": True}, "num_samples = True"),
        ({"partition_id": "one"}, "partition_id = 'one'"),
        ({"more": 1}, "is not a record of partition_id"),
    ],
)
def test_records_that_do_not_say_what_they_should_are_refused(
    change: dict[str, Any], complaint: str
) -> None:
    content = RecordDict({Profile.NAME: ConfigRecord({**vars(_PROFILE), **change})})
    with pytest.raises(MessageError, match=complaint):
        taken(content, Profile)
    assert dict(content) == {}


def test_releases_are_on_time() -> None:
    """The figure itself is in docs/flower.md; a busy machine must not fail a test."""
    order = SlotOrder(**{**vars(ORDER), "release_s": 0.05})
    late_s = [
        _report(uplink_slot(_message(order), _context(), _computing(0.0))).lateness_s
        for _ in range(15)
    ]
    assert min(late_s) >= 0
    assert median(late_s) < 0.1
