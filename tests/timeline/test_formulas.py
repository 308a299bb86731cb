import numpy as np
import pytest
from hypothesis import given

import pipefl
from pipefl.plan.efficiency import conventional_efficiency, pipelined_efficiency
from pipefl.timeline import (
    conventional_round_s,
    measured_efficiency,
    simulate_round,
    simulate_rounds,
    total_time_s,
)
from pipefl.timeline.typical import typical_cohort
from strategies import Case, cases


@pytest.mark.paper("eq:time_one_iteration")
@given(cases(equal_uploads=True))
def test_a_conventional_rounds_intervals_last_as_long_as_the_formula_says(case: Case) -> None:
    upload_s = float(case.upload_time_s[0])
    round_ = simulate_round(
        case.cohort,
        case.round_time_s,
        upload_s,
        num_channels=len(case.cohort),
        discipline="wait-all",
        server_time_s=0.75,
    )
    expected_s = conventional_round_s(case.round_time_s[case.cohort], upload_s, 0.75)
    assert round_.duration_s == pytest.approx(expected_s)
    assert round_.intervals["end_s"].max() == pytest.approx(expected_s - 0.75)


@pytest.mark.paper("sec:pfl")
@pytest.mark.paper("eq. (7)")
@pytest.mark.paper("eq. (8)")
def test_the_total_time_and_efficiency_of_many_rounds_are_the_formulas() -> None:
    rng = np.random.default_rng(2)
    times_s = rng.uniform(1.0, 7.0, 50)
    cohorts = np.array([rng.permutation(50)[:4] for _ in range(200)])
    rounds = simulate_rounds(
        cohorts, times_s, 1.5, num_channels=4, discipline="wait-all", server_time_s=0.5
    )
    slowest_s = times_s[cohorts].max(axis=1)
    total_s = float(rounds.duration_s.sum())
    assert total_s == pytest.approx(total_time_s(slowest_s.tolist(), 1.5, 0.5))
    channel_time_s = 4 * total_s
    busy_share = float(rounds.busy_s.sum()) / channel_time_s
    assert busy_share == pytest.approx(measured_efficiency(total_s, 200, 1.5))
    assert busy_share >= conventional_efficiency(7.0, 1.5, 0.5)


@pytest.mark.paper("sec:pfl")
@pytest.mark.paper("eq. (9)")
@pytest.mark.paper("eq. (19)")
@pytest.mark.parametrize("slack_s", [0.0, 2.0])
def test_a_pipelined_rounds_intervals_use_the_sub_channels_as_the_papers_efficiency_says(
    slack_s: float,
) -> None:
    times_s = np.random.default_rng(3).uniform(1.0, 7.0, 200)
    plan = pipefl.plan_clusters(times_s, 1.5, slack_s=slack_s)
    round_ = simulate_round(
        typical_cohort(plan, 2), times_s, 1.5, num_channels=2, plan=plan, server_time_s=0.5
    )
    latest_s = float(times_s.max())
    expected = pipelined_efficiency(latest_s, 1.5, plan.num_clusters, slack_s, server_time_s=0.5)
    assert round_.utilisation == pytest.approx(expected)
    assert round_.utilisation == pytest.approx(
        measured_efficiency(round_.duration_s, 1, 1.5, plan.num_clusters)
    )
