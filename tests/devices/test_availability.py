import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hand import trace_of
from pipefl.errors import ArgumentError

Interval = tuple[float, float]
DAY: list[list[Interval]] = [[(30, 40)], [(0, 20), (60, 80), (80, 85)]]


@st.composite
def days(draw: st.DrawFn) -> list[list[Interval]]:
    """Up to 5 clients with up to 11 intervals each, some touching, in quarters of a second."""
    times = st.lists(st.integers(0, 80), unique=True, max_size=12).map(sorted)
    clients = []
    for at in draw(st.lists(times, min_size=1, max_size=5)):
        quarters = [moment / 4 for moment in at]
        touching = draw(st.booleans())
        starts = quarters[:-1] if touching else quarters[:-1:2]
        ends = quarters[1:] if touching else quarters[1::2]
        clients.append(list(zip(starts, ends, strict=True)))
    return clients


quarters = st.integers(0, 400).map(lambda number: number / 4)
periods = st.none() | st.integers(80, 120).map(lambda number: number / 4)


def seconds_in(period_s: float | None, time_s: float) -> float:
    while period_s is not None and time_s >= period_s:
        time_s -= period_s
    return time_s


def test_a_day_by_hand() -> None:
    trace = trace_of(DAY)
    assert trace.num_clients == 2
    seen = {time: trace.available(time).tolist() for time in (0, 19.5, 20, 30, 40, 60, 80, 85)}
    assert seen == {
        0: [False, True],
        19.5: [False, True],
        20: [False, False],
        30: [True, False],
        40: [False, False],
        60: [False, True],
        80: [False, True],
        85: [False, False],
    }
    assert [trace.next_available(0, time) for time in (0, 35, 40)] == [30, 35, None]
    assert [trace.next_available(1, time) for time in (5, 20, 80, 85)] == [5, 60, 80, None]


def test_the_day_comes_again_after_a_period() -> None:
    trace = trace_of(DAY, period_s=100)
    assert trace.available(235).tolist() == [True, False]
    assert trace.available(300).tolist() == [False, True]
    assert trace.next_available(0, 240) == 330
    assert trace.next_available(1, 199) == 200
    assert trace.next_available(1, 1e6 + 1) == 1e6 + 1


@given(days(), periods, quarters)
def test_a_look_up_agrees_with_a_scan_of_the_intervals(
    intervals: list[list[Interval]], period_s: float | None, time_s: float
) -> None:
    phase_s = seconds_in(period_s, time_s)
    expected = [any(start <= phase_s < end for start, end in of) for of in intervals]
    assert trace_of(intervals, period_s).available(time_s).tolist() == expected


@given(days(), periods, quarters)
def test_the_next_time_agrees_with_trying_every_quarter_of_a_second(
    intervals: list[list[Interval]], period_s: float | None, time_s: float
) -> None:
    trace = trace_of(intervals, period_s)
    for client, of_client in enumerate(intervals):
        tried = (time_s + quarter / 4 for quarter in range(500))
        expected = next(
            (
                time
                for time in tried
                for phase in [seconds_in(period_s, time)]
                if any(start <= phase < end for start, end in of_client)
            ),
            None,
        )
        assert trace.next_available(client, time_s) == expected


@given(
    st.lists(st.floats(0, 0.999), min_size=2, max_size=8, unique=True).map(sorted),
    st.floats(0.01, 1e6),
    st.floats(0, 1e8),
)
def test_a_client_is_available_at_its_next_time_and_never_just_before(
    shares: list[float], period_s: float, time_s: float
) -> None:
    moments = [share * period_s for share in shares]
    pairs = zip(moments[::2], moments[1::2], strict=False)
    resolved = [(start, end) for start, end in pairs if end - start > 1e-6 * period_s + 1e-6]
    trace = trace_of([resolved], period_s)
    found_s = trace.next_available(0, time_s)
    if not resolved:
        assert found_s is None
        return
    assert found_s is not None
    assert time_s <= found_s <= time_s + period_s * (1 + 1e-9) + 1e-6
    assert trace.available(found_s).all()
    for between_s in np.linspace(time_s, found_s, 20):
        if between_s < found_s - 1e-6:
            assert not trace.available(between_s).any()


@given(days(), periods, quarters, st.data())
def test_the_first_of_several_is_the_one_whose_next_time_comes_first(
    intervals: list[list[Interval]], period_s: float | None, time_s: float, data: st.DataObject
) -> None:
    trace = trace_of(intervals, period_s)
    some = data.draw(st.lists(st.sampled_from(range(len(intervals))), unique=True))
    each = [trace.next_available(client, time_s) for client in some]
    expected = min((found for found in each if found is not None), default=None)
    assert trace.first_available(np.array(some, dtype=np.intp), time_s) == expected


def test_intervals_too_short_for_the_time_are_refused_not_searched_forever() -> None:
    trace = trace_of([[(0.3, 0.300001)]], period_s=0.7)
    assert trace.next_available(0, 1e6) is not None
    with pytest.raises(
        ArgumentError, match=r"time_s is 1000000000000000\.0; it must be so small that its last"
    ):
        trace.next_available(0, 1e15)


def test_clients_that_are_never_available() -> None:
    for period_s in (None, 10.0):
        trace = trace_of([[], [(1.0, 2.0)], []], period_s)
        assert trace.available(1.5).tolist() == [False, True, False]
        assert trace.next_available(0, 0.0) is None
        assert trace.next_available(2, 0.0) is None
        assert trace_of([[]], period_s).available(0.0).tolist() == [False]


@pytest.mark.parametrize("time_s", [-0.5, float("nan"), float("inf")])
def test_a_time_must_be_one(time_s: float) -> None:
    trace = trace_of([[(0.0, 1.0)]])
    expected = f"time_s is {time_s}; it must be a finite number of seconds, 0 or more"
    with pytest.raises(ArgumentError, match=expected):
        trace.available(time_s)
    with pytest.raises(ArgumentError, match=expected):
        trace.next_available(0, time_s)


@pytest.mark.parametrize("client", [-1, 1])
def test_a_client_must_be_there(client: int) -> None:
    with pytest.raises(ArgumentError, match=f"client is {client}; .* from 0 to 0"):
        trace_of([[(0.0, 1.0)]]).next_available(client, 0.0)
