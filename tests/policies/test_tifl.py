from itertools import islice

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hand
from pipefl.errors import ArgumentError, PipeflError
from pipefl.policies.loss_stand_in import DecayingLosses
from pipefl.policies.rounds import RoundSchedule
from pipefl.policies.scene import Scene
from pipefl.policies.tifl import Tiers, Tifl, equal_tiers, rank_probabilities
from pipefl.timeline import simulate_round

# Mean losses of the tiers {0, 1, 2} and {3, 4} are 2 and 5.
LOSSES = hand.GivenLosses((1.0, 2.0, 3.0, 4.0, 6.0))
EVERY_ROUND = Tifl(num_tiers=2, adaptive=True, interval=1, credits=3)


def after_rounds(policy: Tifl, scene: Scene, drawn: list[list[int]]) -> Tiers:
    """The memory after rounds with these cohorts."""
    tiers = policy.start(scene)
    for index, cohort in enumerate(drawn):
        round_ = simulate_round(cohort, scene.compute_time_s, 1.0, 2, discipline="fifo")
        tiers = policy.learn(index, hand.state_of(scene, tiers), round_)
    return tiers


def test_five_clients_in_two_tiers_of_which_one_is_never_drawn() -> None:
    scene = hand.five_clients(2, compute_time_s=[5.0, 1.0, 4.0, 2.0, 3.0])
    slow = hand.cohorts(Tifl(num_tiers=2, tier_probabilities=(0.0, 1.0)), scene, 300)
    assert {frozenset(cohort) for cohort in slow} == {frozenset({0, 2})}
    fast = hand.cohorts(Tifl(num_tiers=2, tier_probabilities=(1.0, 0.0)), scene, 300)
    assert {frozenset(cohort) for cohort in fast} == {
        frozenset({1, 3}),
        frozenset({1, 4}),
        frozenset({3, 4}),
    }


def test_a_tier_by_its_probability_then_its_clients_uniformly() -> None:
    scene = hand.five_clients(1)
    policy = Tifl(num_tiers=2, tier_probabilities=(0.25, 0.75))
    state = hand.state_of(scene, policy.start(scene))
    hand.check_frequencies(
        lambda rng: tuple(policy.select(0, state, rng).tolist()),
        {(0,): 1 / 12, (1,): 1 / 12, (2,): 1 / 12, (3,): 3 / 8, (4,): 3 / 8},
    )


@pytest.mark.parametrize(("num_clients", "num_tiers"), [(40, 5), (10, 5), (9, 4), (2, 1)])
def test_five_tiers_by_default_or_fewer_for_a_small_population(
    num_clients: int, num_tiers: int
) -> None:
    tiers = Tifl().start(Scene(np.ones(num_clients), np.asarray(1.0), 2))
    assert tiers.credits.size == num_tiers


def test_all_tiers_are_equally_likely_by_default() -> None:
    scene = hand.five_clients(1)
    policy = Tifl()
    state = hand.state_of(scene, policy.start(scene))
    hand.check_frequencies(
        lambda rng: tuple(policy.select(0, state, rng).tolist()), {(m,): 0.2 for m in range(5)}
    )


@given(st.lists(st.integers(1, 9), min_size=1, max_size=40), st.integers(1, 8))
def test_tiers_are_equal_and_in_order_of_time(times: list[int], num_tiers: int) -> None:
    time_s = np.array(times, dtype=np.float64)
    tier_of = equal_tiers(time_s, min(num_tiers, time_s.size))
    sizes = np.bincount(tier_of)
    assert sizes.max() - sizes.min() <= 1
    assert sizes.size == min(num_tiers, time_s.size)
    by_speed = sorted(range(time_s.size), key=lambda m: (times[m], m))
    assert sorted(tier_of.tolist()) == [tier_of[m] for m in by_speed]


def test_ranks_of_three_tiers_with_credits() -> None:
    probability = rank_probabilities(
        np.array([2.0, 5.0, 3.0, 9.0]), np.array([True, True, True, False])
    )
    assert probability == pytest.approx([1 / 6, 3 / 6, 2 / 6, 0.0])


