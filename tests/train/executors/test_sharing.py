"""Work shared out: everything once, and nobody left with much more than the others."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipefl.train.executors.sharing import shared_out

LOADS = st.lists(st.integers(0, 100), max_size=7)


@given(LOADS, st.integers(1, 4))
def test_everything_is_in_one_part(loads: list[int], num_parts: int) -> None:
    parts = shared_out(loads, num_parts)
    assert sorted(place for part in parts for place in part) == list(range(len(loads)))
    assert len(parts) == min(num_parts, len(loads))


@given(LOADS, st.integers(1, 3))
def test_the_fullest_part_is_a_third_above_the_best_there_is_at_most(
    loads: list[int], num_parts: int
) -> None:
    def fullest(owner: tuple[int, ...]) -> int:
        sums = [0] * num_parts
        for load, part in zip(loads, owner, strict=True):
            sums[part] += load
        return max(sums)

    best = min(fullest(owner) for owner in product(range(num_parts), repeat=len(loads)))
    found = max((sum(loads[i] for i in part) for part in shared_out(loads, num_parts)), default=0)
    assert 3 * found <= 4 * best


def test_as_many_parts_as_loads_are_those_loads_the_heaviest_first() -> None:
    assert shared_out([3, 9, 9, 1], 4) == [[1], [2], [0], [3]]


@pytest.mark.parametrize("num_parts", [1, 5])
def test_nothing_is_nothing(num_parts: int) -> None:
    assert shared_out([], num_parts) == []
