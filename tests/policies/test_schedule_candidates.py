import heapq
import math
from collections.abc import Iterable
from itertools import combinations, product
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from pipefl.devices.distributions import draw_population
from pipefl.plan import ClusterPlan, plan_clusters
from pipefl.policies.cohorts import uniform_cohorts
from pipefl.policies.optimise import ScheduleChoice, optimise_schedule
from pipefl.policies.paper_points import paper_points
from pipefl.policies.rounds_curve import RoundsCurve, fit_rounds_curve
from pipefl.randomness import generator
from pipefl.timeline.durations import round_times
from strategies import compute_times

CURVE = RoundsCurve(100.0, 100.0, 1.0)
TIMES = [1.0, 1.5, 2.0, 3.25, 4.5, 6.0]
PLANNED = ("slots", "eager-slots", "fifo")
KEY = ("policy", "discipline", "slack_s", "num_channels", "num_clusters")


def _last_end_s(releases_s: Iterable[float], upload_s: float, num_channels: int) -> float:
    free_s = [0.0] * num_channels
    for release_s in sorted(releases_s):
        heapq.heappush(free_s, max(heapq.heappop(free_s), release_s) + upload_s)
    return max(free_s)


def _mean_round_s(row: dict[str, Any], plan: ClusterPlan | None) -> float:
    """The mean over every cohort that the row's policy may draw."""
    upload_s, discipline = row["num_channels"] * row["one_s"], row["discipline"]
    if plan is None:
        cohorts = list(combinations(range(len(TIMES)), row["num_channels"] * row["num_clusters"]))
    else:
        members = [plan.members(k).tolist() for k in range(plan.num_clusters)]
        drawn = [list(combinations(m, min(len(m), row["num_channels"]))) for m in members]
        cohorts = [tuple(i for part in parts for i in part) for parts in product(*drawn)]
    total_s = 0.0
    for cohort in cohorts:
        releases_s = [TIMES[i] for i in cohort]
        if discipline == "wait-all":
            releases_s = [max(releases_s)] * len(cohort)
        elif discipline == "eager-slots" and plan is not None:
            cluster = [int(plan.cluster_of[i]) for i in cohort]
            releases_s = [
                max(TIMES[j] for j, other in zip(cohort, cluster, strict=True) if other <= own)
                for own in cluster
            ]
        elif discipline == "slots" and plan is not None:
            releases_s = [plan.slot_time_s[plan.cluster_of[i]] for i in cohort]
        total_s += _last_end_s(releases_s, upload_s, row["num_channels"])
    return total_s / len(cohorts)


