from itertools import islice

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hand
from pipefl.errors import ArgumentError, PipeflError
from pipefl.plan import plan_clusters
from pipefl.policies.age import Age, ChannelUse
from pipefl.policies.rounds import RoundSchedule
from pipefl.policies.scene import Scene


def test_five_clients_by_age_and_index() -> None:
    # Ages before rounds 1 to 4:  1 1 2 2 2   2 2 1 1 3   1 3 2 2 1   2 1 1 3 2
    expected = [[0, 1], [2, 3], [4, 0], [1, 2], [3, 0]]
    assert hand.cohorts(Age(), hand.five_clients(2), 5) == expected
    channel = hand.channel(np.ones(5))
    ignoring = hand.five_clients(2, channel=channel)
    assert hand.cohorts(Age(channel="ignore"), ignoring, 5) == expected


def test_five_clients_by_age_and_then_by_rate() -> None:
    # Ages before rounds 1 to 3:  1 2 1 2 2   2 3 2 1 1   1 1 3 2 2
    scene = hand.five_clients(2, channel=hand.channel(np.ones(5)))
    assert hand.cohorts(Age(), scene, 4) == [[2, 0], [4, 3], [1, 0], [2, 4]]


def test_five_clients_by_age_times_rate() -> None:
    # Client 4 is far away. Age times log2(1 + SNR) before round 1:
    # 1 · 1.20   2 · 0.41   1 · 0.33   2 · 0.80   2 · 0.02
    scene = hand.five_clients(2, channel=hand.channel([1.0, 1.0, 1.0, 1.0, 0.01]))
    assert hand.cohorts(Age(channel="weight"), scene, 2) == [[2, 0], [3, 0]]
    assert hand.cohorts(Age(), scene, 2) == [[2, 0], [3, 1]]


def test_with_half_the_rate_a_client_waits_longer_but_not_for_ever() -> None:
    # At these SNRs rates are nearly in proportion to them. Waiting twice as long would be a share
    # of 0.5; fades let a client that is waiting take its best moments.
    scene = hand.five_clients(1, channel=hand.channel([1e-3, 1e-3, 1e-3, 1e-3, 5e-4]))
    cohorts = hand.cohorts(Age(channel="weight"), scene, 4000)
    share = np.bincount(np.concatenate(cohorts), minlength=5) / 4000
    assert share[:4] == pytest.approx(np.full(4, share[:4].mean()), rel=0.05)
    assert 0.5 < share[4] / share[:4].mean() < 0.8


def test_who_is_dropped_is_asked_again_and_again() -> None:
    # Client 0 was planned with 1 s, takes 10 s, and so misses its slot every time.
    plan = plan_clusters([1.0, 2.0, 3.0, 4.0, 5.0], 1.0)
    scene = Scene(np.array([10.0, 2.0, 3.0, 4.0, 5.0]), np.asarray(1.0), 2, plan=plan)
    steps = list(islice(RoundSchedule(Age(), "slots").steps(scene), 20))
    assert all(step.missed.tolist() == [0] for step in steps if step.index not in (1, 2))
    assert sum(step.client.size for step in steps) >= 20


@given(hand.scenes(), st.integers(0, 1000), st.sampled_from(["ignore", "tie-break", "weight"]))
@settings(max_examples=25)
def test_cohorts_are_valid_and_the_same_again(scene: Scene, seed: int, channel: ChannelUse) -> None:
    hand.check_schedules(Age(channel=channel), scene, seed, scene.num_channels)


def test_ages_never_grow_beyond_a_full_turn() -> None:
    cohorts = hand.cohorts(Age(), hand.five_clients(2), 300)
    for client in range(5):
        rounds = [t for t, cohort in enumerate(cohorts) if client in cohort]
        assert max(np.diff(rounds)) <= 3


def test_weighted_without_a_channel_state_it_says_so() -> None:
    with pytest.raises(PipeflError, match="'age' needs the channel state"):
        Age(channel="weight").start(hand.five_clients())


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        (Age(per_channel=-1), "per_channel is -1; it must be a whole number of at least 1"),
        (
            Age(channel="sort"),  # type: ignore[arg-type]  # the mistake
            "channel is 'sort'; it must be one of ignore, tie-break, weight",
        ),
    ],
)
def test_bad_settings_are_named(policy: Age, message: str) -> None:
    with pytest.raises(ArgumentError, match=f"^{message}$"):
        policy.start(hand.five_clients())
