import numpy as np
import pytest
from hypothesis import given, settings

from oracles import least_uneven_sizes
from pipefl.plan import solve_relaxed
from pipefl.plan.rounding import cluster_boundaries
from strategies import capacities


def _boundary(capacity: list[int]) -> list[int]:
    active = solve_relaxed(capacity).active
    boundary: list[int] = cluster_boundaries(np.array(capacity), active).tolist()
    return boundary


@pytest.mark.paper("eq:main_optimization")
@pytest.mark.paper("eq:objective_main")
@settings(max_examples=300, deadline=None)
@given(capacities(max_clusters=5, max_clients=12))
def test_rounded_sizes_are_the_whole_number_optimum(capacity: list[int]) -> None:
    size = np.diff(_boundary(capacity), prepend=0)
    assert (size**2).sum() == least_uneven_sizes(capacity)


@pytest.mark.paper("eq:threshold_main")
@pytest.mark.paper("eq:all_clients")
@given(capacities(max_clusters=40, max_clients=2000))
def test_boundaries_ascend_within_their_capacities_to_all_clients(capacity: list[int]) -> None:
    boundary = _boundary(capacity)
    assert boundary == sorted(boundary)
    assert all(end <= most for end, most in zip(boundary, capacity, strict=True))
    assert boundary[-1] == capacity[-1]


@pytest.mark.paper("sec:clustering-solution")
def test_halves_go_up_wherever_they_stand() -> None:
    assert _boundary([7, 7]) == [4, 7]
    assert _boundary([5, 5]) == [3, 5]
    assert _boundary([10, 10, 10, 10]) == [3, 5, 8, 10]


def test_large_numbers_round_exactly() -> None:
    clients = 10**9 + 1
    capacity = np.full(10**6, clients)
    active = np.zeros(10**6, dtype=bool)
    active[-1] = True
    boundary = cluster_boundaries(capacity, active)
    for k in (1, 333_333, 499_999, 500_000, 999_999):
        assert boundary[k - 1] == (2 * k * clients + 10**6) // (2 * 10**6)