def _by_brute_force(one_s: float, most_channels: int, curve: RoundsCurve) -> list[dict[str, Any]]:
    """Every N, every K with K·N ≤ M, the two Δ, every discipline: exact seconds, fastest first."""
    rows = []
    for n in range(1, most_channels + 1):
        for k in range(1, len(TIMES) // n + 1):
            row: dict[str, Any] = {"num_channels": n, "num_clusters": k, "one_s": one_s}
            kinds = [("uniform", "wait-all", 0.0)] if k == 1 else []
            kinds.append(("uniform", "fifo", 0.0))
            for discipline, slack_s in product(PLANNED, _slacks(n * one_s, k)):
                kinds.append(("clustered", discipline, slack_s))
            rows += [row | dict(zip(KEY, kind, strict=False)) for kind in kinds]
    for row in rows:
        n, k = row["num_channels"], row["num_clusters"]
        plan, served = None, n * k
        if row["policy"] == "clustered":
            plan = plan_clusters(TIMES, n * one_s, num_clusters=k, slack_s=row["slack_s"])
            served = int(np.minimum(plan.size, n).sum())
        row["round_s"] = _mean_round_s(row, plan)
        row["seconds"] = row["round_s"] * float(curve.rounds(served))
    return sorted(rows, key=lambda row: row["seconds"])


def _slacks(upload_s: float, num_clusters: int) -> set[float]:
    """The least Δ at which K clusters fit, and at which they are equal, to a thousandth."""
    spread_s = max(TIMES) - min(TIMES)
    least_s = max(0.0, (num_clusters - 1) * upload_s - spread_s)
    equal_s = 0.0
    for k in range(1, num_clusters + 1):
        slowest_s = sorted(TIMES)[math.ceil(k * len(TIMES) / num_clusters) - 1]
        slot_s = max(TIMES) - (num_clusters - k) * upload_s
        equal_s = max(equal_s, slowest_s - slot_s)
    return {round(least_s, 6), round(equal_s, 6)}


@pytest.mark.parametrize(
    ("one_s", "curve"),
    [
        (0.25, CURVE),
        (1.0, CURVE),
        (0.5, RoundsCurve(10.0, 500.0, 0.7)),
        (0.125, RoundsCurve(500.0, 20.0, 1.0)),
    ],
)
def test_the_choice_is_the_fastest_by_brute_force(one_s: float, curve: RoundsCurve) -> None:
    exact = _by_brute_force(one_s, 3, curve)
    choice = optimise_schedule(
        TIMES, one_channel_upload_time_s=one_s, curve=curve, max_channels=3, num_rounds=4000
    )
    best, of_key = choice.best, {tuple(row[name] for name in KEY): row for row in exact}
    chosen = of_key[tuple(getattr(best, name) for name in KEY)]
    assert chosen["seconds"] <= exact[0]["seconds"] * 1.005
    for row in choice.candidates.rows(named=True):
        mean_s = of_key[tuple(row[name] for name in KEY)]["round_s"]
        assert row["least_round_s"] <= mean_s + 1e-9
        if row["round_s"] is not None:
            assert abs(row["round_s"] - mean_s) <= 5 * row["round_error_s"] + 1e-9
    left_out = of_key.keys() - set(choice.candidates.select(KEY).rows())
    best_slots = min(row["seconds"] for row in exact if row["discipline"] == "slots")
    assert all(of_key[key]["seconds"] > best_slots for key in left_out)


def _population_choice(**options: Any) -> ScheduleChoice:
    times = draw_population("samples:10:70:0.1", num_clients=200, seed=3).compute_time_s
    given: dict[str, Any] = {"one_channel_upload_time_s": 0.4, "curve": CURVE, "num_rounds": 300}
    return optimise_schedule(times, **(given | options))


def test_all_sub_channels_share_the_band() -> None:
    frame = _population_choice(max_channels=5).candidates
    assert set(frame["num_channels"]) == {1, 2, 3, 4, 5}
    together = frame["upload_time_s"] / frame["num_channels"]
    assert together.to_list() == pytest.approx([0.4] * len(frame))


def test_the_frame_is_sorted_and_what_is_left_open_could_not_have_won() -> None:
    choice = _population_choice()
    frame = choice.candidates
    assert frame["seconds"].drop_nulls().is_sorted()
    assert frame["seconds"][0] == pytest.approx(choice.best.seconds, rel=1e-8)
    still_open = frame.filter(pl.col("seconds").is_null())
    assert 0 < len(still_open) < len(frame)
    best = frame.group_by("policy", "discipline").agg(pl.col("seconds").min().alias("fastest"))
    joined = still_open.join(best, on=["policy", "discipline"])
    assert (joined["least_seconds"] >= joined["fastest"]).all()
    simulated = frame.filter(pl.col("round_error_s") > 0).join(best, on=["policy", "discipline"])
    assert (simulated["least_seconds"] <= 1.01 * simulated["fastest"]).all()  # none in vain
    exact = frame.filter((pl.col("discipline") == "slots") | (pl.col("num_clusters") == 1))
    assert (exact["round_error_s"] == 0.0).all()
    assert (frame["seconds"] - frame["rounds"] * frame["round_s"]).drop_nulls().abs().max() == 0.0


def test_with_one_plan_fifo_is_never_behind_eager_slots_nor_those_behind_slots() -> None:
    key = ["num_channels", "num_clusters", "slack_s"]
    frame = _population_choice(one_channel_upload_time_s=0.7, num_channels=[2, 3]).candidates
    known = frame.filter((pl.col("policy") == "clustered") & pl.col("round_s").is_not_null())
    wide = known.pivot("discipline", index=key, values="round_s")
    both = wide.drop_nulls(["fifo", "eager-slots"])
    assert len(both.filter(pl.col("num_clusters") > 1)) > 0
    assert (both["fifo"] <= both["eager-slots"] + 1e-9).all()
    some = wide.drop_nulls(["eager-slots", "slots"])
    assert len(some.filter(pl.col("num_clusters") > 1)) > 0
    assert (some["eager-slots"] <= some["slots"] + 1e-9).all()


def test_with_fifo_one_wide_sub_channel_is_never_behind_several_narrow_ones() -> None:
    times = draw_population("samples:10:70:0.1", num_clients=50).compute_time_s
    cohorts = uniform_cohorts(50, 12, 200, np.random.default_rng(1))
    one, two, four = (
        round_times(cohorts, times, 0.5 * n, n, discipline="fifo").duration_s for n in (1, 2, 4)
    )
    assert (one <= two + 1e-9).all()
    assert (two <= four + 1e-9).all()


@pytest.mark.parametrize("discipline", ["wait-all", "fifo", "eager-slots", "slots"])
def test_more_bandwidth_never_takes_longer(discipline: str) -> None:
    seconds = [
        _population_choice(
            one_channel_upload_time_s=upload_s, disciplines=discipline, slack_s=None
        ).best.seconds
        for upload_s in (2.0, 1.0, 0.5, 0.25)
    ]
    assert seconds == sorted(seconds, reverse=True)


def test_more_to_choose_from_is_never_slower() -> None:
    alone = [
        _population_choice(disciplines=[name]).best.seconds
        for name in ("wait-all", "fifo", "eager-slots", "slots")
    ]
    assert _population_choice().best.seconds == pytest.approx(min(alone), rel=1e-8)
    fewer = _population_choice(max_channels=2, disciplines="slots").best.seconds
    assert _population_choice(max_channels=6, disciplines="slots").best.seconds <= fewer


@settings(max_examples=15)
@given(compute_times(max_clients=12), st.floats(0.05, 2.0), st.sampled_from([0.0, 0.7]))
def test_twice_the_seconds_or_twice_the_rounds_take_twice_as_long(
    times: NDArray[np.float64], upload_s: float, server_s: float
) -> None:
    def seconds(unit: float, curve: RoundsCurve) -> float:
        return optimise_schedule(
            times * unit,
            one_channel_upload_time_s=upload_s * unit,
            server_time_s=server_s * unit,
            curve=curve,
            max_channels=4,
            num_rounds=20,
        ).best.seconds

    once = seconds(1.0, CURVE)
    assert seconds(2.0, CURVE) == pytest.approx(2 * once, rel=1e-4)
    assert seconds(1.0, RoundsCurve(200.0, 200.0, 1.0)) == pytest.approx(2 * once, rel=1e-9)
    conventional_s = float(np.mean(times)) + upload_s + server_s
    assert once <= 200.0 * conventional_s * (1 + 1e-9)


def test_what_is_simulated_can_be_simulated_again() -> None:
    frame = _population_choice(server_time_s=0.5, seed=7).candidates
    rows = frame.filter((pl.col("policy") == "uniform") & (pl.col("round_error_s") > 0))
    times = draw_population("samples:10:70:0.1", num_clients=200, seed=3).compute_time_s
    for row in rows.rows(named=True):
        rng = generator(7, "optimise-schedule")
        cohorts = uniform_cohorts(200, row["clients_per_round"], 300, rng)
        ends_s = [
            _last_end_s(np.sort(times)[cohort], row["upload_time_s"], row["num_channels"])
            for cohort in cohorts
        ]
        duration_s = 0.5 + np.array(ends_s)
        assert row["round_s"] == pytest.approx(duration_s.mean())
        assert row["round_error_s"] == pytest.approx(duration_s.std(ddof=1) / math.sqrt(300))


def test_where_the_channel_is_always_busy_slots_are_no_slower_and_the_simplest_wins() -> None:
    times = draw_population("samples:10:70:0.1", num_clients=1500, seed=3).compute_time_s
    points = paper_points("mnist-cnn")
    curve = fit_rounds_curve(points.clients_per_round, points.rounds)
    choice = optimise_schedule(times, one_channel_upload_time_s=1.2, curve=curve, num_rounds=300)
    slots = choice.candidates.filter(pl.col("discipline") == "slots")["seconds"].min()
    assert slots == pytest.approx(choice.best.seconds, rel=1e-12)
    assert slots < choice.best.seconds  # type: ignore[operator]  # by the rounding of floats
    assert (choice.best.policy, choice.best.discipline) == ("clustered", "fifo")
