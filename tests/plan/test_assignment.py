import numpy as np
import pytest

from oracles import clusters_by_sorting
from pipefl.plan.assignment import assign_clusters


@pytest.mark.paper("eq:cluster_set")
@pytest.mark.parametrize("num_values", [1, 3, 40, 4000])
@pytest.mark.parametrize("num_clusters", [2, 64, 65, 66, 300])
def test_ties_at_any_number_of_boundaries_go_by_client_index(
    num_clusters: int, num_values: int
) -> None:
    rng = np.random.default_rng(num_clusters * num_values)
    times_s = rng.integers(1, num_values + 1, 700).astype(np.float64)
    boundary = np.sort(rng.integers(0, 701, num_clusters))
    boundary[-1] = 700
    sorted_s = np.sort(times_s)
    boundary_time_s = np.where(boundary > 0, sorted_s[boundary - 1], 0.0)
    expected = clusters_by_sorting(times_s, boundary)
    assert assign_clusters(times_s, boundary, boundary_time_s).tolist() == expected.tolist()


@pytest.mark.parametrize("num_clusters", [3, 70])
def test_ties_are_handed_on_across_all_the_pieces_that_clients_are_taken_in(
    num_clusters: int,
) -> None:
    rng = np.random.default_rng(num_clusters)
    times_s = rng.integers(1, 4, 200_000).astype(np.float64)
    boundary = np.sort(rng.integers(0, times_s.size, num_clusters))
    boundary[-1] = times_s.size
    boundary_time_s = np.sort(times_s)[boundary - 1]
    expected = clusters_by_sorting(times_s, boundary)
    assert np.array_equal(assign_clusters(times_s, boundary, boundary_time_s), expected)
