import math
from typing import Any

import numpy as np
import polars as pl
import pytest

from pipefl.devices.distributions import draw_population
from pipefl.errors import ArgumentError
from pipefl.policies.optimise import ScheduleChoice, optimise_schedule
from pipefl.policies.paper_points import paper_points
from pipefl.policies.rounds_curve import RoundsCurve, fit_rounds_curve

CURVE = RoundsCurve(100.0, 100.0, 1.0, domain=(1.0, 32.0))
TIMES = [1.0, 1.5, 2.0, 3.25, 4.5, 6.0]
PLANNED = ("slots", "eager-slots", "fifo")
KEY = ("policy", "discipline", "slack_s", "num_channels", "num_clusters")


def test_progress_rises_to_all_of_it() -> None:
    shares: list[float] = []
    optimise_schedule(TIMES, one_channel_upload_time_s=1.0, curve=CURVE, progress=shares.append)
    assert shares == sorted(shares)
    assert shares[0] == 0.0
    assert shares[-1] == 1.0
    assert len(set(shares)) > 6


def test_two_clients_by_hand() -> None:
    # T(1) = 200, T(2) = 150. One sub-channel, conventional: the mean client 3 s + 1 s, 800 s.
    # Two of half the width: 4 s + 2 s, 900 s. Both clients one after the other on one: ready
    # at 2 s and 4 s, done at 5 s, 750 s, in clusters or not; the simplest is taken.
    choice = optimise_schedule([4.0, 2.0], one_channel_upload_time_s=1.0, curve=CURVE)
    best = choice.best
    assert (best.policy, best.discipline) == ("uniform", "fifo")
    assert (best.num_channels, best.num_clusters) == (1, 2)
    assert (best.clients_per_round, best.upload_time_s, best.rounds) == (2, 1.0, 150.0)
    assert (best.round_s, best.seconds) == (5.0, 750.0)
    known = choice.candidates.filter(pl.col("discipline") == "wait-all").sort("num_channels")
    assert known.select("num_channels", "round_s", "seconds").rows() == [
        (1, 4.0, 800.0),
        (2, 6.0, 900.0),
    ]
    assert choice.reason == (
        "uniform clients with fifo (N = 1, K = 2): 2 clients a round, 150 rounds of 5 s, "
        "750 s to the target. Beside the best with one cluster, uniform clients with wait-all "
        "(N = 1, K = 1): uploads of 1 s, 2 clients a round instead of 1, 25.0 % fewer rounds, "
        "25.0 % longer ones, 6.2 % less time than its 800 s. The best of the other kinds take: "
        "clustered clients with fifo (N = 1, K = 2, Δ = 0 s) 750 s; clustered clients with "
        "eager-slots (N = 1, K = 2, Δ = 0 s) 750 s; clustered clients with slots (N = 1, K = 2, "
        "Δ = 0 s) 750 s; uniform clients with wait-all (N = 1, K = 1) 800 s."
    )


def test_clients_of_equal_speed_take_the_least_slack_for_a_second_slot() -> None:
    # Both ready at 4 s, slots at 4 s and 5 s with Δ = 1 s: 6 s for 150 rounds against 5 s for 200.
    best = optimise_schedule(
        [4.0, 4.0],
        one_channel_upload_time_s=1.0,
        curve=CURVE,
        num_channels=1,
        disciplines=["slots"],
        server_time_s=0.5,
    ).best
    assert (best.num_clusters, best.slack_s, best.smallest, best.largest) == (2, 1.0, 1, 1)
    assert (best.round_s, best.seconds) == (6.5, 975.0)


def test_the_least_slack_and_the_one_for_equal_clusters_are_tried() -> None:
    frame = optimise_schedule(
        [7.0, 9.5, 9.8, 10.0],
        one_channel_upload_time_s=1.0,
        curve=CURVE,
        num_channels=1,
        disciplines=["slots"],
    ).candidates
    # θ_1 = 9 s + Δ: one client makes it with Δ = 0 s, two with Δ = 0.5 s.
    tried = frame.filter(pl.col("num_clusters") == 2).sort("slack_s")
    assert tried.select("slack_s", "smallest", "largest", "round_s").rows() == [
        (0.0, 1, 3, 11.0),
        (0.5, 2, 2, 11.5),
    ]


