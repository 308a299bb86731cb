from typing import Any

import numpy as np
import pytest
from hypothesis import given

from pipefl import PipeflError
from pipefl.plan import (
    inactive_by_theorem1,
    inactive_by_theorem2,
    judge_hypothesis,
    possible_hypotheses,
    solve_relaxed,
)
from strategies import capacities

EXAMPLE = [10, 46, 80, 100]


@pytest.mark.paper("example:1")
@pytest.mark.paper("eq:solution_delta")
@pytest.mark.parametrize(
    ("hypothesis", "size", "verdict", "violated", "unordered"),
    [
        ([0, 1, 0, 1], [23, 23, 27, 27], "contradicting", (1,), ()),
        ([1, 1, 0, 1], [10, 36, 27, 27], "not optimal", (), (2,)),
        ([1, 0, 0, 1], [10, 30, 30, 30], "optimal", (), ()),
    ],
)
def test_example_1_cases(
    hypothesis: list[int],
    size: list[int],
    verdict: str,
    violated: tuple[int, ...],
    unordered: tuple[int, ...],
) -> None:
    test = judge_hypothesis(EXAMPLE, hypothesis)
    assert list(test.relaxed_size) == size
    assert (test.verdict, test.violated, test.unordered) == (verdict, violated, unordered)


def test_a_hypothesis_that_is_violated_and_unordered_is_contradicting_first_of_all() -> None:
    test = judge_hypothesis([10, 46, 50, 100], [0, 1, 1, 1])
    assert (test.violated, test.unordered) == ((1,), (2,))
    assert test.verdict == "contradicting"


@pytest.mark.paper("sec:hypothesis")
@given(capacities(max_clusters=7))
def test_among_all_hypotheses_just_those_with_the_hulls_sizes_are_optimal(
    capacity: list[int],
) -> None:
    expected = solve_relaxed(capacity, "hull").relaxed_size
    tests = [judge_hypothesis(capacity, h) for h in possible_hypotheses(capacity, prune=False)]
    assert len(tests) == 2 ** (len(capacity) - 1)
    for test in tests:
        has_these_sizes = np.array_equal(np.array(test.relaxed_size, dtype=float), expected)
        assert (test.verdict == "optimal") == has_these_sizes


@pytest.mark.paper("theorem:inactive_Constraints")
@pytest.mark.paper("eq:theorem1")
@given(capacities(max_clusters=12, max_clients=200))
def test_theorem_1_names_only_constraints_that_are_inactive(capacity: list[int]) -> None:
    named = inactive_by_theorem1(np.array(capacity))
    assert not np.any(named & solve_relaxed(capacity).active)


@pytest.mark.paper("theorem:Generalized")
@pytest.mark.paper("eq:theorem2")
@pytest.mark.paper("eq:set_of_thresholds")
@given(capacities(max_clusters=12, max_clients=200))
def test_theorem_2_names_exactly_the_constraints_that_are_not_tight(capacity: list[int]) -> None:
    named = inactive_by_theorem2(np.array(capacity))
    reached = np.cumsum(solve_relaxed(capacity).relaxed_size)
    tight = np.abs(reached - capacity) < 1e-6
    assert np.array_equal(named, ~tight)


@given(capacities(max_clusters=12, max_clients=200))
def test_theorem_1_is_a_case_of_theorem_2(capacity: list[int]) -> None:
    pi = np.array(capacity)
    assert np.all(inactive_by_theorem2(pi) | ~inactive_by_theorem1(pi))


@pytest.mark.paper("sec:search")
@given(capacities(max_clusters=14))
def test_after_pruning_the_first_hypothesis_left_is_optimal(capacity: list[int]) -> None:
    first = next(possible_hypotheses(capacity))
    assert judge_hypothesis(capacity, first).verdict == "optimal"


def test_24_clusters_are_tested_and_25_are_refused_with_the_reason() -> None:
    convex = np.cumsum(np.arange(1, 25))
    assert solve_relaxed(convex, "hypotheses").active.all()
    with pytest.raises(PipeflError, match=r"num_clusters is 25; .* at most 24, .*2\^\(K−1\)"):
        solve_relaxed(np.arange(1, 26), "hypotheses")


@pytest.mark.parametrize(
    "bad", [[1, 0, 1], [1, 0, 0, 0], [2, 0, 0, 1], [1, 0, 0, 1, 1], [[1, 0, 0, 1]], "1001", None]
)
def test_a_hypothesis_of_the_wrong_form_is_refused(bad: Any) -> None:
    with pytest.raises(PipeflError, match="4 zeros and ones"):
        judge_hypothesis(EXAMPLE, bad)
