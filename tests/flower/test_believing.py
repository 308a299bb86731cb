from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipefl.flower.believing import Seen, computed_s, doubt, profile_doubt, receipt_s
from pipefl.flower.messages import Profile, SlotReport


def _seen(compute_s: float, start_s: float, arrived_s: float, received_unix_s: float = 0.0) -> Seen:
    report = SlotReport(
        round=1,
        came="uploaded",
        compute_s=compute_s,
        wait_s=start_s - compute_s,
        upload_start_s=start_s,
        lateness_s=0.0,
        model_round=1,
        received_unix_s=received_unix_s,
    )
    return Seen(report, arrived_s)


_TIMES_S = st.floats(0.0, 100.0)


@given(_TIMES_S, _TIMES_S, _TIMES_S)
def test_what_can_have_been_is_not_doubted(
    compute_s: float, wait_s: float, transit_s: float
) -> None:
    start_s = compute_s + wait_s
    assert doubt(_seen(compute_s, start_s, start_s + transit_s)) is None


@given(_TIMES_S, st.floats(0.1, 50.0))
def test_an_upload_cannot_begin_after_its_end(start_s: float, early_s: float) -> None:
    told = doubt(_seen(start_s, start_s, start_s - early_s))
    assert told is not None
    assert "it says that it began its upload" in told


def test_honest_clients_computed_for_as_long_as_they_say() -> None:
    seen = [_seen(1.0, 4.0, 6.0), _seen(2.0, 4.0, 6.5), _seen(3.0, 6.0, 8.1), None]
    arrived_s = [6.0, 6.5, 8.1, None]
    assert computed_s(seen, arrived_s, unaccounted_s=2.0, upload_time_s=1.0) == [
        1.0,
        2.0,
        3.0,
        None,
    ]


def test_what_is_not_accounted_for_counts_as_computing() -> None:
    # The others' transit is 2 s; this one says that it was let go at 4 s and arrives at 16 s.
    seen = [_seen(1.0, 4.0, 6.0), _seen(1.0, 4.0, 6.0), _seen(0.5, 4.0, 16.0)]
    assert computed_s(seen, [6.0, 6.0, 16.0], unaccounted_s=2.0, upload_time_s=1.0) == [
        1.0,
        1.0,
        10.5,
    ]


def test_a_reply_without_an_upload_is_there_sooner() -> None:
    # Let go at 1 s by its own account, with nothing to upload; the others' uploads take 2 s.
    dropped = _seen(1.0, 1.0, 7.0)
    dropped = Seen(replace(dropped.report, came="dropped"), 7.0)
    others = [_seen(1.0, 4.0, 6.0), _seen(1.0, 4.0, 6.0)]
    arrived_s = [6.0, 6.0, 7.0]
    found = computed_s([*others, dropped], arrived_s, unaccounted_s=5.0, upload_time_s=2.0)
    assert found == [1.0, 1.0, 1.0 + 6.0 + 2.0 - 2.0]


def test_without_a_report_that_can_be_true_the_arrival_counts() -> None:
    seen = [_seen(1.0, 4.0, 6.0), None]
    assert computed_s(seen, [6.0, 9.0], unaccounted_s=2.0, upload_time_s=1.0) == [1.0, 7.0]
    assert computed_s([None], [9.0], unaccounted_s=2.0, upload_time_s=1.0) == [9.0]


def test_clocks_are_believed_only_where_cause_comes_before_effect() -> None:
    assert receipt_s(_seen(1.0, 4.0, 6.0, received_unix_s=101.5), 100.0) == 1.5
    assert receipt_s(_seen(1.0, 4.0, 6.0, received_unix_s=99.0), 100.0) == 0.0
    assert receipt_s(_seen(1.0, 4.0, 6.0, received_unix_s=103.0), 100.0) == 0.0


def _profile(measured_s: float, samples: int = 1) -> Profile:
    return Profile(
        partition_id=0,
        num_samples=5,
        samples_per_round=5,
        measured_samples=samples,
        measured_s=measured_s,
    )


@pytest.mark.parametrize(
    ("profile", "complaint"),
    [
        (_profile(0.5), None),
        (_profile(3.0), "it says that it measured for 3 s, but its reply was there after 1 s"),
        (_profile(0.0), "its profile has no measured time above 0 s on at least one sample"),
        (_profile(0.5, samples=0), "its profile has no measured time"),
    ],
)
def test_a_profile_must_fit_into_the_time_of_its_question(
    profile: Profile, complaint: str | None
) -> None:
    told = profile_doubt(profile, elapsed_s=1.0)
    assert told is None if complaint is None else told is not None and complaint in told
