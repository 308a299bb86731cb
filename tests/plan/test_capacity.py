import numpy as np
import pytest
from hypothesis import given
from numpy.typing import NDArray

from pipefl.plan.capacity import ready_by_slot
from pipefl.plan.slots import rounding_allowance_s, slot_times
from strategies import populations


@pytest.mark.paper("eq:pi")
@given(populations())
def test_capacity_counts_the_clients_ready_by_each_slot(
    population: tuple[NDArray[np.float64], float, int, float],
) -> None:
    times, upload_s, num_clusters, slack_s = population
    exact = slot_times(float(times.max()), upload_s, num_clusters, slack_s)
    capacity, slots = ready_by_slot(np.sort(times), exact)
    assert capacity.tolist() == [int((times <= slot).sum()) for slot in slots]
    assert np.all(slots >= exact)
    assert np.all(slots - exact <= rounding_allowance_s(float(exact[-1])))
    assert capacity[-1] == times.size


def test_a_rounding_error_costs_no_client_its_slot() -> None:
    times = np.sort(np.arange(1, 71) * 0.1)  # 0.1 · 3 is 0.30000000000000004
    slots = slot_times(7.0, upload_time_s=0.1, num_clusters=70)
    capacity, _ = ready_by_slot(times, slots)
    assert capacity.tolist() == list(range(1, 71))


def test_a_client_later_than_the_rounding_error_is_not_ready() -> None:
    late = 2.0 * (1 + 1e-12)
    capacity, slots = ready_by_slot(np.array([1.0, late, 4.0]), np.array([2.0, 4.0]))
    assert capacity.tolist() == [1, 3]
    assert slots[0] == 2.0
