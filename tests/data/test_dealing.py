import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipefl.data.dealing import deal_evenly, deal_sizes, even_offsets, offsets
from pipefl.devices.distributions import draw_population
from pipefl.errors import ArgumentError

seeds = st.integers(0, 2**32)


@given(st.integers(1, 80), st.integers(1, 30), st.data(), seeds)
def test_sizes_are_as_asked_and_samples_come_around_in_turn(
    num_samples: int, num_clients: int, data: st.DataObject, seed: int
) -> None:
    low = data.draw(st.integers(1, num_samples))
    high = data.draw(st.integers(low, num_samples))
    dealt = deal_sizes(num_samples, num_clients, low, high, seed)
    sizes = np.diff(dealt.offset)
    assert sizes.size == num_clients
    assert low <= sizes.min()
    assert sizes.max() <= high
    # No sample is dealt once more before all are dealt as often.
    times = np.bincount(dealt.order, minlength=num_samples)
    assert times.sum() == dealt.offset[-1]
    assert np.ptp(times) <= 1
    for begin, end in zip(dealt.offset[:-1], dealt.offset[1:], strict=True):
        assert np.unique(dealt.order[begin:end]).size == end - begin
    total = int(sizes.sum())
    assert ("repeats" in dealt.notes) == (total > num_samples)
    assert ("unused" in dealt.notes) == (total < num_samples)


@pytest.mark.paper("sec:simulations")
def test_the_sizes_of_the_paper_are_those_of_its_compute_times() -> None:
    """The same seed gives the clients of `samples:10:70:σ`, whose plan is then for these."""
    for seed in (0, 1, 7):
        dealt = deal_sizes(60_000, num_clients=1500, low=10, high=70, seed=seed)
        population = draw_population("samples:10:70:0.1", num_clients=1500, seed=seed)
        assert population.num_samples is not None
        np.testing.assert_array_equal(np.diff(dealt.offset), population.num_samples)


def test_both_ends_of_the_sizes_occur_and_the_mean_is_the_middle() -> None:
    sizes = np.diff(deal_sizes(70, num_clients=20_000, low=10, high=70, seed=0).offset)
    assert (sizes.min(), sizes.max()) == (10, 70)
    assert abs(sizes.mean() - 40) < 5 * np.sqrt((61**2 - 1) / 12 / 20_000)


def test_what_is_dealt_twice_or_not_at_all_is_counted() -> None:
    text = {"repeats": "1,000 of the 2,500 samples dealt are repeats of the 1,500"}
    assert deal_sizes(1500, num_clients=500, low=5, high=5, seed=0).notes == text
    text = {"unused": "1,250 of the 1,500 samples are nobody's"}
    assert deal_sizes(1500, num_clients=50, low=5, high=5, seed=0).notes == text


@given(st.integers(1, 80), st.data(), seeds)
def test_an_even_deal_gives_each_sample_once(
    num_samples: int, data: st.DataObject, seed: int
) -> None:
    num_clients = data.draw(st.integers(1, num_samples))
    dealt = deal_evenly(num_samples, num_clients, seed)
    assert sorted(dealt.order.tolist()) == list(range(num_samples))
    sizes = np.diff(dealt.offset)
    assert sizes.size == num_clients
    assert (sizes.min(), sizes.max()) == (
        num_samples // num_clients,
        -(-num_samples // num_clients),
    )


def test_the_order_is_random_and_the_seed_is_all_that_it_depends_on() -> None:
    once, again, other = (deal_evenly(1000, 10, seed).order for seed in (3, 3, 4))
    np.testing.assert_array_equal(once, again)
    assert (once != other).mean() > 0.9
    assert (once != np.arange(1000)).mean() > 0.9
    first, last = (deal_sizes(1000, 10, 5, 9, seed).order[:50] for seed in (3, 4))
    assert not np.array_equal(first, last)


def test_more_clients_than_samples_are_refused() -> None:
    with pytest.raises(ArgumentError, match="num_clients is 4; that makes 4 parts.* 3 samples"):
        deal_evenly(3, num_clients=4, seed=0)


def test_offsets_by_hand() -> None:
    assert offsets(np.array([2, 1, 4])).tolist() == [0, 2, 3, 7]
    assert even_offsets(7, 3).tolist() == [0, 2, 4, 7]
