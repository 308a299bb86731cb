from itertools import islice

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hand
from pipefl.devices.jitter import Jitter
from pipefl.errors import ArgumentError, PipeflError
from pipefl.policies.fedat import FedAt
from pipefl.policies.policy import Schedule
from pipefl.policies.scene import Scene
from pipefl.policies.step import Step
from pipefl.wireless import ChannelState, Uplink

Case = tuple[Scene, FedAt, int]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    each = st.integers(1, 16).map(lambda eighths: eighths / 8)
    compute_s = draw(st.lists(each, min_size=1, max_size=12))
    tiers = draw(st.integers(1, len(compute_s)))
    size = draw(st.none() | st.integers(1, len(compute_s) // tiers))
    server_s = draw(st.sampled_from([0.0, 0.25, 3.0]))
    scene = Scene(np.array(compute_s), np.array(draw(each)), draw(st.integers(1, 4)), server_s)
    return scene, FedAt(tiers, size), draw(st.integers(0, 9))


def _steps(case: Case, number: int = 40) -> list[Step]:
    scene, policy, seed = case
    return list(islice(policy.steps(scene, seed), number))


def test_two_tiers_on_one_sub_channel_by_hand() -> None:
    # All of a tier take part, so nothing is left to chance. The fast tier's clients upload
    # at 1, 2; at 4.5 and, after client 2, which is ready first, at 6.5; at 9, 10; at 12.5,
    # 13.5; the slow tier's at 5.5 and 7.5; its second round begins at 9: at 14.5, 15.5.
    scene = Scene(np.array([1.0, 6.0, 2.0, 5.0]), np.array(1.0), server_time_s=0.5)
    steps = _steps((scene, FedAt(num_tiers=2, clients_per_round=2), 0), 6)
    assert [step.client.tolist() for step in steps] == [[0, 2]] * 2 + [[3, 1]] + [[0, 2]] * 2 + [
        [3, 1]
    ]
    assert [step.upload_start_s.tolist() for step in steps] == [
        [1.0, 2.0],
        [4.5, 6.5],
        [5.5, 7.5],
        [9.0, 10.0],
        [12.5, 13.5],
        [14.5, 15.5],
    ]
    assert [step.end_s for step in steps] == [3.5, 8.0, 9.0, 11.5, 15.0, 17.0]
    assert [step.start_s for step in steps] == [0.0, 3.5, 8.0, 9.0, 11.5, 15.0]
    # When a tier begins again, the newest model is that of its own step before.
    assert [step.version.tolist() for step in steps] == [
        [0, 0],
        [1, 1],
        [0, 0],
        [2, 2],
        [4, 4],
        [3, 3],
    ]


def test_five_clients_in_five_tiers_on_two_sub_channels() -> None:
    # Each goes round on its own. At 3 s clients 2 and 0 find both sub-channels free. At 5 s
    # clients 4, 1 and 0 are ready, in the order in which they were sent out: client 0 waits.
    policy = FedAt(num_tiers=5, clients_per_round=1)
    steps = _steps((hand.five_clients(2), policy, 0), 8)
    assert [step.client.tolist() for step in steps] == [[0], [1], [2], [0], [3], [4], [1], [0]]
    assert [step.upload_start_s[0] for step in steps] == [1.0, 2.0, 3.0, 3.0, 4.0, 5.0, 5.0, 6.0]
    assert [step.version[0] for step in steps] == [0, 0, 0, 1, 0, 0, 2, 4]
    # Client 0 has updated three times, client 1 twice, the others once; the slowest weighs most.
    assert policy.weights([3, 2, 1, 1, 1]).tolist() == [1 / 8, 1 / 8, 1 / 8, 2 / 8, 3 / 8]


def test_tiers_are_of_equal_size_and_ties_go_by_client() -> None:
    scene = Scene(np.array([3.0, 1.0, 2.0, 2.0, 9.0, 2.0, 1.0]), np.array(1.0))
    assert FedAt(num_tiers=3).tier_of(scene).tolist() == [2, 0, 0, 1, 2, 1, 0]


@given(cases())
def test_a_step_is_a_round_of_one_tier_with_the_model_of_its_last_step(case: Case) -> None:
    scene, policy, _ = case
    tier_of = policy.tier_of(scene)
    smallest = scene.num_clients // policy.num_tiers
    size = policy.clients_per_round or min(scene.num_channels, smallest)
    last = dict.fromkeys(range(policy.num_tiers), 0)
    began_s = dict.fromkeys(range(policy.num_tiers), 0.0)
    end_s = 0.0
    for step in _steps(case):
        (tier,) = set(tier_of[step.client])
        assert len(set(step.client)) == step.client.size == size
        assert set(step.version) == {last[tier]}
        assert (step.start_s, step.end_s) == (end_s, step.upload_end_s[-1] + scene.server_time_s)
        assert (step.upload_start_s >= began_s[tier] + scene.compute_time_s[step.client]).all()
        end_s = began_s[tier] = step.end_s
        last[tier] = step.index + 1


@given(cases())
def test_all_tiers_share_the_sub_channels_first_come_first_served(case: Case) -> None:
    scene, policy, _ = case
    tier_of = policy.tier_of(scene)
    began_s = dict.fromkeys(range(policy.num_tiers), 0.0)
    uploads: list[tuple[float, int, float, float]] = []
    for step in _steps(case):
        tier = int(tier_of[step.client[0]])
        ready_s = began_s[tier] + scene.compute_time_s[step.client]
        uploads += zip(step.upload_start_s, step.channel, ready_s, step.upload_end_s, strict=True)
        began_s[tier] = step.end_s
    free_s = [0.0] * scene.num_channels
    for start_s, channel, _, upload_end_s in sorted(uploads):
        assert start_s >= free_s[channel]
        free_s[channel] = upload_end_s
    by_ready = sorted(uploads, key=lambda upload: (upload[2], upload[0]))
    assert [upload[0] for upload in by_ready] == sorted(upload[0] for upload in uploads)


def test_updates_are_as_many_steps_old_as_there_are_other_tiers() -> None:
    scene = Scene(np.linspace(1.0, 20.0, 50), np.array(0.2), num_channels=3)
    staleness = [step.staleness[0] for step in _steps((scene, FedAt(), 1), 3000)]
    assert np.mean(staleness) == pytest.approx(4.0, rel=0.01)


def test_within_a_tier_all_take_part_alike_and_slow_tiers_less_often() -> None:
    scene = Scene(np.linspace(1.0, 20.0, 20), np.array(0.2), num_channels=2)
    counts = np.zeros(20)
    for step in _steps((scene, FedAt(num_tiers=4), 0), 6000):
        counts[step.client] += 1
    tiers = counts.reshape(4, 5)
    assert (np.diff(tiers.sum(axis=1)) < 0).all()
    assert tiers / tiers.mean(axis=1, keepdims=True) == pytest.approx(1.0, abs=0.15)


def test_it_is_a_pure_function_of_scene_and_seed() -> None:
    schedule: Schedule = FedAt(num_tiers=3, jitter=Jitter(0.3))
    scene = Scene(np.linspace(1.0, 5.0, 30), np.array(0.2), num_channels=2)
    ends_s, again_s, other_s, steady_s = (
        [step.end_s for step in islice(schedule.steps(scene, seed), 50)]
        for schedule, seed in [(schedule, 1), (schedule, 1), (schedule, 2), (FedAt(3), 1)]
    )
    assert ends_s == again_s
    assert ends_s != other_s
    assert ends_s != steady_s
    assert schedule.name == "fedat"


def test_weights_are_the_counts_of_the_tiers_in_reverse() -> None:
    assert FedAt(num_tiers=4).weights([8, 4, 3, 1]).tolist() == [1 / 16, 3 / 16, 4 / 16, 8 / 16]
    assert FedAt(num_tiers=2).weights([1, 0]).tolist() == [0.0, 1.0]
    for counts in ([1, 2], [0, 0, 0], [1, -1, 2]):
        with pytest.raises(ArgumentError, match="num_updates is .*each of 3 tiers, not all 0"):
            FedAt(num_tiers=3).weights(counts)


def test_a_tier_goes_on_without_whom_it_cannot_reach() -> None:
    uplink = Uplink(bandwidth_hz=1e6, num_channels=1, bits_per_s_per_hz=1.0)
    compute_s = np.array([1.0, 2.0, 8.0, 9.0])

    def steps(*mean_snr: float) -> list[Step]:
        channel = ChannelState(np.array(mean_snr), uplink)
        scene = Scene(compute_s, np.array(9.0), channel=channel, update_bits=2e6)
        return _steps((scene, FedAt(num_tiers=2, clients_per_round=2), 0), 2)

    first, second = steps(1e6, 1e-6, 1e6, 1e6)
    assert [first.client.tolist(), first.missed.tolist(), first.end_s] == [[0], [1], 3.0]
    assert [second.client.tolist(), second.missed.tolist(), second.end_s] == [[0], [1], 6.0]
    with pytest.raises(PipeflError, match="nobody is in reach"):
        steps(1e6, 1e6, 1e-6, 1e-6)


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        (lambda: FedAt(num_tiers=0), "num_tiers is 0"),
        (lambda: FedAt(clients_per_round=0), "clients_per_round is 0"),
        (lambda: FedAt(num_tiers=8), "num_tiers is 8; .* from 1 to 7"),
        (lambda: FedAt(num_tiers=3, clients_per_round=3), "clients_per_round is 3; .* from 1 to 2"),
    ],
)
def test_settings_that_cannot_be_are_refused(policy: type[FedAt], message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        policy().steps(Scene(np.arange(1.0, 8.0), np.array(1.0)))
