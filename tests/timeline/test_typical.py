import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pipefl
from pipefl.timeline import simulate_round
from pipefl.timeline.typical import typical_cohort
from strategies import populations


@st.composite
def plans(draw: st.DrawFn) -> pipefl.ClusterPlan:
    """A plan for random clients, with empty and small clusters among the others."""
    times, upload_s, num_clusters, slack_s = draw(populations())
    return pipefl.plan_clusters(times, upload_s, num_clusters=num_clusters, slack_s=slack_s)


@given(plans(), st.integers(1, 6))
def test_a_typical_cohort_is_as_large_as_a_round_of_the_plan(
    plan: pipefl.ClusterPlan, num_channels: int
) -> None:
    cohort = typical_cohort(plan, num_channels)
    assert len(set(cohort.tolist())) == cohort.size == plan.clients_per_round(num_channels)
    taken = np.bincount(plan.cluster_of[cohort], minlength=plan.num_clusters)
    assert taken.tolist() == np.minimum(plan.size, num_channels).tolist()


@given(plans(), st.integers(1, 6), st.sampled_from([0.0, 1.5]))
def test_where_all_clusters_fill_the_channels_utilisation_is_the_papers_efficiency(
    plan: pipefl.ClusterPlan, num_channels: int, server_time_s: float
) -> None:
    round_ = simulate_round(
        typical_cohort(plan, num_channels),
        plan.compute_time_s,
        plan.upload_time_s,
        num_channels,
        plan=plan,
        server_time_s=server_time_s,
    )
    efficiency = plan.efficiency(server_time_s)
    if plan.size.min() >= num_channels:
        assert round_.utilisation == pytest.approx(efficiency)
        assert round_.duration_s == pytest.approx(plan.round_duration_s(server_time_s))
    elif plan.size[-1] > 0:
        assert round_.utilisation < efficiency


def test_a_typical_cohort_is_spread_over_each_clusters_times() -> None:
    plan = pipefl.plan_clusters(np.arange(1.0, 13.0), 6.0, num_clusters=2)
    assert plan.size.tolist() == [6, 6]
    assert typical_cohort(plan, 1).tolist() == [3, 9]
    assert typical_cohort(plan, 2).tolist() == [1, 4, 7, 10]
    assert typical_cohort(plan, 9).tolist() == list(range(12))
