import pytest

from pipefl.plan.tried import whole_numbers_between


@pytest.mark.parametrize(("low", "high", "most"), [(1, 32, 32), (5, 8, 9), (7, 7, 1)])
def test_all_are_tried_where_they_are_few(low: int, high: int, most: int) -> None:
    assert whole_numbers_between(low, high, most) == list(range(low, high + 1))


@pytest.mark.parametrize(("low", "high", "most"), [(1, 33, 32), (10, 10**6, 64)])
def test_many_are_thinned_out_from_the_lowest_to_the_highest(
    low: int, high: int, most: int
) -> None:
    tried = whole_numbers_between(low, high, most)
    assert (tried[0], tried[-1]) == (low, high)
    assert tried == sorted(set(tried))
    assert most / 2 < len(tried) <= most
