from dataclasses import replace
from itertools import islice

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hand
import pipefl
from pipefl.devices.jitter import Jitter
from pipefl.policies.clustered import Clustered
from pipefl.policies.policy import RoundPolicy
from pipefl.policies.rounds import RoundSchedule
from pipefl.policies.scene import Scene
from pipefl.policies.step import Step
from pipefl.policies.uniform import Uniform
from pipefl.timeline import DISCIPLINES, MISSED, Discipline, Missed
from pipefl.wireless import LTE_CQI, ChannelState

TIMES_S = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0])
PLAN = pipefl.plan_clusters(TIMES_S, 2.0, num_clusters=3)


def _scene(num_channels: int = 2) -> Scene:
    return Scene(TIMES_S, np.full(7, 2.0), num_channels, 0.5, plan=PLAN)


def _steps(schedule: RoundSchedule, number: int, num_channels: int = 2) -> list[Step]:
    return list(islice(schedule.steps(_scene(num_channels), seed=4), number))


@pytest.mark.paper("alg:csgd")
def test_clustered_rounds_follow_each_other_with_n_clients_of_every_cluster() -> None:
    steps = _steps(RoundSchedule(Clustered(), "slots"), 5)
    for index, step in enumerate(steps):
        assert np.bincount(PLAN.cluster_of[step.client]).tolist() == [2, 2, 2]
        assert step.index == index
        assert step.start_s == index * 9.5
        assert step.end_s == (index + 1) * 9.5
        assert step.staleness.tolist() == [0] * 6
        on_time = step.start_s + PLAN.slot_time_s[PLAN.cluster_of[step.client]]
        assert step.upload_start_s.tolist() == on_time.tolist()


@settings(max_examples=30)
@given(
    st.sampled_from([Clustered(), Uniform(), Uniform(per_channel=3)]),
    st.sampled_from(DISCIPLINES),
    st.sampled_from(MISSED),
    st.integers(0, 99),
)
def test_steps_join_and_their_uploads_lie_within_them_and_do_not_overlap(
    policy: RoundPolicy, discipline: Discipline, missed: Missed, seed: int
) -> None:
    schedule = RoundSchedule(policy, discipline, missed, Jitter(0.3))
    end_s = 0.0
    for step in islice(schedule.steps(_scene(), seed), 12):
        assert step.start_s == end_s
        end_s = step.end_s
        assert np.all(step.upload_start_s >= step.start_s)
        assert np.all(step.upload_end_s <= step.end_s)
        assert np.all(step.version <= step.index)
        for channel in range(2):
            uses = np.flatnonzero(step.channel == channel)
            uses = uses[np.argsort(step.upload_start_s[uses])]
            assert np.all(step.upload_start_s[uses][1:] >= step.upload_end_s[uses][:-1])


def test_a_schedule_is_a_pure_function_of_scene_and_seed() -> None:
    schedule = RoundSchedule(Uniform(), "fifo", jitter=Jitter(0.2))
    first, again = (
        [step.client.tolist() for step in islice(schedule.steps(_scene(), seed), 20)]
        for seed in (1, 1)
    )
    other = [step.client.tolist() for step in islice(schedule.steps(_scene(), 2), 20)]
    assert first == again
    assert first != other


def test_carried_clients_deliver_once_later_from_the_version_they_were_given() -> None:
    schedule = RoundSchedule(Clustered(), "slots", missed="carry", jitter=Jitter(0.8))
    out: dict[int, int] = {}
    num_late = 0
    for step in _steps(schedule, 300, num_channels=1):
        for client, version in zip(step.client.tolist(), step.version.tolist(), strict=True):
            assert version == out.pop(client, step.index)
            num_late += version < step.index
        out |= {client: out.get(client, step.index) for client in step.missed.tolist()}
    assert num_late > 20


def test_uniform_clients_are_drawn_alike() -> None:
    counts = np.zeros(7)
    for step in _steps(RoundSchedule(Uniform(), "wait-all"), 3000):
        counts[step.client] += 1
    assert counts == pytest.approx(6000 / 7, rel=0.12)


