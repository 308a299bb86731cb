"""`rolling` among the candidates of `optimise_schedule`."""

from itertools import islice

import numpy as np
import polars as pl
import pytest

from pipefl.devices.distributions import draw_population
from pipefl.policies.measured_rounds import MEASURED_TABLES, measured_rounds
from pipefl.policies.optimise import optimise_schedule
from pipefl.policies.rolling import Rolling
from pipefl.policies.rounds_curve import RoundsCurve
from pipefl.policies.scene import Scene

ROUNDS = RoundsCurve(100.0, 100.0, 1.0, domain=(1.0, 32.0))
ROLLING = RoundsCurve(110.0, 100.0, 1.0, domain=(1.0, 32.0))


def test_without_a_curve_of_its_own_rolling_is_no_candidate() -> None:
    frame = optimise_schedule(
        [1.0, 2.0, 3.0], one_channel_upload_time_s=1.0, curve=ROUNDS
    ).candidates
    assert "rolling" not in frame["policy"]


def test_clients_of_equal_speed_by_hand() -> None:
    # Each computes 3 s and uploads 1 s: four of them keep one sub-channel busy all the time.
    # T(4) = 110 + 25 rounds of 4 uploads, of 1 s each: 540 s.
    choice = optimise_schedule(
        [3.0] * 20,
        one_channel_upload_time_s=1.0,
        curve=ROUNDS,
        rolling_curve=ROLLING,
        num_channels=1,
    )
    rolling = choice.candidates.filter(pl.col("policy") == "rolling")
    (row,) = rolling.select("clients_per_round", "rounds", "round_s", "seconds").rows()
    assert row[:2] == (4, 135.0)
    assert row[2:] == pytest.approx((4.0, 540.0), rel=0.01)
    assert choice.best.policy == "rolling"
    assert choice.reason.startswith(
        "rolling (N = 1, W = 4): 4 clients in flight, 540 uploads, one every 1"
    )
    assert "Beside the best in rounds, " in choice.reason
    assert "Its damping must be tuned." in choice.reason


def test_its_time_is_that_of_its_steps() -> None:
    times_s = draw_population("uniform:1:7", 300, seed=3).compute_time_s
    choice = optimise_schedule(
        times_s, one_channel_upload_time_s=0.7, curve=ROUNDS, rolling_curve=ROLLING, num_channels=2
    )
    (row,) = choice.candidates.filter(pl.col("policy") == "rolling").to_dicts()
    scene = Scene(times_s, np.full(300, 1.4), num_channels=2)
    num_uploads = 20_000
    steps = Rolling(in_flight=row["clients_per_round"]).steps(scene, seed=1)
    last = list(islice(steps, num_uploads))[-1]
    assert row["round_s"] == pytest.approx(
        row["clients_per_round"] * last.end_s / num_uploads, rel=0.02
    )
    assert row["least_round_s"] <= row["round_s"]
    assert row["round_s"] <= row["least_round_s"] / 0.93  # it keeps the sub-channels busy


def test_where_staleness_costs_too_much_rounds_are_taken() -> None:
    worse = RoundsCurve(1000.0, 100.0, 1.0, domain=(1.0, 32.0))
    choice = optimise_schedule(
        [3.0] * 20, one_channel_upload_time_s=1.0, curve=ROUNDS, rolling_curve=worse
    )
    assert choice.best.policy != "rolling"
    assert "; rolling (N = " in choice.reason


@pytest.mark.parametrize("table", MEASURED_TABLES)
def test_what_was_measured_makes_curves(table: str) -> None:
    measured = measured_rounds(table)
    assert 0 < measured.target_accuracy < 1
    for rows in (measured.clustered, measured.uniform, measured.rolling):
        assert np.all(rows >= 1)
    assert all(value > 0 for point in measured.points.values() for value in point.values())
    clustered, uniform, _ = measured.curves
    assert clustered.rounds(4) < clustered.rounds(1)
    assert uniform.rounds(4) < uniform.rounds(1)


def test_too_few_clients_to_keep_the_channels_busy_are_all_in_flight() -> None:
    choice = optimise_schedule(
        [30.0] * 3,
        one_channel_upload_time_s=1.0,
        curve=ROUNDS,
        rolling_curve=ROLLING,
        num_channels=1,
    )
    (row,) = choice.candidates.filter(pl.col("policy") == "rolling").to_dicts()
    assert row["clients_per_round"] == 3