def test_a_tier_that_gets_no_better_makes_bad_tiers_likelier() -> None:
    scene = hand.five_clients(2, losses=LOSSES)
    assert EVERY_ROUND.start(scene).probability.tolist() == [0.5, 0.5]
    tiers = after_rounds(EVERY_ROUND, scene, [[0, 1]])
    assert tiers.probability == pytest.approx([1 / 3, 2 / 3])
    assert tiers.mean_loss.tolist() == [2.0, 5.0]
    assert tiers.credits.tolist() == [2, 3]


def test_tiers_that_get_better_stay_equally_likely_unless_more_is_asked_for() -> None:
    falling = hand.five_clients(2, losses=DecayingLosses())
    policy = Tifl(num_tiers=2, adaptive=True, interval=1)
    tiers = policy.start(falling)
    round_ = simulate_round([3, 4], falling.compute_time_s, 1.0, 2, discipline="fifo")
    state = hand.state_of(falling, tiers, participation=[0, 0, 0, 1, 1])
    assert policy.learn(0, state, round_).probability.tolist() == [0.5, 0.5]
    strict = Tifl(num_tiers=2, adaptive=True, interval=1, least_gain=0.9)
    assert sorted(strict.learn(0, state, round_).probability) == pytest.approx([1 / 3, 2 / 3])


def test_between_checks_nothing_changes_but_credits() -> None:
    scene = hand.five_clients(2, losses=LOSSES)
    policy = Tifl(num_tiers=2, adaptive=True, interval=3, credits=9)
    tiers = after_rounds(policy, scene, [[0, 1], [3, 4]])
    assert tiers.probability.tolist() == [0.5, 0.5]
    assert tiers.credits.tolist() == [8, 8]
    third = after_rounds(policy, scene, [[0, 1], [3, 4], [0, 2]])
    assert third.probability == pytest.approx([1 / 3, 2 / 3])


def test_without_credits_a_tier_waits_until_all_are_spent() -> None:
    scene = hand.five_clients(2, losses=LOSSES)
    tiers = after_rounds(EVERY_ROUND, scene, [[3, 4]] * 3)
    assert tiers.credits.tolist() == [3, 0]
    assert tiers.probability.tolist() == [1.0, 0.0]
    no_more = after_rounds(EVERY_ROUND, scene, [[3, 4]] * 3 + [[0, 1]] * 3)
    assert no_more.credits.tolist() == [3, 3]


@pytest.mark.parametrize("interval", [1, 4, 1000])
def test_with_credits_all_tiers_are_drawn_equally_often(interval: int) -> None:
    scene = hand.five_clients(2, losses=LOSSES)
    policy = Tifl(num_tiers=2, adaptive=True, interval=interval, credits=3)
    slow = [cohort[0] >= 3 for cohort in hand.cohorts(policy, scene, 300, seed=7)]
    assert [sum(slow[t : t + 6]) for t in range(0, 300, 6)] == [3] * 50


def test_with_new_credits_tiers_are_equally_likely_again() -> None:
    scene = hand.five_clients(2, losses=LOSSES)
    policy = Tifl(num_tiers=2, adaptive=True, interval=3, credits=2)
    drawn = [[3, 4], [3, 4], [0, 1], [0, 1]]
    assert after_rounds(policy, scene, drawn[:3]).probability.tolist() == [1.0, 0.0]
    assert after_rounds(policy, scene, drawn).probability.tolist() == [0.5, 0.5]


def test_the_tier_of_largest_loss_is_drawn_by_its_rank() -> None:
    scene = hand.five_clients(2, losses=LOSSES)
    policy = Tifl(num_tiers=2, adaptive=True, interval=1, credits=10**6)
    cohorts = hand.cohorts(policy, scene, 1500)[1:]
    share = np.mean([cohort[0] >= 3 for cohort in cohorts])
    assert share == pytest.approx(2 / 3, abs=4 * np.sqrt(2 / 9 / 1500))


