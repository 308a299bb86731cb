"""Rounds worked by hand: five clients, two sub-channels, uploads of two seconds."""

import math

import numpy as np
import pytest

import pipefl
from pipefl.timeline import Discipline, Missed, Round, simulate_round, simulate_rounds

TIMES_S = np.array([1.0, 2.0, 4.0, 5.0, 6.0])
PLAN = pipefl.plan_clusters(TIMES_S, upload_time_s=2.0, num_clusters=3)  # slots 2, 4 and 6 s
NEVER = math.nan


def _round(
    discipline: Discipline,
    times_s: np.ndarray[tuple[int], np.dtype[np.float64]] = TIMES_S,
    missed: Missed = "drop",
    num_channels: int = 2,
) -> Round:
    return simulate_round(
        range(5),
        times_s,
        2.0,
        num_channels,
        discipline=discipline,
        plan=PLAN,
        server_time_s=0.5,
        missed=missed,
    )


def test_the_plan_is_as_assumed_here() -> None:
    assert PLAN.slot_time_s.tolist() == [2.0, 4.0, 6.0]
    assert PLAN.cluster_of.tolist() == [0, 0, 1, 2, 2]


@pytest.mark.paper("fig:protocol")
@pytest.mark.paper("alg:csgd")
def test_slots_transmit_at_theta() -> None:
    round_ = _round("slots")
    assert round_.upload_start_s.tolist() == [2.0, 2.0, 4.0, 6.0, 6.0]
    assert round_.channel.tolist() == [0, 1, 0, 1, 0]
    assert round_.duration_s == 8.5
    assert round_.utilisation == 10 / 17


def test_fifo_transmits_as_soon_as_a_client_is_ready_and_a_sub_channel_free() -> None:
    round_ = _round("fifo")
    assert round_.upload_start_s.tolist() == [1.0, 2.0, 4.0, 5.0, 6.0]
    assert round_.channel.tolist() == [0, 1, 0, 1, 0]
    assert round_.duration_s == 8.5
    narrow = _round("fifo", num_channels=1)
    assert narrow.upload_start_s.tolist() == [1.0, 3.0, 5.0, 7.0, 9.0]


def test_wait_all_transmits_nothing_before_the_slowest_is_ready() -> None:
    round_ = _round("wait-all")
    assert round_.upload_start_s.tolist() == [6.0, 6.0, 8.0, 8.0, 10.0]
    assert round_.duration_s == 12.5


def test_eager_slots_keep_the_order_of_the_clusters_but_not_their_times() -> None:
    round_ = _round("eager-slots")
    assert round_.upload_start_s.tolist() == [2.0, 2.0, 4.0, 6.0, 6.0]
    quick = _round("eager-slots", times_s=np.array([0.5, 1.0, 4.5, 3.0, 3.5]))
    assert quick.upload_start_s.tolist() == [1.0, 1.0, 4.5, 4.5, 6.5]
    assert quick.channel.tolist() == [0, 1, 0, 1, 0]


@pytest.mark.parametrize(
    ("missed", "starts", "duration_s"),
    [
        ("drop", [2.0, NEVER, 4.0, NEVER, 6.0], 8.5),
        ("next-slot", [2.0, 4.0, 4.0, 8.0, 6.0], 10.5),
        ("carry", [2.0, NEVER, 4.0, NEVER, 6.0], 8.5),
    ],
)
def test_late_clients_are_dropped_or_take_a_later_slot_or_wait_for_the_next_round(
    missed: Missed, starts: list[float], duration_s: float
) -> None:
    late = np.array([1.0, 2.5, 4.0, 7.0, 6.0])
    round_ = _round("slots", late, missed)
    assert np.array_equal(round_.upload_start_s, starts, equal_nan=True)
    assert round_.duration_s == duration_s
    assert round_.missed.tolist() == ([] if missed == "next-slot" else [1, 3])


def test_a_late_client_waits_for_a_slot_that_others_do_not_fill() -> None:
    late = np.array([1.0, 2.5, 4.0, 5.0, 6.0])
    round_ = _round("slots", late, "next-slot", num_channels=1)
    # Slot 4 is client 2's and slot 6 client 3's; client 4 follows it, then client 1.
    assert round_.upload_start_s.tolist() == [2.0, 10.0, 4.0, 6.0, 8.0]


def test_further_slots_follow_an_upload_apart_from_the_first_that_somebody_is_ready_for() -> None:
    late = np.array([1.0, 2.0, 13.5, 5.0, 13.0])
    round_ = _round("slots", late, "next-slot", num_channels=1)
    # Slots follow at 8, 10, 12 and 14 s; client 2 and then client 4 are ready by 14 s.
    assert round_.upload_start_s.tolist() == [2.0, 4.0, 14.0, 6.0, 16.0]


def test_slots_far_shorter_than_a_client_is_late_are_not_counted_one_by_one() -> None:
    plan = pipefl.plan_clusters([1e6, 7e6], 1e-6, num_clusters=2)
    late = np.array([1e6, 9e6])
    round_ = simulate_round([0, 1], late, 1e-6, plan=plan, missed="next-slot")
    assert 9e6 <= round_.upload_start_s[1] <= 9e6 + 2e-6
    together = simulate_rounds([[0, 1]], late, 1e-6, plan=plan, missed="next-slot")
    assert together.upload_start_s[0].tolist() == round_.upload_start_s.tolist()


def test_carried_clients_fill_what_the_slots_have_left_over() -> None:
    round_ = simulate_round([0, 2], TIMES_S, 2.0, 1, plan=PLAN, missed="carry", carried=[4, 3, 1])
    assert round_.client.tolist() == [0, 2, 4, 3, 1]
    assert np.array_equal(round_.upload_start_s, [2.0, 4.0, 6.0, NEVER, NEVER], equal_nan=True)
    assert round_.missed.tolist() == [3, 1]


def test_unequal_uploads_push_back_whoever_comes_next_on_their_sub_channel() -> None:
    uploads_s = [5.0, 2.0, 2.0, 2.0, 2.0]
    round_ = simulate_round(range(5), TIMES_S, uploads_s, 2, plan=PLAN)
    assert round_.upload_start_s.tolist() == [2.0, 2.0, 4.0, 6.0, 7.0]
    assert round_.channel.tolist() == [0, 1, 1, 1, 0]
    assert round_.duration_s == 9.0


def test_a_round_of_nobody_on_time_still_lasts_until_its_last_slot() -> None:
    round_ = _round("slots", TIMES_S + 10)
    assert round_.delivered.tolist() == [False] * 5
    assert (round_.duration_s, round_.utilisation) == (8.5, 0.0)
    assert round_.intervals["kind"].to_list() == ["compute"] * 5
