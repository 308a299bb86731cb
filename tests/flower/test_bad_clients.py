"""Clients that do not do as they should: nothing wrong enters the model, and the record says so."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flwr.app import ArrayRecord, ConfigRecord, Context, Message, MetricRecord, RecordDict
from flwr.clientapp.typing import ClientAppCallable
from numpy.typing import NDArray

import in_process
import small_federations as small
from in_process import NUM_SAMPLES, InProcessGrid, Node, Reply
from pipefl.errors import PipeflError
from pipefl.flower.messages import SlotReport

BAD = 2  # the partition of the client that is not honest
_ALL = small.quick(num_channels=2)  # everybody takes part in every round


def _with(bad: Node) -> InProcessGrid:
    grid = InProcessGrid()
    for partition_id, compute_s in enumerate(small.COMPUTE_S):
        grid.join(bad if partition_id == BAD else in_process.honest(partition_id, compute_s))
    return grid


def _bad_reply(reply: Reply) -> Node:
    return Node(in_process.client_app(small.COMPUTE_S[BAD], reply), BAD)


def _honest_mean() -> float:
    return float(np.mean([0.25 * (n + 1) for n in range(6) if n != BAD]))


def _metrics(**changes: Any) -> MetricRecord:
    return MetricRecord({"num-examples": NUM_SAMPLES, "train_loss": 0.5} | changes)


def _not_a_number(message: Message, model: dict[str, NDArray[Any]]) -> RecordDict:
    model["weight"] = model["weight"] + np.float32("nan")
    return RecordDict({"arrays": in_process.record(model), "metrics": _metrics()})


def _infinite_bias(message: Message, model: dict[str, NDArray[Any]]) -> RecordDict:
    model["bias"] = np.array(np.inf, np.float32)
    return RecordDict({"arrays": in_process.record(model), "metrics": _metrics()})


def _huge(message: Message, model: dict[str, NDArray[Any]]) -> RecordDict:
    model["weight"] = model["weight"] + np.float32(1e9)
    return RecordDict({"arrays": in_process.record(model), "metrics": _metrics()})


def _misshapen(message: Message, model: dict[str, NDArray[Any]]) -> RecordDict:
    model["weight"] = np.zeros((2, 2), np.float32)
    return RecordDict({"arrays": in_process.record(model), "metrics": _metrics()})


def _partial(message: Message, model: dict[str, NDArray[Any]]) -> RecordDict:
    record = in_process.record({"weight": model["weight"]})
    return RecordDict({"arrays": record, "metrics": _metrics()})


def _many_samples(message: Message, model: dict[str, NDArray[Any]]) -> RecordDict:
    metrics = _metrics(**{"num-examples": 1_000_000})
    return RecordDict({"arrays": in_process.record(model), "metrics": metrics})


def _loss_nan(message: Message, model: dict[str, NDArray[Any]]) -> RecordDict:
    metrics = _metrics(train_loss=float("nan"))
    return RecordDict({"arrays": in_process.record(model), "metrics": metrics})


def _odd_metric(message: Message, model: dict[str, NDArray[Any]]) -> RecordDict:
    metrics = _metrics(surprise=1.0)
    return RecordDict({"arrays": in_process.record(model), "metrics": metrics})


def _nothing(message: Message, model: dict[str, NDArray[Any]]) -> RecordDict:
    return RecordDict()


def _two_models(message: Message, model: dict[str, NDArray[Any]]) -> RecordDict:
    record = in_process.record(model)
    return RecordDict({"a": record, "b": ArrayRecord(), "metrics": _metrics()})


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (_not_a_number, "its update is not finite: array 'weight'"),
        (_infinite_bias, "its update is not finite: array 'bias'"),
        (_huge, "its update has norm 2.45e+09, more than 1e+06"),
        (_misshapen, "its array 'weight' is of shape (2, 2), which is not what was sent"),
        (_partial, "its reply lacks the array 'bias'"),
        (_many_samples, "its num-examples is 1000000; it has 10 samples"),
        (_loss_nan, "its metric train_loss is not finite"),
        (_odd_metric, "its metrics are num-examples, surprise, train_loss, and those of most are"),
        (_nothing, "its reply must have one ArrayRecord and one MetricRecord, and has 0 and 0"),
        (_two_models, "its reply must have one ArrayRecord and one MetricRecord, and has 2 and 1"),
    ],
)
def test_a_reply_that_cannot_be_used_is_refused_and_named(
    reply: Reply, reason: str, tmp_path: Path
) -> None:
    path = tmp_path / "run"
    result = small.federate(_with(_bad_reply(reply)), config=_ALL, run_dir=path)
    (record,) = small.rounds_of(path)
    assert list(record.refused) == [str(BAD)]
    assert record.refused[str(BAD)].startswith(reason)
    assert f"client {BAD} was refused: {reason}" in small.events_of(path)
    for array in in_process.arrays(result.arrays).values():
        np.testing.assert_allclose(array, _honest_mean(), rtol=1e-6)


def test_a_client_that_fails_is_not_waited_for_and_its_error_is_kept(tmp_path: Path) -> None:
    def fail(message: Message, model: dict[str, NDArray[Any]]) -> RecordDict:
        raise RuntimeError("out of\nmemory")

    path = tmp_path / "run"
    result = small.federate(_with(_bad_reply(fail)), rounds=2, config=_ALL, run_dir=path)
    assert [outcomes[BAD] for outcomes in small.outcomes_of(path)] == ["failed"] * 2
    assert f"client {BAD} failed: RuntimeError: out of memory" in small.events_of(path)
    assert small.rounds_of(path)[0].missed == [BAD]
    assert np.isfinite(in_process.arrays(result.arrays)["weight"]).all()


def test_a_client_that_dies_in_mid_round_does_not_hold_up_the_others(tmp_path: Path) -> None:
    path = tmp_path / "run"
    node = in_process.honest(BAD, small.COMPUTE_S[BAD])
    grid = _with(node)

    def die_in_its_first_round(message: Message, model: dict[str, NDArray[Any]]) -> RecordDict:
        node.dead = True
        return RecordDict()

    node.app = in_process.client_app(small.COMPUTE_S[BAD], die_in_its_first_round)
    patient = small.quick(num_channels=2, patience_s=0.5, min_clients=6)
    result = small.federate(grid, rounds=3, config=patient, run_dir=path)
    outcomes = small.outcomes_of(path)
    assert outcomes[0][BAD] == "silent"
    # It is still connected, but owes a reply: the others go on without it.
    assert [BAD in each for each in outcomes] == [True, False, False]
    assert all(each.pop(BAD, "silent") == "silent" for each in outcomes)
    assert all(set(each.values()) == {"delivered"} for each in outcomes)
    assert np.isfinite(in_process.arrays(result.arrays)["weight"]).all()


def test_a_client_without_the_mod_is_refused(tmp_path: Path) -> None:
    app = in_process.client_app(small.COMPUTE_S[BAD], in_process.trained(BAD), mods=())
    small.federate(_with(Node(app, BAD)), config=_ALL, run_dir=tmp_path / "run")
    assert "uplink_slot is not among its ClientApp's mods" in small.events_of(tmp_path / "run")


def _reporting(**lies: Any) -> Node:
    """A client whose report says what it likes."""

    def lying(message: Message, context: Context, call_next: ClientAppCallable) -> Message:
        reply = call_next(message, context)
        told = reply.content.get(SlotReport.NAME)
        if isinstance(told, ConfigRecord):
            for name, value in lies.items():
                told[name] = value
        return reply

    from pipefl.flower import uplink_slot

    app = in_process.client_app(
        small.COMPUTE_S[BAD], in_process.trained(BAD), mods=(lying, uplink_slot)
    )
    return Node(app, BAD)


@pytest.mark.parametrize(
    ("lies", "reason"),
    [
        ({"upload_start_s": 900.0, "wait_s": 899.0, "compute_s": 1.0}, "it says that it began"),
        ({"compute_s": 0.0, "wait_s": 0.0, "upload_start_s": 0.2}, "it says that it computed"),
    ],
)
def test_times_that_cannot_be_are_not_believed_but_the_update_is_used(
    lies: dict[str, Any], reason: str, tmp_path: Path
) -> None:
    path = tmp_path / "run"
    small.federate(_with(_reporting(**lies)), config=_ALL, run_dir=path)
    assert small.outcomes_of(path) == [dict.fromkeys(range(6), "delivered")]
    assert f"client {BAD} was not believed: {reason}" in small.events_of(path)
    (intervals,) = small.intervals_of(path)
    assert intervals.lateness_s[intervals.client.index(BAD)] is None


@pytest.mark.parametrize(
    "lies", [{"compute_s": float("nan")}, {"came": "maybe"}, {"round": "first"}, {"extra": 1}]
)
def test_a_report_that_is_none_is_refused(lies: dict[str, Any], tmp_path: Path) -> None:
    small.federate(_with(_reporting(**lies)), config=_ALL, run_dir=tmp_path / "run")
    assert small.outcomes_of(tmp_path / "run")[0][BAD] == "refused"
    assert "was refused: pipefl.report" in small.events_of(tmp_path / "run")


def test_an_update_of_another_round_is_refused(tmp_path: Path) -> None:
    small.federate(_with(_reporting(model_round=7)), config=_ALL, run_dir=tmp_path / "run")
    assert "its update is of round 7, not 1" in small.events_of(tmp_path / "run")


def test_a_client_that_hides_its_slowness_is_soon_planned_with_as_slow(tmp_path: Path) -> None:
    """It claims to compute at once, and again after every round; its replies come late."""
    path = tmp_path / "run"
    slow_s = 0.8
    node = _reporting(compute_s=0.001, wait_s=0.0, upload_start_s=0.001)
    node.app = _hiding(slow_s)
    config = small.quick(
        num_channels=2, forgiven_s=0.1, replan_above=0.05, margin=0.2, unaccounted_s=0.5
    )
    small.federate(_with(node), rounds=4, config=config, run_dir=path)
    records = small.intervals_of(path)
    first, last = records[0], records[-1]
    assert first.slot_time_s[-1] < slow_s / 2
    assert last.slot_time_s[-1] > slow_s
    assert last.cluster[last.client.index(BAD)] == 2
    assert "of the slots would be missed" in small.events_of(path)


def _hiding(slow_s: float) -> Any:
    def lying(message: Message, context: Context, call_next: ClientAppCallable) -> Message:
        reply = call_next(message, context)
        told = reply.content.get(SlotReport.NAME)
        if isinstance(told, ConfigRecord):
            told["compute_s"] = told["upload_start_s"] = 0.01
            told["wait_s"] = 0.0
            told["came"] = "dropped"
        return reply

    from pipefl.flower import uplink_slot

    return in_process.client_app(
        slow_s, in_process.trained(BAD), mods=(lying, uplink_slot), profile_s=0.02
    )


@pytest.mark.parametrize("profile_s", [0.0, None])
def test_who_claims_to_have_measured_for_longer_than_it_took_is_turned_away(
    profile_s: float | None, tmp_path: Path
) -> None:
    from pipefl.flower import uplink_slot
    from pipefl.flower.messages import Profile, attach

    app = in_process.client_app(0.05, in_process.trained(BAD), mods=(uplink_slot,))

    def profile(message: Message, context: Context) -> Message:
        measured_s = 500.0 if profile_s is None else profile_s
        content = RecordDict()
        told = Profile(
            partition_id=BAD,
            num_samples=10,
            samples_per_round=10,
            measured_samples=1,
            measured_s=measured_s,
        )
        attach(content, told)
        return Message(content, reply_to=message)

    app._registered_funcs["query.pipefl"] = profile
    path = tmp_path / "run"
    config = small.quick(num_channels=2, min_clients=5)
    small.federate(_with(Node(app, BAD)), config=config, run_dir=path)
    assert len(small.intervals_of(path)[0].client) == 5
    assert "was turned away: " in small.events_of(path)


def test_a_federation_in_which_all_are_turned_away_ends_with_the_reason() -> None:
    grid = InProcessGrid()
    for partition_id in range(6):
        app = in_process.client_app(0.01, in_process.trained(partition_id))
        del app._registered_funcs["query.pipefl"]
        grid.join(Node(app, partition_id))
    with pytest.raises(PipeflError, match="all 6 nodes were turned away, .* No query function"):
        small.federate(grid)


def test_who_is_too_slow_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "run"
    slow = in_process.honest(BAD, 3.0)
    config = small.quick(num_channels=2, longest_compute_s=1.0)
    small.federate(_with(slow), config=config, run_dir=path)
    assert BAD not in small.intervals_of(path)[0].client
    assert f"client {BAD} is left out: it computes for 3.3" in small.events_of(path)
    assert slow.num_trained == 0