def test_tiers_are_cut_again_by_observed_times() -> None:
    scene = hand.five_clients(1)
    observed = [9.0, np.nan, np.nan, np.nan, 0.5]
    round_ = simulate_round([0], scene.compute_time_s, 1.0, discipline="fifo")
    for tiers_from, tier_of in (("expected", [0, 0, 0, 1, 1]), ("observed", [1, 0, 0, 1, 0])):
        policy = Tifl(num_tiers=2, interval=1, tiers_from=tiers_from)  # type: ignore[arg-type]  # is one of them
        tiers = policy.start(scene)
        state = hand.state_of(scene, tiers, observed_time_s=observed)
        assert policy.learn(0, state, round_).tier_of.tolist() == tier_of
        assert tiers.tier_of.tolist() == [0, 0, 0, 1, 1]


def test_a_round_of_carried_clients_alone_costs_no_credit() -> None:
    scene = hand.five_clients(1, losses=LOSSES)
    round_ = simulate_round([], scene.compute_time_s, 1.0, discipline="fifo", carried=[3])
    tiers = EVERY_ROUND.start(scene)
    learnt = EVERY_ROUND.learn(0, hand.state_of(scene, tiers), round_)
    assert learnt.credits.tolist() == [3, 3]
    assert learnt.probability.tolist() == [0.5, 0.5]


@given(hand.scenes(least_clients=3), st.integers(0, 1000), st.booleans())
@settings(max_examples=25)
def test_cohorts_are_valid_and_the_same_again(scene: Scene, seed: int, adaptive: bool) -> None:
    policy = Tifl(num_tiers=3, adaptive=adaptive, interval=2, credits=2, tiers_from="observed")
    hand.check_schedules(policy, scene, seed, scene.num_channels)


def test_every_cohort_of_hundreds_of_rounds_is_of_one_tier() -> None:
    times = np.random.default_rng(3).uniform(1.0, 9.0, 40)
    scene = Scene(times, np.asarray(1.0), 2, losses=DecayingLosses())
    tier_of = equal_tiers(times, 5)
    schedule = RoundSchedule(Tifl(adaptive=True, least_gain=1.0), "fifo")
    tiers = [set(tier_of[step.client].tolist()) for step in islice(schedule.steps(scene), 400)]
    assert all(len(tier) == 1 for tier in tiers)
    assert set().union(*tiers) == set(range(5))


def test_adaptive_without_losses_it_says_so() -> None:
    with pytest.raises(PipeflError, match="'tifl' needs the clients' losses"):
        Tifl(num_tiers=2, adaptive=True).start(hand.five_clients())


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        (
            Tifl(num_tiers=3),
            "num_tiers is 3; a tier must hold the 2 clients of a round, "
            "which 5 clients allow for 2 tiers",
        ),
        (Tifl(num_tiers=0), "num_tiers is 0; it must be a whole number of at least 1"),
        (Tifl(num_tiers=2, interval=0), "interval is 0; .*"),
        (Tifl(num_tiers=2, credits=0), "credits is 0; .*"),
        (Tifl(num_tiers=2, least_gain=2.0), "least_gain is 2.0; it must be a number from 0 to 1"),
        (
            Tifl(num_tiers=2, tiers_from="seen"),  # type: ignore[arg-type]  # the mistake
            "tiers_from is 'seen'; it must be one of expected, observed",
        ),
        (
            Tifl(num_tiers=2, tier_probabilities=(1.0,)),
            r"tier_probabilities is \(1.0,\); it must hold a share for each of 2 tiers",
        ),
        (
            Tifl(num_tiers=2, tier_probabilities=(0.5, 0.6)),
            r"tier_probabilities is \(0.5, 0.6\); they must add up to 1",
        ),
        (
            Tifl(num_tiers=2, tier_probabilities=(1.5, -0.5)),
            r"tier_probabilities\[0\] is 1.5; it must be a number from 0 to 1",
        ),
        (
            Tifl(num_tiers=2, tier_probabilities=(0.5, 0.5), adaptive=True),
            r"tier_probabilities is \(0.5, 0.5\); it must be None with adaptive=True, .*",
        ),
    ],
)
def test_bad_settings_are_named(policy: Tifl, message: str) -> None:
    with pytest.raises(ArgumentError, match=f"^{message}$"):
        policy.start(hand.five_clients(losses=LOSSES))
