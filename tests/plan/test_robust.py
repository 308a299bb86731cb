from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pipefl
from pipefl.plan import RobustPlan, UncertainTimes
from pipefl.randomness import generator

RNG = np.random.default_rng(8)
MEANS_S = RNG.uniform(1.0, 7.0, 120)
MOMENTS = pipefl.times_from_moments(MEANS_S, MEANS_S * RNG.uniform(0.0, 0.4, 120))
SAMPLES = pipefl.times_from_samples(
    [RNG.lognormal(np.log(mean), 0.3, RNG.integers(1, 40)) for mean in MEANS_S]
)


@pytest.mark.parametrize("times", [MOMENTS, SAMPLES], ids=["moments", "samples"])
@pytest.mark.parametrize("num_channels", [1, 7])
def test_the_expected_share_of_missed_slots_is_what_simulated_rounds_show(
    times: UncertainTimes, num_channels: int
) -> None:
    robust = pipefl.plan_robust(times, 1.5, quantile=0.8, num_clusters=4)
    plan = robust.plan
    rng = generator(1, "rounds")
    missed, scheduled = 0, 0
    for _ in range(3000):
        late = times.draw_s(rng) > plan.slot_time_s[plan.cluster_of]
        for k in range(plan.num_clusters):
            cohort = rng.choice(plan.members(k), num_channels, replace=False)
            missed += int(late[cohort].sum())
            scheduled += num_channels
    expected = robust.expected_missed_share(num_channels)
    deviation = np.sqrt(expected * (1 - expected) / scheduled)
    assert abs(missed / scheduled - expected) < 4 * deviation


def test_the_share_of_missed_slots_weighs_clusters_by_whom_a_round_takes() -> None:
    plan = pipefl.plan_clusters([1.0, 2.0, 3.0, 4.0, 5.0], 1.0, num_clusters=3)
    robust = RobustPlan(plan, 0.9, np.array([0.0, 0.5, 0.25]))
    assert plan.size.tolist() == [2, 1, 2]
    assert robust.expected_missed_share(num_channels=1) == pytest.approx(0.75 / 3)
    assert robust.expected_missed_share(num_channels=2) == pytest.approx((0.5 + 2 * 0.25) / 5)


@given(st.floats(0.05, 0.95))
def test_no_cluster_misses_more_often_than_the_quantile_allows(quantile: float) -> None:
    for times in (MOMENTS, SAMPLES):
        robust = pipefl.plan_robust(times, 1.5, quantile=quantile)
        assert np.all(robust.missed_share <= 1 - quantile + 1e-9)


def test_a_higher_quantile_misses_less_and_takes_longer() -> None:
    careless = pipefl.plan_robust(MOMENTS, 1.5, quantile=0.5)
    careful = pipefl.plan_robust(MOMENTS, 1.5, quantile=0.99)
    assert careful.expected_missed_share() < careless.expected_missed_share()
    assert careful.plan.round_duration_s() > careless.plan.round_duration_s()


def test_without_deviation_a_robust_plan_is_the_plain_plan_and_misses_nothing() -> None:
    robust = pipefl.plan_robust(pipefl.times_from_moments(MEANS_S, np.zeros(120)), 1.5)
    plain = pipefl.plan_clusters(MEANS_S, 1.5)
    assert robust.plan.size.tolist() == plain.size.tolist()
    assert robust.plan.slot_time_s == pytest.approx(plain.slot_time_s)
    assert robust.expected_missed_share() == pytest.approx(0.0)


def test_moments_are_met_by_what_is_drawn() -> None:
    times = pipefl.times_from_moments([10.0], [3.0])
    rng = generator(2, "draws")
    drawn = np.array([times.draw_s(rng)[0] for _ in range(40_000)])
    assert drawn.mean() == pytest.approx(10.0, abs=0.06)
    assert drawn.std() == pytest.approx(3.0, abs=0.06)
    assert np.mean(drawn <= times.quantile_s(0.9)[0]) == pytest.approx(0.9, abs=0.006)


@pytest.mark.parametrize(("quantile", "expected"), [(0.05, 1.0), (0.5, 10.0), (0.95, 19.0)])
def test_a_quantile_of_samples_is_the_smallest_that_covers_the_share(
    quantile: float, expected: float
) -> None:
    times = pipefl.times_from_samples([np.arange(20.0, 0.0, -1.0)])
    assert times.quantile_s(quantile).tolist() == [expected]


@pytest.mark.parametrize("quantile", [0.0, 1.0, -0.1, float("nan"), "high"])
def test_a_quantile_outside_its_range_is_refused(quantile: Any) -> None:
    with pytest.raises(pipefl.PipeflError, match="it must lie between 0 and 1"):
        pipefl.plan_robust(MOMENTS, 1.5, quantile=quantile)


@pytest.mark.parametrize(
    ("mean", "deviation", "message"),
    [
        ([1.0, 2.0], [0.1], "one number for each of the 2 clients"),
        ([1.0, 2.0], [0.1, -0.1], r"deviation_s\[1\] is -0.1"),
        ([1.0, 0.0], [0.1, 0.1], r"mean_s\[1\] is 0.0"),
    ],
)
def test_bad_moments_are_named(mean: list[float], deviation: list[float], message: str) -> None:
    with pytest.raises(pipefl.PipeflError, match=message):
        pipefl.times_from_moments(mean, deviation)


@pytest.mark.parametrize(
    ("samples", "message"),
    [
        ([], "samples_s is .*; it must hold at least one client's samples"),
        ([[1.0], []], r"samples_s\[1\] is"),
        ([[1.0], [2.0, -1.0]], r"samples_s\[1\]\[1\] is -1.0"),
        ([1.0, 2.0], r"samples_s\[0\] is 1.0; it must be one-dimensional"),
    ],
)
def test_bad_samples_are_named(samples: Any, message: str) -> None:
    with pytest.raises(pipefl.PipeflError, match=message):
        pipefl.times_from_samples(samples)


def test_plain_times_are_not_uncertain() -> None:
    times: Any = [1.0, 2.0]
    with pytest.raises(pipefl.PipeflError, match="it must be made with times_from_samples or"):
        pipefl.plan_robust(times, 1.0)


def test_a_share_that_is_whole_but_for_rounding_takes_no_sample_more() -> None:
    times = pipefl.times_from_samples([np.arange(1.0, 101.0)])
    assert 0.07 * 100 > 7
    assert times.quantile_s(0.07).tolist() == [7.0]
