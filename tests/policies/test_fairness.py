import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipefl.policies.fairness import fairness, jain_index, weight_bias


def test_fairness_by_hand() -> None:
    fair = fairness([4, 2, 0, 2], weight=[2.0, 1.0, 0.0, 1.0], num_samples=[10, 10, 10, 10])
    assert fair.jain == 64 / (4 * 24)
    assert fair.worst_off == 0.0
    assert fair.never == 0.25
    assert fair.bias == 0.25


@given(st.lists(st.integers(0, 100), min_size=1, max_size=50))
def test_jains_index_lies_between_one_over_m_and_one(counts: list[int]) -> None:
    assert 1 / len(counts) - 1e-12 <= jain_index(counts) <= 1 + 1e-12


def test_equal_participation_is_perfectly_fair() -> None:
    fair = fairness([7] * 9, weight=[1.0] * 9, num_samples=[3] * 9)
    assert (fair.jain, fair.worst_off, fair.never) == (1.0, 1.0, 0.0)
    assert fair.bias == pytest.approx(0.0)


@pytest.mark.paper("eq:main_problem")
def test_weight_in_proportion_to_samples_is_no_bias_and_all_elsewhere_is_total() -> None:
    assert weight_bias([1.0, 2.0, 3.0], num_samples=[10, 20, 30]) == pytest.approx(0.0)
    assert weight_bias([1.0, 0.0], num_samples=[1, 10**9]) == pytest.approx(1.0)


def test_nobody_took_part() -> None:
    fair = fairness(np.zeros(3), weight=np.zeros(3), num_samples=[1, 1, 1])
    assert (fair.jain, fair.worst_off, fair.never, fair.bias) == (1.0, 0.0, 1.0, 0.5)
