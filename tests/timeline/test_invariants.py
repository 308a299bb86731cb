"""What must hold in every round, whatever the clients, the discipline and the uploads."""

from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from pipefl.timeline import DISCIPLINES, MISSED, Discipline, Missed, Round, simulate_round
from strategies import Case, cases


def _round(case: Case, discipline: Discipline, missed: Missed = "drop") -> Round:
    return simulate_round(
        case.cohort,
        case.round_time_s,
        case.upload_time_s,
        case.num_channels,
        discipline=discipline,
        plan=case.plan,
        missed=missed,
    )


@given(cases(), st.sampled_from(DISCIPLINES), st.sampled_from(MISSED))
def test_no_two_uploads_overlap_on_a_sub_channel(
    case: Case, discipline: Discipline, missed: Missed
) -> None:
    uploads = _round(case, discipline, missed).intervals.filter(kind="upload")
    assert uploads["channel"].is_between(0, case.num_channels - 1).all()
    for _, on_channel in uploads.sort("start_s").group_by("channel"):
        starts, ends = on_channel["start_s"].to_list(), on_channel["end_s"].to_list()
        assert all(end <= start for end, start in zip(ends, starts[1:], strict=False))


@given(cases(), st.sampled_from(DISCIPLINES), st.sampled_from(MISSED))
def test_nobody_uploads_before_being_ready_and_everybody_once_or_is_missed(
    case: Case, discipline: Discipline, missed: Missed
) -> None:
    round_ = _round(case, discipline, missed)
    delivered = round_.delivered
    assert np.all(round_.upload_start_s[delivered] >= round_.ready_s[delivered])
    assert sorted([*round_.client[delivered], *round_.missed]) == sorted(case.cohort)
    if discipline != "slots" or missed == "next-slot":
        assert delivered.all()
    uploads = np.broadcast_to(case.upload_time_s, case.round_time_s.size)[round_.client]
    took_s = round_.upload_end_s - round_.upload_start_s
    assert took_s[delivered] == pytest.approx(uploads[delivered])


@given(cases(), st.sampled_from(DISCIPLINES))
def test_a_clients_intervals_leave_no_gap_up_to_the_end_of_its_upload(
    case: Case, discipline: Discipline
) -> None:
    round_ = _round(case, discipline, "next-slot")
    for client, end_s in zip(round_.client, round_.upload_end_s, strict=True):
        own = round_.intervals.filter(client=client).sort("start_s")
        assert own["start_s"].to_list() == [0.0, *own["end_s"].to_list()[:-1]]
        assert own["end_s"][-1] == end_s
        assert own["kind"].to_list() in (["compute", "wait", "upload"], ["compute", "upload"])


@given(cases())
def test_a_sub_channel_idles_under_fifo_only_if_nobody_is_ready(case: Case) -> None:
    round_ = _round(case, "fifo")
    for ready_s, start_s in zip(round_.ready_s, round_.upload_start_s, strict=True):
        if start_s > ready_s:
            instants = np.array([ready_s, (ready_s + start_s) / 2])
            for instant in instants:
                busy = (round_.upload_start_s <= instant) & (instant < round_.upload_end_s)
                assert busy.sum() == case.num_channels


@given(cases(jittered=False, equal_uploads=True))
def test_fifo_never_ends_later_than_slots_or_eager_slots_for_the_same_cohort(case: Case) -> None:
    ends_s = [_round(case, discipline).duration_s for discipline in DISCIPLINES]
    slots_s, eager_s, fifo_s, wait_s = ends_s
    assert fifo_s <= eager_s * (1 + 1e-12)
    assert eager_s <= slots_s * (1 + 1e-12)
    assert fifo_s <= wait_s * (1 + 1e-12)


@settings(max_examples=40)
@given(
    st.lists(st.sampled_from([0.5, 1.0, 1.5, 2.0, 3.5]), min_size=1, max_size=7),
    st.integers(1, 3),
)
def test_with_equal_uploads_no_order_ends_sooner_than_fifo(
    ready_s: list[float], num_channels: int
) -> None:
    times_s = np.array(ready_s)
    fifo = simulate_round(range(times_s.size), times_s, 1.0, num_channels, discipline="fifo")
    assert fifo.duration_s == _soonest_end(times_s, num_channels)


def _soonest_end(ready_s: NDArray[np.float64], num_channels: int) -> float:
    """Try every order of the clients, each on the sub-channel that is free first."""
    soonest = np.inf
    for order in set(permutations(ready_s.tolist())):
        free_s = [0.0] * num_channels
        for ready in order:
            channel = free_s.index(min(free_s))
            free_s[channel] = max(ready, free_s[channel]) + 1.0
        soonest = min(soonest, max(free_s))
    return soonest


def test_trying_every_order_and_sub_channel_finds_no_sooner_end() -> None:
    ready_s = [0.5, 0.5, 1.5, 2.0]
    soonest = np.inf
    for order, channels in product(permutations(ready_s), product(range(2), repeat=4)):
        free_s = [0.0, 0.0]
        for ready, channel in zip(order, channels, strict=True):
            free_s[channel] = max(ready, free_s[channel]) + 1.0
        soonest = min(soonest, max(free_s))
    assert soonest == _soonest_end(np.array(ready_s), 2)


@given(cases(), st.sampled_from(DISCIPLINES))
def test_a_round_is_a_pure_function_of_its_input(case: Case, discipline: Discipline) -> None:
    assert _round(case, discipline).intervals.equals(_round(case, discipline).intervals)
