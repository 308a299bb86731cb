import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipefl.data.federated import Samples
from pipefl.data.gathering import (
    gathered,
    refuse_partition,
    slices,
    some_clients,
    some_test_samples,
    stacked,
)
from pipefl.data.mapping import handle_of
from pipefl.errors import ArgumentError

sizes_lists = st.lists(st.integers(1, 6), min_size=1, max_size=12)


def samples_of(size: int, start: int = 0) -> Samples:
    inputs = np.arange(start * 4, (start + size) * 4).reshape(size, 2, 2)
    return Samples(inputs, np.arange(start, start + size))


@given(st.lists(st.integers(0, 9), max_size=30))
def test_samples_are_gathered_in_order_and_can_be_mapped(order: list[int]) -> None:
    samples = gathered(samples_of(10), np.array(order, np.int64))
    assert samples.targets.tolist() == order
    assert samples.inputs[:, 1, 1].tolist() == [4 * i + 3 for i in order]
    np.testing.assert_array_equal(handle_of(samples.inputs).opened(), samples.inputs)


@given(sizes_lists)
def test_parts_are_stacked(sizes: list[int]) -> None:
    starts = [sum(sizes[:i]) for i in range(len(sizes) + 1)]
    parts = [samples_of(size, start) for size, start in zip(sizes, starts, strict=False)]
    samples, offset = stacked(parts)
    assert not parts
    assert offset.tolist() == starts
    whole = samples_of(starts[-1])
    np.testing.assert_array_equal(samples.inputs, whole.inputs)
    np.testing.assert_array_equal(samples.targets, whole.targets)


@given(sizes_lists, st.data())
def test_the_samples_of_some_clients(sizes: list[int], data: st.DataObject) -> None:
    offset = np.cumsum([0, *sizes])
    clients = data.draw(st.lists(st.integers(0, len(sizes) - 1)))
    expected = [i for m in clients for i in range(offset[m], offset[m + 1])]
    assert slices(offset, np.array(clients, np.int64)).tolist() == expected


def test_clients_are_drawn_by_seed_alone() -> None:
    once, again, other = (some_clients(20, 1000, seed) for seed in (1, 1, 2))
    assert once.tolist() == again.tolist() != other.tolist()
    assert np.unique(once).size == 20
    assert (np.diff(once) > 0).all()
    assert some_clients(3, 3, seed=5).tolist() == [0, 1, 2]
    drawn = np.bincount(np.concatenate([some_clients(1, 4, seed) for seed in range(400)]))
    assert abs(drawn - 100).max() < 5 * np.sqrt(400 * 0.25 * 0.75)
    with pytest.raises(ArgumentError, match="num_clients is 4; it must be a whole number from 1"):
        some_clients(4, 3, seed=0)


def test_test_samples_are_always_the_same() -> None:
    test = samples_of(50)
    assert some_test_samples(test, None) is test
    drawn = some_test_samples(test, 20)
    assert np.unique(drawn.targets).size == 20
    assert drawn.inputs[:, 0, 0].tolist() == (4 * drawn.targets).tolist()
    assert some_test_samples(test, 20).targets.tolist() == drawn.targets.tolist()
    with pytest.raises(ArgumentError, match="test_samples is 51; it must be .* from 1 to 50"):
        some_test_samples(test, 51)


def test_people_are_not_dealt() -> None:
    refuse_partition("emnist", None)
    refuse_partition("emnist", "natural")
    with pytest.raises(ArgumentError, match="partition is 'iid'; the clients of emnist are people"):
        refuse_partition("emnist", "iid")