def _population_choice(**options: Any) -> ScheduleChoice:
    times = draw_population("samples:10:70:0.1", num_clients=200, seed=3).compute_time_s
    given: dict[str, Any] = {"one_channel_upload_time_s": 0.4, "curve": CURVE, "num_rounds": 300}
    return optimise_schedule(times, **(given | options))


def test_the_papers_population_gains_by_pipelining_and_the_reason_tells_what_was_traded() -> None:
    times = draw_population("samples:10:70:0.1", num_clients=1500).compute_time_s
    points = paper_points("mnist-cnn")
    curve = fit_rounds_curve(points.clients_per_round, points.rounds)
    choice = optimise_schedule(times, one_channel_upload_time_s=0.5, curve=curve)
    best, frame = choice.best, choice.candidates
    assert (best.num_channels, best.num_clusters, best.discipline) == (1, 11, "fifo")
    conventional = frame.filter(pl.col("discipline") == "wait-all")["seconds"].min()
    assert isinstance(conventional, float)
    assert best.seconds < 0.8 * conventional
    assert "wider sub-channels, uploads of 0.5 s instead of 1.5 s" in choice.reason
    assert "11 clients a round instead of 3, 27.2 % fewer rounds, 5.0 % longer" in choice.reason
    assert "11 clients a round from clusters of 136 to 137, 109.7 rounds of" in choice.reason
    assert "Warning" not in choice.reason


def test_the_same_seed_gives_the_same_frame_and_another_seed_other_simulations() -> None:
    first, again, other = (_population_choice(seed=seed) for seed in (5, 5, 6))
    assert first.candidates.equals(again.candidates)
    assert (first.best, first.reason) == (again.best, again.reason)
    simulated = [
        choice.candidates.filter(pl.col("round_error_s") > 0)["round_s"].to_list()
        for choice in (first, other)
    ]
    assert simulated[0] != simulated[1]
    assert other.best.seconds == pytest.approx(first.best.seconds, rel=0.02)


def test_more_rounds_give_a_smaller_standard_error() -> None:
    few, many = (
        _population_choice(num_rounds=rounds, disciplines="fifo") for rounds in (100, 6400)
    )
    errors = [choice.candidates["round_error_s"].max() for choice in (few, many)]
    assert 4 * errors[1] < errors[0] < 16 * errors[1]  # type: ignore[operator]  # floats


def test_outside_the_points_of_the_curve_there_is_a_warning() -> None:
    narrow = RoundsCurve(100.0, 100.0, 1.0, domain=(1.0, 2.0))
    choice = _population_choice(curve=narrow)
    assert choice.best.extrapolated
    assert choice.best.clients_per_round > 2
    assert "lie outside the curve's points, 1 to 2; its rounds are extrapolated" in choice.reason
    outside = choice.candidates.filter(pl.col("extrapolated"))
    assert (outside["clients_per_round"] > 2).all()


def test_a_curve_of_its_own_for_clients_drawn_from_all() -> None:
    slower = RoundsCurve(200.0, 200.0, 1.0)
    choice = _population_choice(uniform_curve=slower)
    rows = choice.candidates
    drawn_from_all = (pl.col("policy") == "uniform") | (pl.col("num_clusters") == 1)
    assert (rows.filter(drawn_from_all)["rounds"] > 200).all()
    assert (rows.filter(~drawn_from_all)["rounds"] <= 200).all()
    assert choice.best.policy == "clustered"


def test_the_clients_of_a_round_are_limited_and_the_reason_says_so() -> None:
    steep = RoundsCurve(1.0, 1000.0, 1.0)
    choice = _population_choice(curve=steep, one_channel_upload_time_s=0.01, max_channels=2)
    assert choice.best.clients_per_round == 200  # everybody: the limit is 256
    limited = _population_choice(
        curve=steep, one_channel_upload_time_s=0.01, max_channels=2, max_clients_per_round=20
    )
    assert limited.best.clients_per_round == 20
    assert "More than 20 clients a round were not considered." in limited.reason
    assert "not considered" not in choice.reason


