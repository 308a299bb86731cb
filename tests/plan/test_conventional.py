import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import pipefl
from oracles import mean_slowest
from pipefl.plan import gain_over_conventional
from pipefl.plan.conventional import expected_slowest_s
from pipefl.plan.efficiency import conventional_efficiency, pipelined_efficiency
from strategies import compute_times


@given(compute_times(max_clients=9), st.integers(1, 9))
def test_the_expected_slowest_client_is_the_mean_over_all_samples(
    times: NDArray[np.float64], asked: int
) -> None:
    sampled = min(asked, times.size)
    expected = expected_slowest_s(np.sort(times), sampled)
    assert expected == pytest.approx(mean_slowest(times.tolist(), sampled))


def test_of_many_uniform_clients_the_slowest_of_n_lies_at_n_over_n_plus_one() -> None:
    times = np.linspace(1e-9, 1.0, 1_000_001)
    assert expected_slowest_s(times, 8) == pytest.approx(8 / 9, rel=1e-5)


def test_a_gain_by_hand() -> None:
    plan = pipefl.plan_clusters([1.0, 2.0, 3.0, 4.0], upload_time_s=1.0, num_clusters=2)
    gain = gain_over_conventional(plan, num_channels=2, server_time_s=0.5)
    assert (gain.clients_per_round, gain.conventional_clients_per_round) == (4, 2)
    assert gain.round_s == gain.conventional_longest_round_s == 5.5
    assert gain.conventional_round_s == pytest.approx(1.5 + (2 + 3 * 2 + 4 * 3) / 6)
    assert gain.efficiency == pytest.approx(2 / 5.5)
    assert gain.conventional_efficiency == pytest.approx(1 / 5.5)
    assert gain.clients_per_s == pytest.approx(4 / 5.5)


def test_conventional_rounds_have_no_slack_and_no_more_clients_than_there_are() -> None:
    plan = pipefl.plan_clusters([1.0, 2.0], upload_time_s=1.0, num_clusters=1, slack_s=3.0)
    gain = gain_over_conventional(plan, num_channels=5)
    assert (gain.round_s, gain.conventional_longest_round_s) == (6.0, 3.0)
    assert gain.conventional_round_s == pytest.approx(3.0)
    assert gain.conventional_clients_per_round == 2


@pytest.mark.paper("sec:pfl")
@given(st.floats(0.1, 100), st.floats(0.01, 10), st.integers(1, 50), st.floats(0, 5))
def test_without_slack_pipelining_uses_the_spectrum_k_times_as_well(
    latest_s: float, upload_s: float, num_clusters: int, server_s: float
) -> None:
    pipelined = pipelined_efficiency(latest_s, upload_s, num_clusters, 0.0, server_s)
    conventional = conventional_efficiency(latest_s, upload_s, server_s)
    assert pipelined == pytest.approx(num_clusters * conventional)


@pytest.mark.paper("sec:clustering")
def test_slack_lowers_the_efficiency() -> None:
    assert pipelined_efficiency(7.0, 1.0, 4, slack_s=2.0) == 0.4
    assert pipelined_efficiency(7.0, 1.0, 4) == 0.5
