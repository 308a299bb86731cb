import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import pipefl
from pipefl.plan.bounds import least_slack_s, typed_slack_s
from pipefl.plan.slots import rounding_allowance_s, slot_times
from strategies import compute_times


@pytest.mark.paper("eq:setting_theta")
def test_slots_end_at_the_slowest_client_plus_slack_and_lie_an_upload_apart() -> None:
    slots = slot_times(70.0, upload_time_s=15.0, num_clusters=4, slack_s=2.0)
    assert slots.tolist() == [27.0, 42.0, 57.0, 72.0]


@pytest.mark.paper("eq:techincal_K")
@given(compute_times(), st.floats(0.01, 20.0), st.floats(0.0, 5.0))
def test_at_the_bound_the_fastest_client_makes_the_first_slot_and_beyond_it_does_not(
    times: NDArray[np.float64], upload_s: float, slack_s: float
) -> None:
    most = pipefl.max_clusters(times, upload_s, slack_s)
    latest_s, earliest_s = float(times.max()), float(times.min())
    allowance_s = 2 * rounding_allowance_s(latest_s + slack_s)
    assert slot_times(latest_s, upload_s, most, slack_s)[0] >= earliest_s - allowance_s
    assert slot_times(latest_s, upload_s, most + 1, slack_s)[0] < earliest_s + allowance_s


@pytest.mark.paper("eq:choosing_K")
@given(compute_times(), st.floats(0.01, 20.0), st.floats(0.0, 5.0))
def test_the_chosen_number_is_one_below_the_bound_and_at_least_one(
    times: NDArray[np.float64], upload_s: float, slack_s: float
) -> None:
    chosen = pipefl.choose_num_clusters(times, upload_s, slack_s)
    assert chosen == max(1, pipefl.max_clusters(times, upload_s, slack_s) - 1)


@pytest.mark.parametrize("num_clusters", [*range(1, 60), 173, 1000, 99_991])
@pytest.mark.parametrize("scale_s", [1e-6, 0.1, 1.0, 1e6])
def test_an_upload_of_one_kth_of_the_range_gives_k_clusters(
    num_clusters: int, scale_s: float
) -> None:
    times = np.array([1.0, 4.0, 7.3]) * scale_s
    upload_s = (times.max() - times.min()) / num_clusters
    assert pipefl.choose_num_clusters(times, upload_s) == num_clusters
    assert pipefl.max_clusters(times, upload_s) == num_clusters + 1


@given(compute_times(), st.floats(0.01, 20.0), st.integers(1, 40))
def test_the_least_slack_admits_that_many_clusters(
    times: NDArray[np.float64], upload_s: float, num_clusters: int
) -> None:
    earliest_s, latest_s = float(times.min()), float(times.max())
    slack_s = least_slack_s(earliest_s, latest_s, upload_s, num_clusters)
    typed_s = typed_slack_s(slack_s, latest_s)
    assert pipefl.max_clusters(times, upload_s, typed_s) >= num_clusters
    assert typed_s <= slack_s * (1 + 2e-5) + rounding_allowance_s(latest_s)
    if slack_s > 0:
        assert pipefl.max_clusters(times, upload_s, slack_s * 0.999) < num_clusters or (
            slack_s < 1000 * rounding_allowance_s(latest_s)
        )