def test_given_channels_and_slacks_are_the_ones_tried() -> None:
    frame = _population_choice(num_channels=(2, 4, 2), slack_s=[0.0, 1.5]).candidates
    assert set(frame["num_channels"]) == {2, 4}
    clustered = frame.filter(pl.col("policy") == "clustered")
    assert set(clustered["slack_s"]) == {0.0, 1.5}
    most = clustered.group_by("slack_s").agg(pl.col("num_clusters").max()).sort("slack_s")
    assert most["num_clusters"][0] < most["num_clusters"][1]  # slack admits more clusters
    one = _population_choice(num_channels=3, slack_s=0.0, disciplines=["slots"]).candidates
    assert set(one["num_channels"]) == {3}
    assert set(one["discipline"]) == {"slots"}


def test_a_slack_that_lengthens_every_round_leaves_hope_for_many_clusters() -> None:
    best = optimise_schedule(
        [1.0] * 10,
        one_channel_upload_time_s=1.0,
        curve=CURVE,
        num_channels=1,
        slack_s=20.0,
        disciplines="slots",  # type: ignore[arg-type]  # one name alone will do
    ).best
    assert (best.num_clusters, best.round_s) == (10, 22.0)


def test_many_sub_channels_and_clusters_are_thinned_at_equal_ratios() -> None:
    times = np.linspace(1.0, 7.0, 300)
    frame = optimise_schedule(
        times,
        one_channel_upload_time_s=0.001,
        curve=CURVE,
        max_channels=200,
        disciplines=["slots"],
    ).candidates
    channels = sorted(set(frame["num_channels"].to_list()))
    assert (channels[0], channels[-1]) == (1, 200)
    assert 40 < len(channels) <= 64
    clusters = set(frame.filter(pl.col("num_channels") == 1)["num_clusters"].to_list())
    assert (min(clusters), max(clusters)) == (1, 256)
    assert 40 < len(clusters) <= 64


def test_a_single_client_is_served_alone() -> None:
    choice = optimise_schedule([3.0], one_channel_upload_time_s=1.0, curve=CURVE)
    assert (choice.best.discipline, choice.best.seconds) == ("wait-all", 800.0)
    assert set(choice.candidates["num_channels"]) == {1}
    assert "Beside" not in choice.reason


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"compute_time_s": []}, "compute_time_s is .*; it must hold at least one"),
        ({"compute_time_s": [1.0, -1.0]}, r"compute_time_s\[1\] is -1.0"),
        ({"one_channel_upload_time_s": 0.0}, "one_channel_upload_time_s is 0.0"),
        ({"one_channel_upload_time_s": "long"}, "one_channel_upload_time_s is 'long'"),
        ({"one_channel_upload_time_s": 1e308}, "the time in which all clients upload is inf"),
        ({"server_time_s": -1.0}, "server_time_s is -1.0"),
        ({"curve": "mnist-cnn"}, "curve is 'mnist-cnn'; it must be a RoundsCurve"),
        ({"uniform_curve": 3}, "uniform_curve is 3; it must be a RoundsCurve"),
        ({"max_channels": 0}, "max_channels is 0"),
        ({"num_channels": 7}, "num_channels is 7; it must be a whole number from 1 to 6"),
        ({"num_channels": [1, 2.5]}, "num_channels is 2.5"),
        ({"num_channels": []}, r"num_channels is \[\]; it must hold at least one value"),
        ({"max_clients_per_round": 0}, "max_clients_per_round is 0"),
        ({"slack_s": -0.1}, "slack_s is -0.1"),
        ({"slack_s": [0.0, math.inf]}, "slack_s is inf"),
        ({"slack_s": []}, r"slack_s is \[\]"),
        ({"disciplines": ["slot"]}, "disciplines is 'slot'; each must be one of slots, eager"),
        ({"disciplines": "lifo"}, "disciplines is 'lifo'"),
        ({"disciplines": []}, r"disciplines is \[\]"),
        ({"seed": -1}, "seed is -1"),
        ({"num_rounds": 1}, "num_rounds is 1; it must be a whole number of at least 2"),
    ],
)
def test_what_cannot_be_used_is_named_in_one_line(options: dict[str, Any], message: str) -> None:
    given: dict[str, Any] = {"compute_time_s": TIMES, "one_channel_upload_time_s": 1.0}
    given |= {"curve": CURVE} | options
    with pytest.raises(ArgumentError, match=message) as caught:
        optimise_schedule(given.pop("compute_time_s"), **given)
    assert "\n" not in str(caught.value)
