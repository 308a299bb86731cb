from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hand
from pipefl.errors import ArgumentError, PipeflError
from pipefl.policies.power_of_choice import PowerOfChoice
from pipefl.policies.scene import Scene

LOSSES = hand.GivenLosses((3.0, 1.0, 5.0, 2.0, 4.0))


def test_of_all_five_clients_the_largest_losses() -> None:
    cohorts = hand.cohorts(PowerOfChoice(candidates=5), hand.five_clients(2, losses=LOSSES), 300)
    assert cohorts == [[2, 4]] * 300


def test_with_as_many_candidates_as_places_size_alone_decides() -> None:
    scene = hand.five_clients(2, losses=hand.GivenLosses((1.0,) * 5))
    policy, state = PowerOfChoice(candidates=2), hand.state_of(scene)
    hand.check_frequencies(
        lambda rng: tuple(policy.select(0, state, rng).tolist()),
        hand.drawn_in_turn(hand.SAMPLES, 2),
    )


def test_three_candidates_for_two_places_as_the_rule_says() -> None:
    scene = hand.five_clients(2, losses=LOSSES)
    policy, state = PowerOfChoice(candidates=3), hand.state_of(scene)
    chances: dict[tuple[int, ...], float] = defaultdict(float)
    for drawn, chance in hand.drawn_in_turn(hand.SAMPLES, 3).items():
        by_loss = sorted(drawn, key=lambda client: -LOSSES.values[client])
        chances[tuple(by_loss[:2])] += chance
    assert len(chances) == 6  # of ten pairs those without client 1, whose loss is least
    hand.check_frequencies(lambda rng: tuple(policy.select(0, state, rng).tolist()), chances)


def test_twice_the_places_are_candidates_by_default_or_all() -> None:
    scene = hand.five_clients(2, losses=LOSSES)
    four_candidates = {tuple(cohort) for cohort in hand.cohorts(PowerOfChoice(), scene, 300)}
    assert four_candidates == {(2, 4), (2, 0), (4, 0)}
    all_candidates = PowerOfChoice(per_channel=2)
    assert hand.cohorts(all_candidates, scene, 2) == [[2, 4, 0, 3]] * 2


@given(hand.scenes(), st.integers(0, 1000))
@settings(max_examples=25)
def test_cohorts_are_valid_and_the_same_again(scene: Scene, seed: int) -> None:
    hand.check_schedules(PowerOfChoice(), scene, seed, scene.num_channels)


def test_without_losses_it_says_so() -> None:
    with pytest.raises(PipeflError, match="'power-of-choice' needs the clients' losses"):
        PowerOfChoice().start(hand.five_clients())


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        (PowerOfChoice(per_channel=3), "num_channels is 2; .* the population 5"),
        (PowerOfChoice(candidates=1), "candidates is 1; it must be a whole number from 2 to 5"),
        (PowerOfChoice(candidates=6), "candidates is 6; it must be a whole number from 2 to 5"),
    ],
)
def test_bad_settings_are_named(policy: PowerOfChoice, message: str) -> None:
    with pytest.raises(ArgumentError, match=f"^{message}$"):
        policy.start(hand.five_clients(losses=LOSSES))


def test_losses_that_are_none_are_named() -> None:
    scene = hand.five_clients(losses=hand.GivenLosses((1.0, 2.0, np.nan, 1.0, 1.0)))
    rng = np.random.default_rng(0)
    with pytest.raises(ArgumentError, match=r"^losses\[2\] is nan; policy 'power-of-choice'"):
        PowerOfChoice().select(0, hand.state_of(scene), rng)
