import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from pipefl.devices.jitter import Jitter
from pipefl.errors import ArgumentError

coefficients = st.floats(0.0, 100.0)
some_times = st.lists(st.floats(1e-6, 1e6), max_size=20)
seeds = st.integers(0, 2**63 - 1)


@given(some_times, st.integers(0, 10_000), seeds)
def test_no_jitter_leaves_the_times_as_they_are(
    times: list[float], round_index: int, seed: int
) -> None:
    assert Jitter(0.0).times_s(times, round_index, seed).tolist() == times


@given(coefficients, some_times, st.integers(0, 10_000), seeds)
def test_times_stay_finite_above_0_and_the_same_for_the_same_round(
    coefficient: float, times: list[float], round_index: int, seed: int
) -> None:
    jitter = Jitter(coefficient)
    drawn = jitter.times_s(times, round_index, seed)
    assert drawn.shape == (len(times),)
    assert np.isfinite(drawn).all()
    assert (drawn > 0).all()
    assert_array_equal(drawn, jitter.times_s(np.array(times), round_index, seed))


@given(coefficients, st.lists(st.floats(0.1, 10.0), min_size=2, max_size=20), seeds)
def test_more_clients_do_not_change_the_first(
    coefficient: float, times: list[float], seed: int
) -> None:
    jitter = Jitter(coefficient)
    fewer = jitter.times_s(times[:-1], 7, seed)
    assert_array_equal(jitter.times_s(times, 7, seed)[:-1], fewer)


def test_rounds_and_seeds_draw_anew() -> None:
    drawn = {
        tuple(Jitter(0.3).times_s([1.0, 1.0], round_index, seed))
        for round_index in range(5)
        for seed in range(5)
    }
    assert len(drawn) == 25
    assert len({factor for pair in drawn for factor in pair}) == 50


@pytest.mark.parametrize("coefficient", [0.05, 0.5, 1.0])
def test_factors_have_mean_1_and_the_coefficient_as_deviation(coefficient: float) -> None:
    factors = Jitter(coefficient).factors(np.random.default_rng(0), (1000, 1000))
    assert_allclose(factors.mean(), 1.0, atol=5 * coefficient / 1000)
    assert_allclose(factors.std(), coefficient, rtol=0.02)


def test_factors_are_log_normal() -> None:
    # ln(1 + c²) = 1 for c = √(e − 1), and exp of a normal with mean −1/2 and deviation 1.
    factors = Jitter(np.sqrt(np.e - 1)).factors(np.random.default_rng(3), 10)
    assert_allclose(factors, np.exp(np.random.default_rng(3).standard_normal(10) - 0.5))


def test_no_jitter_draws_nothing() -> None:
    rng = np.random.default_rng(1)
    assert Jitter(0).factors(rng, (2, 3)).tolist() == [[1.0] * 3] * 2
    assert rng.random() == np.random.default_rng(1).random()


@pytest.mark.parametrize("value", [-0.1, 100.5, float("nan"), float("inf"), "0.1", True, None])
def test_a_coefficient_out_of_bounds_is_named(value: float) -> None:
    with pytest.raises(ArgumentError) as caught:
        Jitter(value)
    expected = f"coefficient_of_variation is {value!r}; it must be a number from 0 to 100"
    assert str(caught.value) == expected


@pytest.mark.parametrize(
    ("times", "named"),
    [
        ([1.0, 0.0], "compute_time_s[1] is 0.0"),
        ([-1.0, 2.0], "compute_time_s[0] is -1.0"),
        ([float("nan")], "compute_time_s[0] is nan"),
        ([[1.0]], "compute_time_s is [[1.0]]"),
        (3.0, "compute_time_s is 3.0"),
    ],
)
def test_times_that_are_none_are_named(times: list[float], named: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        Jitter(0.1).times_s(times, 0)
    accepted = "it must hold one finite time above 0 seconds for each client"
    assert str(caught.value) == f"{named}; {accepted}"


def test_a_text_is_no_time() -> None:
    with pytest.raises(ArgumentError, match="compute_time_s is .*; it must be an array of numbers"):
        Jitter(0.1).times_s(["fast"], 0)


def test_a_round_before_the_first_is_refused() -> None:
    with pytest.raises(ArgumentError, match=r"round_index is -1; .* at least 0"):
        Jitter(0.1).times_s([1.0], -1)
