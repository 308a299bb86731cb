import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import pipefl
from pipefl.plan.cut import cut_sorted_clients
from pipefl.plan.recommendation import slack_for_equal_clusters_s
from strategies import compute_times

TIMES = np.random.default_rng(5).integers(10, 71, 400) * 0.1
UPLOAD_S = 1.5


def _served_on_a_grid(
    times: NDArray[np.float64], upload_s: float, num_channels: int, longest_slack_s: float
) -> dict[tuple[int, float], int]:
    """Clients per round of every K and of many Δ, one by one."""
    sorted_s = np.sort(times)
    return {
        (clusters, slack_s): cut_sorted_clients(
            sorted_s, upload_s, clusters, slack_s
        ).clients_per_round(num_channels)
        for slack_s in np.linspace(0, longest_slack_s, 30).tolist()
        for clusters in range(1, min(times.size, pipefl.max_clusters(times, upload_s, slack_s)) + 1)
    }


@settings(max_examples=40)
@given(compute_times(max_clients=25), st.floats(0.1, 3.0), st.integers(1, 4), st.integers(1, 12))
def test_no_other_choice_serves_as_many_clients_in_a_shorter_round(
    times: NDArray[np.float64], upload_s: float, num_channels: int, wish: int
) -> None:
    least = min(wish, times.size)
    plan = pipefl.recommend(
        times, upload_s, num_channels=num_channels, min_clients_per_round=least
    ).plan
    assert plan.clients_per_round(num_channels) >= least
    grid = _served_on_a_grid(times, upload_s, num_channels, plan.slack_s * 1.1 + 0.1)
    shortest_s = min(slack_s for (_, slack_s), served in grid.items() if served >= least)
    assert plan.slack_s <= shortest_s + 1e-5 * (1 + shortest_s)


@settings(max_examples=40)
@given(compute_times(max_clients=25), st.floats(0.1, 3.0), st.integers(1, 4), st.floats(0, 4))
def test_no_other_choice_serves_more_clients_in_the_time(
    times: NDArray[np.float64], upload_s: float, num_channels: int, spare_s: float
) -> None:
    longest_s = float(times.max()) + upload_s + spare_s
    plan = pipefl.recommend(times, upload_s, num_channels=num_channels, max_round_s=longest_s).plan
    assert plan.round_duration_s() <= longest_s * (1 + 1e-9)
    grid = _served_on_a_grid(times, upload_s, num_channels, spare_s)
    assert plan.clients_per_round(num_channels) >= max(grid.values())


@given(compute_times(), st.floats(0.05, 3.0), st.integers(1, 9))
def test_clients_per_round_never_fall_with_more_slack(
    times: NDArray[np.float64], upload_s: float, num_clusters: int
) -> None:
    sorted_s = np.sort(times)
    least_s = max(0.0, (num_clusters - 1) * upload_s - float(sorted_s[-1] - sorted_s[0]))
    served = [
        cut_sorted_clients(sorted_s, upload_s, num_clusters, least_s + extra_s).clients_per_round(3)
        for extra_s in np.linspace(0.0, 3.0, 12)
    ]
    assert served == sorted(served)


@pytest.mark.paper("theorem:inactive_Constraints")
@given(compute_times(), st.floats(0.05, 3.0), st.integers(1, 9))
def test_with_the_slack_for_equal_clusters_no_constraint_binds_and_with_less_one_does(
    times: NDArray[np.float64], upload_s: float, num_clusters: int
) -> None:
    sorted_s = np.sort(times)
    slack_s = slack_for_equal_clusters_s(sorted_s, upload_s, num_clusters)
    equal = cut_sorted_clients(sorted_s, upload_s, num_clusters, slack_s)
    assert not equal.relaxed.active[:-1].any()
    if slack_s > 0.01:
        less = cut_sorted_clients(sorted_s, upload_s, num_clusters, slack_s - 0.005)
        assert less.relaxed.active[:-1].any()


def test_the_smallest_spread_takes_the_papers_k_and_as_much_slack_as_equality_needs() -> None:
    wish = pipefl.recommend(TIMES, UPLOAD_S, smallest_spread=True)
    assert wish.plan.num_clusters == pipefl.choose_num_clusters(TIMES, UPLOAD_S)
    assert wish.plan.size.max() - wish.plan.size.min() <= 1
    assert "the smallest with which all clusters are equal" in wish.reason


def test_a_time_limit_bounds_the_smallest_spread() -> None:
    shortest_s = float(TIMES.max()) + UPLOAD_S
    wish = pipefl.recommend(
        TIMES, UPLOAD_S, smallest_spread=True, min_clients_per_round=5, max_round_s=shortest_s
    )
    assert (wish.plan.num_clusters, wish.plan.slack_s) == (5, 0.0)
    assert "equal clusters would take" in wish.reason


def test_the_reason_names_the_numbers() -> None:
    wish = pipefl.recommend(TIMES, UPLOAD_S, num_channels=2, min_clients_per_round=12)
    assert "12 clients a round over 2 sub-channels takes at least 6 clusters" in wish.reason
    assert f"{wish.plan.slack_s:g} s" in wish.reason


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({}, "nothing is wished for"),
        ({"min_clients_per_round": 401}, "min_clients_per_round is 401"),
        ({"min_clients_per_round": 0}, "min_clients_per_round is 0"),
        ({"max_round_s": 8.0}, r"max_round_s is 8.0; the slowest client alone .* 8.5 s"),
        ({"max_round_s": math.nan}, "max_round_s is nan"),
        (
            {"min_clients_per_round": 50, "max_round_s": 9.0},
            r"no plan serves 50 clients in a round of at most 9 s: .* the most is 5",
        ),
    ],
)
def test_a_wish_that_cannot_be_met_says_what_can(settings: dict[str, float], message: str) -> None:
    with pytest.raises(pipefl.PipeflError, match=message):
        pipefl.recommend(TIMES, UPLOAD_S, **settings)  # type: ignore[arg-type]


def test_of_choices_that_are_as_good_the_fewest_clusters_are_taken() -> None:
    times = range(1, 9)  # two clusters over two channels serve four without slack, three as well
    plan = pipefl.recommend(times, 1.0, num_channels=2, min_clients_per_round=4).plan
    assert (plan.num_clusters, plan.slack_s) == (2, 0.0)


def test_equal_clusters_are_no_more_than_there_are_clients() -> None:
    wish = pipefl.recommend([1.0, 2.0, 3.0], 0.1, smallest_spread=True)
    assert wish.plan.size.tolist() == [1, 1, 1]
    assert wish.reason.startswith("With a client in each of them there are K = 3;")
    assert wish.reason.endswith("clusters of 1 client.")


def test_no_more_clusters_are_recommended_than_a_plan_may_have() -> None:
    times = np.linspace(1.0, 1000.0, 1_000_001)  # eq:choosing_K would be 9,990,000
    wish = pipefl.recommend(times, 1e-4, smallest_spread=True)
    assert wish.plan.num_clusters == 1_000_000
    assert wish.reason.startswith("The most clusters that a plan may have are K = 1,000,000;")
    message = "over 1 sub-channel that takes 1,000,001 clusters, more than 1,000,000; give more"
    with pytest.raises(pipefl.PipeflError, match=message):
        pipefl.recommend(times, 1e-4, min_clients_per_round=1_000_001)
