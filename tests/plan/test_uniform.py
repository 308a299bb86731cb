import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pipefl
from pipefl.plan import solve_relaxed
from pipefl.plan.uniform import (
    evenly_spread_times,
    uniform_capacity_share,
    uniform_relaxed_share,
)

EARLIEST_S, LATEST_S, NUM_CLIENTS = 10.0, 70.0, 60_001


@pytest.mark.paper("sec:clustering")
@given(st.floats(3.0, 70.0), st.integers(1, 12), st.floats(0.0, 20.0))
def test_the_closed_form_is_the_plan_of_many_evenly_spread_clients(
    upload_s: float, asked: int, slack_s: float
) -> None:
    times = evenly_spread_times(NUM_CLIENTS, EARLIEST_S, LATEST_S)
    num_clusters = min(asked, pipefl.max_clusters(times, upload_s, slack_s))
    plan = pipefl.plan_clusters(times, upload_s, num_clusters=num_clusters, slack_s=slack_s)
    share = uniform_relaxed_share(EARLIEST_S, LATEST_S, upload_s, num_clusters, slack_s)
    assert plan.relaxed_size == pytest.approx(share * NUM_CLIENTS, abs=2.0)
    ready = uniform_capacity_share(EARLIEST_S, LATEST_S, plan.slot_time_s)
    assert plan.capacity == pytest.approx(ready * NUM_CLIENTS, abs=2.0)


@given(st.floats(0.5, 60.0))
def test_with_the_papers_number_of_clusters_all_are_equal(upload_s: float) -> None:
    num_clusters = pipefl.choose_num_clusters([EARLIEST_S, LATEST_S], upload_s)
    share = uniform_relaxed_share(EARLIEST_S, LATEST_S, upload_s, num_clusters)
    assert share == pytest.approx(np.full(num_clusters, 1 / num_clusters))


@pytest.mark.paper("eq. (15)")
def test_evenly_spread_times_follow_the_papers_formula() -> None:
    times = evenly_spread_times(7, 10.0, 70.0)
    assert times.tolist() == [10.0 + (70.0 - 10.0) / 6 * i for i in range(7)]
    assert evenly_spread_times(1, 5.0, 5.0).tolist() == [5.0]


def test_equal_clients_are_all_ready_at_once() -> None:
    assert uniform_capacity_share(5.0, 5.0, np.array([4.0, 5.0])).tolist() == [0.0, 1.0]
    capacity = (uniform_capacity_share(5.0, 5.0, np.array([5.0, 6.0])) * 10).astype(int)
    assert solve_relaxed(capacity).relaxed_size.tolist() == [5.0, 5.0]


def test_a_latest_time_before_the_earliest_is_refused() -> None:
    with pytest.raises(pipefl.PipeflError, match=r"latest_s is 1.0; it must be at least"):
        evenly_spread_times(3, 2.0, 1.0)
