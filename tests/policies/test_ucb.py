from itertools import islice

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hand
from pipefl.errors import ArgumentError
from pipefl.plan import plan_clusters
from pipefl.policies.rounds import RoundSchedule
from pipefl.policies.scene import Scene
from pipefl.policies.ucb import Trials, Ucb, mean_reward
from pipefl.timeline import simulate_round


def test_five_clients_by_upper_confidence() -> None:
    # Times are 2 3 4 5 6 s, c = 3. Bounds:
    # round 2, longest 5 s:  2.42  2.22  2.02  1.82     ∞
    # round 3, longest 6 s:  2.11  2.54  2.37  2.21  2.04
    # round 4:               2.22  2.05  1.89  2.36  2.20
    expected = [[0, 1], [2, 3], [4, 0], [1, 2], [3, 0]]
    assert hand.cohorts(Ucb(), hand.five_clients(2), 5) == expected


def test_without_exploration_the_fastest_are_kept_once_all_were_tried() -> None:
    cohorts = hand.cohorts(Ucb(exploration=0.0), hand.five_clients(2), 300)
    assert cohorts[:3] == [[0, 1], [2, 3], [4, 0]]
    assert cohorts[3:] == [[0, 1]] * 297


def test_with_exploration_the_fast_lead_and_nobody_is_forgotten() -> None:
    cohorts = hand.cohorts(Ucb(exploration=0.5), hand.five_clients(2), 600)
    counts = np.bincount(np.concatenate(cohorts), minlength=5)
    assert counts.tolist() == sorted(counts.tolist(), reverse=True)
    assert counts[0] > 10 * counts[4]
    assert set(np.concatenate(cohorts[300:])) == set(range(5))


def test_the_bonus_is_as_wide_as_the_paper_has_it_unless_told_otherwise() -> None:
    # Round 9, mean rewards 0.8 and 0.1. With c = n + 1 = 2 the bonuses of 10 and 2 trials are
    # 0.68 and 1.52, with c = 1 they are 0.48 and 1.07; the others are known to be slow.
    scene = hand.five_clients(1)
    times = np.array([10, 2, 1000, 1000, 1000])
    trials = Trials(times, times, np.array([20.0, 18.0, 1e4, 1e4, 1e4]), longest_s=10.0)
    state, rng = hand.state_of(scene, trials), np.random.default_rng(0)
    assert mean_reward(trials) == pytest.approx([0.8, 0.1, 0.0, 0.0, 0.0])
    assert Ucb().select(9, state, rng).tolist() == [1]
    assert Ucb(exploration=1.0).select(9, state, rng).tolist() == [0]


def test_a_trial_is_counted_and_timed_without_the_waiting() -> None:
    # On one channel client 1 waits from 2 s to 4 s; its own time is 2 + 3 s.
    scene = hand.five_clients(1, upload_time_s=3.0)
    policy = Ucb()
    round_ = simulate_round([0, 1], scene.compute_time_s, 3.0, discipline="fifo")
    trials = policy.learn(0, hand.state_of(scene, policy.start(scene)), round_)
    assert trials.scheduled.tolist() == trials.observed.tolist() == [1, 1, 0, 0, 0]
    assert trials.total_s.tolist() == [4.0, 5.0, 0.0, 0.0, 0.0]
    assert trials.longest_s == 5.0
    assert mean_reward(trials) == pytest.approx([0.2, 0.0, 0.0, 0.0, 0.0])


def test_the_memory_is_replaced_and_not_written_to() -> None:
    scene = hand.five_clients()
    before = Ucb().start(scene)
    round_ = simulate_round([3, 4], scene.compute_time_s, 1.0, discipline="fifo")
    Ucb().learn(0, hand.state_of(scene, before), round_)
    assert not before.scheduled.any()
    assert not before.total_s.any()


def test_in_vain_is_worth_nothing_and_is_not_tried_for_ever() -> None:
    plan = plan_clusters([1.0, 2.0, 3.0, 4.0, 5.0], 1.0)
    scene = Scene(np.array([10.0, 2.0, 3.0, 4.0, 5.0]), np.asarray(1.0), 2, plan=plan)
    policy = Ucb(exploration=0.0)
    steps = list(islice(RoundSchedule(policy, "slots").steps(scene), 50))
    assert [step.index for step in steps if 0 in step.missed] == [0]
    assert [step.client.tolist() for step in steps[3:]] == [[1, 2]] * 47


def test_who_was_carried_shows_no_time() -> None:
    scene = hand.five_clients(1)
    policy = Ucb()
    plan = plan_clusters(scene.compute_time_s, 1.0)
    round_ = simulate_round([1], scene.compute_time_s, 1.0, plan=plan, carried=[0])
    trials: Trials = policy.learn(0, hand.state_of(scene, policy.start(scene)), round_)
    assert round_.delivered.all()
    assert trials.scheduled.tolist() == [0, 1, 0, 0, 0]


@given(hand.scenes(), st.integers(0, 1000), st.sampled_from([None, 0.0, 2.0]))
@settings(max_examples=25)
def test_cohorts_are_valid_and_the_same_again(
    scene: Scene, seed: int, exploration: float | None
) -> None:
    hand.check_schedules(Ucb(exploration=exploration), scene, seed, scene.num_channels)


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        (Ucb(per_channel=3), "num_channels is 2; .* the population 5"),
        (Ucb(exploration=-1.0), "exploration is -1.0; it must be a number from 0 to 1e.06"),
    ],
)
def test_bad_settings_are_named(policy: Ucb, message: str) -> None:
    with pytest.raises(ArgumentError, match=f"^{message}$"):
        policy.start(hand.five_clients())
