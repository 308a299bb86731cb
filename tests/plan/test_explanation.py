from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given

import pipefl
from pipefl.plan import solve_relaxed
from strategies import capacities

WALK = """\
K = 4, M = 100, π1 = 10, π2 = 46, π3 = 80

Case A: only the second inequality constraint is active, h = (0, 1, 0, 1), p = (2, 4).
  δ1 = δ2
  δ2 = π2 − δ1
  δ3 = δ4
  δ4 = M − (δ1 + δ2 + δ3)
  Solution: δ1 = δ2 = 23, δ3 = δ4 = 27.
  δ1 = 23 > π1 = 10: contradicting, the first constraint is violated.

Case B: only the first and second inequality constraints are active, h = (1, 1, 0, 1), \
p = (1, 2, 4).
  δ1 = π1
  δ2 = π2 − δ1
  δ3 = δ4
  δ4 = M − (δ1 + δ2 + δ3)
  Solution: δ1 = 10, δ2 = 36, δ3 = δ4 = 27.
  No inequality constraint is violated, but δ2 = 36 > δ3 = 27: not optimal.

Case C: only the first inequality constraint is active, h = (1, 0, 0, 1), p = (1, 4).
  δ1 = π1
  δ2 = δ3
  δ3 = δ4
  δ4 = M − (δ1 + δ2 + δ3)
  Solution: δ1 = 10, δ2 = δ3 = δ4 = 30.
  No inequality constraint is violated and δ1 ≤ δ2 ≤ δ3 ≤ δ4: optimal."""


@pytest.mark.paper("example:1")
@pytest.mark.paper("eq:Case_A")
def test_example_1_is_told_as_the_paper_tells_it() -> None:
    assert str(pipefl.explain([10, 46, 80, 100])) == WALK


@given(capacities(max_clusters=20, max_clients=100))
def test_the_walk_ends_at_the_optimum_in_at_most_two_tests_a_cluster(capacity: list[int]) -> None:
    cases = pipefl.explain(capacity).cases
    assert [case.verdict == "optimal" for case in cases].index(True) == len(cases) - 1
    assert len(cases) <= 2 * len(capacity)
    solution = np.array(cases[-1].relaxed_size, dtype=float)
    assert np.array_equal(solution, solve_relaxed(capacity).relaxed_size)


@given(capacities(max_clusters=20, max_clients=100))
def test_no_contradiction_comes_back_once_it_is_mended(capacity: list[int]) -> None:
    verdicts = [case.verdict for case in pipefl.explain(capacity).cases]
    order = ["contradicting", "not optimal", "optimal"]
    assert verdicts == sorted(verdicts, key=order.index)


@given(capacities(max_clusters=20, max_clients=100))
def test_each_step_mends_the_worst_violation_or_the_steepest_fall(capacity: list[int]) -> None:
    cases = pipefl.explain(capacity).cases
    for case, after in pairwise(cases):
        (changed,) = np.flatnonzero(np.array(case.hypothesis) != after.hypothesis) + 1
        size = case.relaxed_size
        if case.verdict == "contradicting":
            excess = [sum(size[:k]) - capacity[k - 1] for k in range(1, len(capacity))]
            assert after.hypothesis[changed - 1] == 1
            assert excess[changed - 1] == max(excess)
        else:
            falls = [size[k - 1] - size[k] for k in range(1, len(capacity))]
            assert after.hypothesis[changed - 1] == 0
            assert falls[changed - 1] == max(falls)


def test_of_two_violations_the_worse_is_mended_first() -> None:
    first, second, *_ = pipefl.explain([1, 5, 60, 61, 100, 120]).cases
    assert first.hypothesis == (0, 0, 1, 0, 0, 1)
    assert first.violated == (1, 2, 4)  # by 19, 35 and 19 clients
    assert second.hypothesis == (0, 1, 1, 0, 0, 1)


def test_many_cases_are_lettered_beyond_z() -> None:
    text = str(pipefl.explain(np.cumsum(np.arange(1, 41))))
    assert [case in text for case in ("Case Z:", "Case AA:", "Case AM:")] == [True] * 3
    assert "11th" in text
    assert "22nd" in text
    assert "δ40 = M − (δ1 + δ2 + … + δ39)" in text


def test_more_than_a_thousand_clusters_are_refused() -> None:
    with pytest.raises(pipefl.PipeflError, match="at most 1000 clusters"):
        pipefl.explain(np.arange(1, 1002))