@pytest.mark.parametrize(
    ("schedule", "plan", "message"),
    [
        (RoundSchedule(Clustered(), "fifo"), None, "'clustered' needs a plan"),
        (RoundSchedule(Uniform(), "slots"), None, "discipline 'slots' needs a plan"),
        (
            RoundSchedule(Uniform(per_channel=9), "fifo"),
            PLAN,
            "num_channels is 2; with 9 clients for each a round has 18",
        ),
        (RoundSchedule(Uniform(per_channel=0), "fifo"), PLAN, "per_channel is 0"),
    ],
)
def test_what_a_schedule_lacks_is_said_before_the_first_round(
    schedule: RoundSchedule, plan: pipefl.ClusterPlan | None, message: str
) -> None:
    scene = Scene(TIMES_S, np.full(7, 2.0), 2, plan=plan)
    with pytest.raises(pipefl.PipeflError, match=message):
        next(schedule.steps(scene))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"num_channels": 0}, "num_channels is 0"),
        ({"server_time_s": -1.0}, "server_time_s is -1.0"),
        ({"num_samples": np.array([1, 2])}, "at least 1 for each of 7 clients"),
        ({"num_samples": np.zeros(7, int)}, "at least 1 for each of 7 clients"),
        ({"upload_time_s": np.ones(3)}, "one for each of the 7 clients"),
        ({"num_samples": np.full(7, 1.5)}, "at least 1 for each of 7 clients"),
        ({"plan": pipefl.plan_clusters([1.0, 2.0], 1.0)}, "plan.num_clients is 2; it must be 7"),
    ],
)
def test_a_scene_that_cannot_be_is_refused(settings: dict[str, object], message: str) -> None:
    given_settings = {"compute_time_s": TIMES_S, "upload_time_s": np.ones(7), **settings}
    with pytest.raises(pipefl.PipeflError, match=message):
        Scene(**given_settings)  # type: ignore[arg-type]  # wrong on purpose


def test_with_bits_to_send_an_upload_takes_what_its_channel_needs_in_that_round() -> None:
    channel = hand.channel([0.5, 1.0, 2.0, 3.0, 4.0])
    scene = replace(hand.five_clients(2, channel=channel), update_bits=2e6)
    steps = list(islice(RoundSchedule(Uniform(per_channel=2), "fifo").steps(scene), 20))
    for step in steps:
        assert step.missed.size == 0
        took_s = step.upload_end_s - step.upload_start_s
        expected_s = channel.upload_time_s(step.index, 2e6)[step.client]
        assert took_s == pytest.approx(expected_s)


def test_a_client_whose_channel_carries_nothing_computes_in_vain() -> None:
    channel = ChannelState(np.array([1e-9, 50.0, 50.0]), hand.channel(np.ones(3)).uplink, LTE_CQI)
    scene = Scene(np.ones(3), np.ones(3), 3, channel=channel, update_bits=1e6)
    for step in islice(RoundSchedule(Uniform(), "wait-all").steps(scene), 10):
        assert 0 in step.missed
        assert 0 not in step.client


def test_bits_to_send_need_a_channel_to_send_them_on() -> None:
    with pytest.raises(pipefl.PipeflError, match="'update_bits' needs the channel state"):
        Scene(np.ones(3), np.ones(3), update_bits=1e6)


def _one_in_reach_of_three() -> Scene:
    channel = ChannelState(np.array([1e-9, 1e-9, 50.0]), hand.channel(np.ones(3)).uplink, LTE_CQI)
    plan = pipefl.plan_clusters(np.ones(3), 1.0)
    return Scene(np.ones(3), np.ones(3), 1, 0.5, plan=plan, channel=channel, update_bits=1e6)


@pytest.mark.parametrize("discipline", DISCIPLINES)
def test_a_round_in_which_nobody_can_upload_takes_time_all_the_same(discipline: Discipline) -> None:
    steps = islice(RoundSchedule(Uniform(), discipline).steps(_one_in_reach_of_three()), 30)
    silent = [step for step in steps if step.client.size == 0]
    assert len(silent) > 10
    assert all(step.duration_s > 0.5 for step in silent)


def test_a_carried_client_without_a_channel_stays_carried() -> None:
    schedule = RoundSchedule(Uniform(per_channel=3), "slots", missed="carry", jitter=Jitter(2.0))
    channel = ChannelState(np.array([2.0, 2.0, 2.0]), hand.channel(np.ones(3)).uplink, LTE_CQI)
    scene = replace(_one_in_reach_of_three(), channel=channel)
    given: dict[int, int] = {}
    num_late = 0
    for step, round_ in islice(schedule.rounds(scene), 300):
        for client, version in zip(step.client.tolist(), step.version.tolist(), strict=True):
            assert version == given.pop(client, step.index)
            num_late += version < step.index - 1
        for client in round_.missed.tolist():
            given.setdefault(client, step.index)
    assert num_late > 10
