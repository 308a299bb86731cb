import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from pipefl.data.dealing import Partition
from pipefl.data.label_skew import deal_dirichlet, deal_shards
from pipefl.errors import ArgumentError

seeds = st.integers(0, 2**32)
labels_lists = st.lists(st.sampled_from([0, 1, 2, 5]), min_size=1, max_size=60)
TEN_OF_EACH = np.arange(100, dtype=np.uint8) % 10


def all_once(dealt: Partition, num_samples: int) -> bool:
    return sorted(dealt.order.tolist()) == list(range(num_samples))


def counts(dealt: Partition, labels: NDArray[np.integer]) -> NDArray[np.int64]:
    """Clients × labels."""
    return np.array(
        [
            np.bincount(labels[dealt.order[begin:end]], minlength=10)
            for begin, end in zip(dealt.offset[:-1], dealt.offset[1:], strict=True)
        ]
    )


@given(labels_lists, st.data(), st.floats(1e-320, 1e12), seeds)
def test_a_dirichlet_deal_gives_each_sample_once_in_equal_sizes(
    labels: list[int], data: st.DataObject, alpha: float, seed: int
) -> None:
    num_clients = data.draw(st.integers(1, len(labels)))
    dealt = deal_dirichlet(np.array(labels, np.uint8), num_clients, alpha, seed)
    assert all_once(dealt, len(labels))
    sizes = np.diff(dealt.offset)
    assert sizes.size == num_clients
    assert np.ptp(sizes) <= 1
    again = deal_dirichlet(np.array(labels, np.uint8), num_clients, alpha, seed)
    np.testing.assert_array_equal(dealt.order, again.order)


def test_a_small_alpha_gives_one_label_each_and_a_large_one_the_shares_of_all() -> None:
    labels = np.repeat(np.arange(10), 600)
    alone = counts(deal_dirichlet(labels, 10, 1e-6, seed=0), labels)
    # The last ones take what is left of the labels that several clients have drawn.
    assert (alone.max(axis=1) == 600).sum() >= 5
    alike = counts(deal_dirichlet(labels, 10, 1e9, seed=0), labels)
    assert abs(alike - 60).max() < 6 * np.sqrt(600 * 0.1 * 0.9)


def test_shares_have_the_mean_and_the_variance_of_their_distribution() -> None:
    """A client's share of a label with p = 1/4: mean p, variance p(1 − p)/(α + 1)."""
    labels = np.repeat([0, 1, 1, 1], 400_000)
    alpha, size = 3.0, 400
    dealt = deal_dirichlet(labels, 4000, alpha, seed=0)
    share = counts(dealt, labels)[:1000, 0] / size  # of the first ones: nothing has run out yet
    spread = 0.25 * 0.75 / (alpha + 1)
    variance = spread + (0.25 * 0.75 - spread) / size  # and that of drawing 400 samples
    assert abs(share.mean() - 0.25) < 5 * np.sqrt(variance / 1000)
    assert share.var() == pytest.approx(variance, rel=0.2)


def test_a_client_samples_come_in_random_order() -> None:
    """Not label after label, which a training without shuffling would suffer from."""
    labels = np.repeat(np.arange(10), 100)
    for dealt in (deal_dirichlet(labels, 1, 10.0, seed=0), deal_shards(labels, 1, 10, seed=0)):
        rising = np.diff(labels[dealt.order]) > 0
        assert 300 < rising.sum() < 600


@given(labels_lists, st.data(), seeds)
def test_shards_are_of_neighbouring_labels(
    labels: list[int], data: st.DataObject, seed: int
) -> None:
    num_clients = data.draw(st.integers(1, len(labels)))
    per_client = data.draw(st.integers(1, len(labels) // num_clients))
    array = np.array(labels, np.uint8)
    dealt = deal_shards(array, num_clients, per_client, seed)
    assert all_once(dealt, len(labels))
    assert np.ptp(np.diff(dealt.offset)) <= per_client
    # A shard of at most s samples touches no more labels than fit between its ends.
    shard = -(-len(labels) // (num_clients * per_client))
    ranks = np.unique(np.sort(array), return_inverse=True)[1]
    most = max(len(set(ranks[i : i + shard])) for i in range(len(labels)))
    assert ((counts(dealt, array) > 0).sum(axis=1) <= per_client * most).all()


def test_two_shards_of_one_label_each() -> None:
    """McMahan's case, smaller: 20 shards of 5 digits, so that none has two labels."""
    table = counts(deal_shards(TEN_OF_EACH, 10, 2, seed=1), TEN_OF_EACH)
    assert table.sum(axis=0).tolist() == [10] * 10
    assert set(np.unique(table)) <= {0, 5, 10}
    assert ((table > 0).sum(axis=1) <= 2).all()
    assert ((table > 0).sum(axis=1) == 2).any()


def test_parts_that_would_be_empty_are_refused() -> None:
    with pytest.raises(ArgumentError, match="num_clients is 60; that makes 120 parts.* 100 samp"):
        deal_shards(TEN_OF_EACH, 60, 2, seed=0)
    with pytest.raises(ArgumentError, match="num_clients is 101; that makes 101 parts"):
        deal_dirichlet(TEN_OF_EACH, 101, 1.0, seed=0)
