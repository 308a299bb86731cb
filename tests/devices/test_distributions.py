import math

import numpy as np
import pytest

from pipefl.devices.distributions import FAMILIES, draw_population, is_distribution

NUM_CLIENTS = 40_000
OPEN = math.inf
MANY = [
    # text, range, median, (mean, standard deviation)
    ("uniform:10:70", (10.0, 70.0), 40.0, (40.0, 60 / math.sqrt(12))),
    ("even:10:70", (10.0, 70.0), 40.0, (40.0, 60 / math.sqrt(12))),
    (
        "lognormal:30:0.5",
        (0.0, OPEN),
        30.0,
        (30 * math.exp(0.125), 30 * math.exp(0.125) * math.sqrt(math.expm1(0.25))),
    ),
    ("exponential:5:20", (5.0, OPEN), 5 + 15 * math.log(2), (20.0, 15.0)),
    ("samples:10:70:0.1", (1.0, 7.0), 4.0, (4.0, 0.1 * math.sqrt((61**2 - 1) / 12))),
]
ONE_OF_EACH = [text for text, *_ in MANY]


def test_every_family_is_tested() -> None:
    assert {text.partition(":")[0] for text in ONE_OF_EACH} == set(FAMILIES)


@pytest.mark.parametrize(("text", "ends", "median", "moments"), MANY)
def test_draws_have_the_range_and_moments_of_their_distribution(
    text: str, ends: tuple[float, float], median: float, moments: tuple[float, float]
) -> None:
    times = draw_population(text, NUM_CLIENTS, seed=7).compute_time_s
    mean, deviation = moments
    assert times.shape == (NUM_CLIENTS,)
    assert ends[0] <= times.min()
    assert times.max() <= ends[1] * (1 + 1e-12)
    assert times.mean() == pytest.approx(mean, abs=5 * deviation / math.sqrt(NUM_CLIENTS))
    assert times.std() == pytest.approx(deviation, rel=0.03)
    below = np.mean(times < median) + np.mean(times == median) / 2
    assert below == pytest.approx(0.5, abs=5 * 0.5 / math.sqrt(NUM_CLIENTS))


def test_even_times_are_equally_far_apart_from_end_to_end() -> None:
    assert draw_population("even:2:8", 4).compute_time_s.tolist() == [2.0, 4.0, 6.0, 8.0]


def test_sample_counts_reach_both_ends_and_make_the_times() -> None:
    population = draw_population("samples:3:5:0.5", 300)
    assert population.num_samples is not None
    assert set(population.num_samples.tolist()) == {3, 4, 5}
    assert np.array_equal(population.compute_time_s, 0.5 * population.num_samples)


@pytest.mark.parametrize("text", ONE_OF_EACH)
def test_one_seed_gives_one_population(text: str) -> None:
    first, second = draw_population(text, 50, seed=3), draw_population(text, 50, seed=3)
    assert np.array_equal(first.compute_time_s, second.compute_time_s)
    other = draw_population(text, 50, seed=4)
    is_random = not text.startswith("even")
    assert np.array_equal(first.compute_time_s, other.compute_time_s) != is_random


def test_draws_do_not_read_or_disturb_numpys_global_generator() -> None:
    before = np.random.get_state()  # noqa: NPY002  # the global generator is what is tested
    draw_population("uniform:1:2", 50)
    after = np.random.get_state()  # noqa: NPY002  # as above
    assert str(before) == str(after)


@pytest.mark.parametrize("text", ONE_OF_EACH)
def test_a_population_of_one_is_legal(text: str) -> None:
    population = draw_population(text, 1)
    assert population.num_clients == 1
    assert population.compute_time_s[0] > 0


def test_the_source_tells_how_to_draw_it_again() -> None:
    assert draw_population("even:1:2", 1500, seed=9).source == "even:1:2, 1,500 clients, seed 9"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("uniform:10:70", True),
        ("uniform", True),
        ("samples:a", True),
        ("uniform.csv", False),
        ("unifrom:10:70", False),
        ("", False),
    ],
)
def test_a_distribution_is_told_from_a_file_by_its_name(text: str, expected: bool) -> None:
    assert is_distribution(text) is expected


@pytest.mark.parametrize("text", ["uniform:4:4", "even:4:4", "exponential:4:4", "samples:4:4:1"])
def test_a_range_of_one_value_is_legal(text: str) -> None:
    assert draw_population(text, 3).compute_time_s.tolist() == [4.0, 4.0, 4.0]
