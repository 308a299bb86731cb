import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hand
from pipefl.errors import ArgumentError
from pipefl.policies.round_robin import RoundRobin
from pipefl.policies.scene import Scene


def test_five_clients_take_turns_in_pairs() -> None:
    expected = [[0, 1], [2, 3], [4, 0], [1, 2], [3, 4], [0, 1]]
    assert hand.cohorts(RoundRobin(), hand.five_clients(2), 6) == expected


def test_two_for_each_of_two_sub_channels() -> None:
    expected = [[0, 1, 2, 3], [4, 0, 1, 2], [3, 4, 0, 1]]
    assert hand.cohorts(RoundRobin(per_channel=2), hand.five_clients(2), 3) == expected


def test_hundreds_of_rounds_are_shared_evenly() -> None:
    cohorts = hand.cohorts(RoundRobin(), hand.five_clients(2), 500)
    scheduled = [client for cohort in cohorts for client in cohort]
    assert [scheduled.count(client) for client in range(5)] == [200] * 5


@given(hand.scenes(), st.integers(0, 1000))
@settings(max_examples=25)
def test_cohorts_are_valid_and_the_same_again(scene: Scene, seed: int) -> None:
    hand.check_schedules(RoundRobin(), scene, seed, scene.num_channels)


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        (RoundRobin(per_channel=0), "per_channel is 0; it must be a whole number of at least 1"),
        (
            RoundRobin(per_channel=3),
            "num_channels is 2; with 3 clients for each a round has 6, and the population 5",
        ),
    ],
)
def test_bad_settings_are_named(policy: RoundRobin, message: str) -> None:
    with pytest.raises(ArgumentError, match=f"^{message}$"):
        policy.start(hand.five_clients(2))
