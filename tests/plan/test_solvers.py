from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipefl import PipeflError
from pipefl.plan import Method, kkt_residuals, multipliers, objective, solve_relaxed
from pipefl.plan.kkt import lagrangian
from strategies import capacities

METHODS: tuple[Method, ...] = ("isotonic", "hull", "hypotheses")


@pytest.mark.paper("example:1")
@pytest.mark.paper("alg:optimization")
@pytest.mark.parametrize("method", METHODS)
def test_example_1_is_solved_as_in_the_paper(method: Method) -> None:
    solution = solve_relaxed([10, 46, 80, 100], method)
    assert solution.relaxed_size.tolist() == [10, 30, 30, 30]
    assert solution.active.tolist() == [True, False, False, True]


@pytest.mark.paper("alg:optimization")
@settings(max_examples=400)
@given(capacities())
def test_the_three_solvers_agree_to_the_last_bit(capacity: list[int]) -> None:
    reference, *others = (solve_relaxed(capacity, method) for method in METHODS)
    for other in others:
        assert np.array_equal(reference.relaxed_size, other.relaxed_size)
        assert np.array_equal(reference.active, other.active)


@given(st.lists(st.integers(0, 10**6), min_size=1, max_size=300), st.integers(1, 100))
def test_isotonic_and_hull_agree_on_large_thresholds(increments: list[int], last: int) -> None:
    capacity = np.cumsum([*increments, last])
    reference, other = solve_relaxed(capacity, "isotonic"), solve_relaxed(capacity, "hull")
    assert np.array_equal(reference.relaxed_size, other.relaxed_size)
    assert np.array_equal(reference.active, other.active)


@pytest.mark.paper("eq:main_optimization3")
@pytest.mark.paper("eq:all_clients3")
@pytest.mark.paper("eq:threshold_main3")
@pytest.mark.paper("eq:threshold_dual")
@pytest.mark.paper("eq:complementary_slackness")
@pytest.mark.paper("eq:vanishing_gradient")
@settings(max_examples=300)
@given(capacities(max_clusters=30, max_clients=1000))
def test_all_five_kkt_conditions_hold_at_the_solution(capacity: list[int]) -> None:
    residuals = kkt_residuals(capacity, solve_relaxed(capacity).relaxed_size)
    assert residuals.largest <= 1e-9 * capacity[-1]


@given(capacities(max_clusters=8), st.integers(0, 6), st.floats(0.5, 3.0))
def test_moving_clients_between_two_clusters_breaks_a_condition(
    capacity: list[int], source: int, moved: float
) -> None:
    size = solve_relaxed(capacity).relaxed_size.copy()
    if size.size == 1:
        return
    k = source % (size.size - 1)
    size[k] -= moved
    size[k + 1] += moved
    assert kkt_residuals(capacity, size).largest > 0.01
    size[k] += 2 * moved
    size[k + 1] -= 2 * moved
    assert kkt_residuals(capacity, size).largest > 0.01


@pytest.mark.paper("lem:Variables")
@pytest.mark.paper("eq:subsequent")
@pytest.mark.paper("eq:optimal_delta")
@pytest.mark.paper("eq:Lagrangian")
@pytest.mark.paper("eq:objective_main3")
@pytest.mark.paper("eq:dual_optimization")
@pytest.mark.paper("eq:objective_dual")
@given(capacities(max_clusters=20, max_clients=500))
def test_lemma_1_recovers_multipliers_under_which_the_solution_minimises_the_lagrangian(
    capacity: list[int],
) -> None:
    size = solve_relaxed(capacity).relaxed_size
    dual, equality_dual = multipliers(size)
    best = lagrangian(size, capacity, dual, equality_dual)
    assert best == pytest.approx(objective(size), abs=1e-6 * capacity[-1] ** 2)
    rng = np.random.default_rng(capacity[-1])
    for step in rng.normal(size=(5, size.size)):
        assert lagrangian(size + step, capacity, dual, equality_dual) >= best - 1e-6


@pytest.mark.paper("lem:subsequent")
@pytest.mark.paper("eq:optimality_check")
@given(capacities(max_clusters=30, max_clients=1000))
def test_lemma_2_sizes_never_fall(capacity: list[int]) -> None:
    assert np.all(np.diff(solve_relaxed(capacity).relaxed_size) >= 0)


@pytest.mark.paper("lem:two_possibilities")
@pytest.mark.paper("eq:lemma2")
@pytest.mark.paper("eq:case1")
@pytest.mark.paper("eq:case2")
@given(capacities(max_clusters=30, max_clients=1000))
def test_lemma_3_a_constraint_is_either_slack_without_a_step_or_tight(capacity: list[int]) -> None:
    solution = solve_relaxed(capacity)
    steps = np.diff(solution.relaxed_size)
    reached = np.cumsum(solution.relaxed_size)[:-1]
    for k, is_active in enumerate(solution.active[:-1]):
        if is_active:
            assert steps[k] > 0
            assert reached[k] == pytest.approx(capacity[k], abs=1e-9 * capacity[-1])
        else:
            assert steps[k] == 0


@pytest.mark.parametrize("bad", [[], [3, 2], [-1, 4], [0, 0], [1.5, 2.0], [[1, 2]]])
def test_thresholds_that_are_none_are_refused(bad: list[int]) -> None:
    with pytest.raises(PipeflError, match="capacity is"):
        solve_relaxed(bad)


def test_an_unknown_method_names_the_known_ones() -> None:
    with pytest.raises(PipeflError, match="isotonic, hull, hypotheses"):
        solve_relaxed([1, 2], "simplex")  # type: ignore[arg-type]  # the mistake under test


@pytest.mark.parametrize(
    ("size", "condition", "amount"),
    [
        ([10, 30, 30, 29], "primal_equality", 1.0),
        ([10, 30, 30, 29], "gradient", 0.5),
        ([23, 23, 27, 27], "primal_inequality", 13.0),
        ([10, 36, 27, 27], "dual", 18.0),
        ([5, 31, 32, 32], "complementary_slackness", 5.0),
    ],
)
def test_each_kkt_condition_is_missed_by_as_much_as_worked_out_by_hand(
    size: list[int], condition: str, amount: float
) -> None:
    residuals = kkt_residuals([10, 46, 80, 100], size)
    assert getattr(residuals, condition) == amount
    assert residuals.largest >= amount


@pytest.mark.parametrize("size", [[], [1.0], [10.0, float("nan"), 30.0, 30.0], [[1.0] * 4], "four"])
def test_sizes_of_the_wrong_form_are_refused(size: Any) -> None:
    with pytest.raises(PipeflError, match="relaxed_size is"):
        kkt_residuals([10, 46, 80, 100], size)
