from collections.abc import Callable
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipefl.devices.availability import Availability
from pipefl.devices.availability_files import read_availability, read_availability_states
from pipefl.errors import ArgumentError, InputFileError, MissingFileError

HEADER = "client_id,start_s,end_s\n"
STATES = "client_id,time_s,state\n"
Interval = tuple[float, float]


def written(folder: Path | str, text: str, name: str = "trace.csv") -> Path:
    path = Path(folder, name)
    path.write_text(text)
    return path


def intervals_of(trace: Availability) -> dict[str, list[Interval]]:
    """What a trace holds, by client."""
    found = {}
    for number, client in enumerate(trace.client_id):
        its = slice(trace.offset[number], trace.offset[number + 1])
        pairs = zip(trace.start_s[its].tolist(), trace.end_s[its].tolist(), strict=True)
        found[client] = list(pairs)
    return found


@st.composite
def rows_of_clients(draw: st.DrawFn) -> dict[str, list[Interval]]:
    """Up to 5 clients with 1 to 4 intervals each, in whole seconds; some ends are infinite."""
    times = st.lists(st.integers(0, 40), unique=True, min_size=2, max_size=8).map(sorted)
    clients = {}
    for number, at in enumerate(draw(st.lists(times, min_size=1, max_size=5))):
        pairs: list[Interval] = list(zip(at[::2], at[1::2], strict=False))
        if draw(st.booleans()):
            pairs[-1] = (pairs[-1][0], np.inf)
        clients[f"c{number}"] = pairs
    return clients


def complaint(text: str, tmp_path: Path, period_s: float | None = None) -> str:
    """What is said of a file of intervals or states, after its name."""
    path = written(tmp_path, text)
    read = read_availability_states if text.startswith(STATES) else read_availability
    with pytest.raises(InputFileError) as caught:
        read(path, client_id=["phone", "tablet"], period_s=period_s)
    message = str(caught.value)
    assert message.startswith(str(path))
    assert message.isprintable()
    return message.removeprefix(str(path))


@given(rows_of_clients(), st.randoms(use_true_random=False))
def test_the_order_of_the_rows_does_not_matter(
    intervals: dict[str, list[Interval]], random: Random
) -> None:
    rows = [f"{client},{start},{end}\n" for client, of in intervals.items() for start, end in of]
    random.shuffle(rows)
    with TemporaryDirectory() as folder:
        path = written(folder, HEADER + "".join(rows))
        trace = read_availability(path)
        numbered = read_availability(path, client_id=list(intervals))
    assert intervals_of(trace) == intervals
    assert list(intervals_of(trace)) == list(dict.fromkeys(row.split(",")[0] for row in rows))
    assert intervals_of(numbered) == intervals
    assert list(intervals_of(numbered)) == list(intervals)


def test_the_population_says_how_clients_are_numbered(tmp_path: Path) -> None:
    path = written(tmp_path, HEADER + "7,0,1\n 8 ,2,3\n")
    trace = read_availability(path, client_id=np.array([8, 7]))
    assert trace.client_id.tolist() == ["8", "7"]
    assert trace.available(2.5).tolist() == [True, False]


def test_a_parquet_file_is_read_as_well(tmp_path: Path) -> None:
    path = tmp_path / "trace.parquet"
    pl.DataFrame({"client_id": [3, 3], "start_s": [5, 0], "end_s": [6, 1]}).write_parquet(path)
    assert intervals_of(read_availability(path)) == {"3": [(0, 1), (5, 6)]}
    pl.DataFrame({"client_id": [3], "start_s": [5], "end_s": [4]}).write_parquet(path)
    with pytest.raises(InputFileError, match=r"trace\.parquet, row 1: end_s is 4\.0 and start_s"):
        read_availability(path)


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ("", ": the file holds no intervals"),
        (
            "phone,0,5\ntablet,0,9\nphone,4,8\n",
            ", line 4: client 'phone' is available from 4.0 to 8.0 s, "
            "which overlaps 0.0 to 5.0 s on line 2; its intervals must not overlap",
        ),
        (
            "phone,4,8\ntablet,0,9\nphone,0,5\n",
            ", line 4: client 'phone' is available from 0.0 to 5.0 s, "
            "which overlaps 4.0 to 8.0 s on line 2; its intervals must not overlap",
        ),
        (
            "phone,0,9\nphone,2,3\nphone,4,5\ntablet,0,1\n",
            ", line 3: client 'phone' is available from 2.0 to 3.0 s, "
            "which overlaps 0.0 to 9.0 s on line 2; its intervals must not overlap",
        ),
        (
            "phone,1,2\ntablet,5,3\n",
            ", line 3: end_s is 3.0 and start_s is 5.0; an interval must end after it starts",
        ),
        (
            "phone,1,1\n",
            ", line 2: end_s is 1.0 and start_s is 1.0; an interval must end after it starts",
        ),
        (
            "phone,1,nan\n",
            ", line 2: end_s is nan and start_s is 1.0; an interval must end after it starts",
        ),
        (
            "phone,0,1\nphone,-2,-1\n",
            ", line 3: start_s is -2; it must be finite and 0 or more",
        ),
        ("phone,inf,inf\n", ", line 2: start_s is inf; it must be finite and 0 or more"),
        ("phone,noon,1\n", ", line 2: 'noon' where start_s should be a number"),
        ("phone,1\n", ", line 2: nothing where end_s should be a number"),
        (",0,1\n", ", line 2: nothing where client_id should be"),
        (
            "phone,0,1\nwatch,0,1\n",
            ", line 3: client_id 'watch' is unknown; it must be one of the population's 2 clients",
        ),
        (
            "tablet,0,1\n",
            ": there is no row for 'phone'; every client of the population must have one",
        ),
    ],
)
def test_a_bad_interval_is_named(tmp_path: Path, rows: str, expected: str) -> None:
    assert complaint(HEADER + rows, tmp_path) == expected


def test_an_interval_must_end_within_the_period(tmp_path: Path) -> None:
    text = HEADER + "phone,0,10\ntablet,0,10.5\n"
    expected = ", line 3: end_s is 10.5; it must be within the period of 10.0 seconds"
    assert complaint(text, tmp_path, period_s=10) == expected
    expected = ", line 2: end_s is inf; it must be within the period of 10.0 seconds"
    assert complaint(HEADER + "phone,0,inf\n", tmp_path, period_s=10) == expected


def test_a_missing_column_is_named(tmp_path: Path) -> None:
    expected = ": there is no column 'end_s'; the columns are client_id, start_s"
    assert complaint("client_id,start_s\nphone,0\n", tmp_path) == expected


def test_many_clients_without_a_trace_are_counted(tmp_path: Path) -> None:
    path = written(tmp_path, HEADER + "5,0,1\n")
    with pytest.raises(InputFileError) as caught:
        read_availability(path, client_id=range(10))
    expected = "there is no row for '0', '1', '2' and 6 more; every client of the population must"
    assert expected in str(caught.value)


@pytest.mark.parametrize(
    ("read", "text"),
    [(read_availability, HEADER + "a,0,1\n"), (read_availability_states, STATES + "a,0,on\n")],
)
def test_names_and_periods_are_checked(
    tmp_path: Path, read: Callable[..., Availability], text: str
) -> None:
    path = written(tmp_path, text)
    with pytest.raises(ArgumentError, match="client_id is 'a'; it names two clients"):
        read(path, client_id=["a", "b", " a"])
    with pytest.raises(ArgumentError, match="it must name at least one client"):
        read(path, client_id=[])
    with pytest.raises(ArgumentError, match=r"period_s is 0\.0; .* above 0"):
        read(path, period_s=0)
    with pytest.raises(MissingFileError, match=r"none\.csv: there is no such file"):
        read(tmp_path / "none.csv")
    with pytest.raises(InputFileError, match=r"in '\.json'; availabilities are read from \.csv"):
        read(tmp_path / "none.json")


def test_states_become_intervals(tmp_path: Path) -> None:
    rows = "phone,0,on\ntablet,0,off\nphone,5,off\nphone,8, on\nwatch,0,off\ntablet,6,on\n"
    path = written(tmp_path, STATES + rows)
    assert intervals_of(read_availability_states(path)) == {
        "phone": [(0, 5), (8, np.inf)],
        "tablet": [(6, np.inf)],
        "watch": [],
    }
    assert intervals_of(read_availability_states(path, period_s=9)) == {
        "phone": [(0, 5), (8, 9)],
        "tablet": [(6, 9)],
        "watch": [],
    }


@given(
    st.lists(
        st.lists(st.integers(1, 60), unique=True, max_size=6).map(sorted), min_size=1, max_size=4
    ),
    st.booleans(),
    st.integers(0, 400).map(lambda number: number / 4),
)
def test_states_agree_with_the_last_row_before(
    moments: list[list[int]], first_on: bool, time_s: float
) -> None:
    changes = {
        client: [(at, first_on == (number % 2 == 0)) for number, at in enumerate([0, *times])]
        for client, times in enumerate(moments)
    }
    rows = sorted((at, client, on) for client, of in changes.items() for at, on in of)
    text = "".join(f"{client},{at},{'on' if on else 'off'}\n" for at, client, on in rows)
    with TemporaryDirectory() as folder:
        trace = read_availability_states(
            written(folder, STATES + text), client_id=range(len(moments))
        )
    expected = [[on for at, on in changes[client] if at <= time_s][-1] for client in changes]
    assert trace.available(time_s).tolist() == expected


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ("", ": the file holds no states"),
        (
            "phone,0,on\ntablet,0,on\nphone,4,on\n",
            ", line 4: client 'phone' is on, as on line 2 already; "
            "its states must alternate without a gap",
        ),
        (
            "tablet,0,off\nphone,0,on\nphone,4,off\nphone,7,off\n",
            ", line 5: client 'phone' is off, as on line 4 already; "
            "its states must alternate without a gap",
        ),
        (
            "tablet,0,on\nphone,0,on\nphone,4,off\nphone,3,on\n",
            ", line 5: time_s is 3.0 after 4.0 on line 4; the times of client 'phone' must ascend",
        ),
        (
            "tablet,0,on\nphone,0,on\nphone,0,off\n",
            ", line 4: time_s is 0.0 after 0.0 on line 3; the times of client 'phone' must ascend",
        ),
        (
            "phone,0,on\ntablet,2.5,on\n",
            ", line 3: client 'tablet' has no state before 2.5 s; its first row must be at 0",
        ),
        ("phone,0,ON\n", ", line 2: state is ON; it must be on or off"),
        ('phone,0,"o\nn"\n', ", line 2: state is o n; it must be on or off"),
        ("phone,0,\n", ", line 2: nothing where state should be"),
        ("phone,-1,on\n", ", line 2: time_s is -1; it must be finite and 0 or more"),
        ("phone,inf,on\n", ", line 2: time_s is inf; it must be finite and 0 or more"),
        (
            "watch,0,on\n",
            ", line 2: client_id 'watch' is unknown; it must be one of the population's 2 clients",
        ),
        (
            "phone,0,off\n",
            ": there is no row for 'tablet'; every client of the population must have one",
        ),
    ],
)
def test_a_bad_state_is_named(tmp_path: Path, rows: str, expected: str) -> None:
    assert complaint(STATES + rows, tmp_path) == expected


def test_a_state_must_begin_within_the_period(tmp_path: Path) -> None:
    text = STATES + "phone,0,on\nphone,10,off\n"
    expected = ", line 3: time_s is 10; it must be below the period of 10.0 seconds"
    assert complaint(text, tmp_path, period_s=10) == expected


def test_a_day_by_hand(tmp_path: Path) -> None:
    rows = "tablet,30,40\nphone,60,80\nphone,0,20\nphone,80,85\n"
    trace = read_availability(written(tmp_path, HEADER + rows), period_s=100)
    assert intervals_of(trace) == {"tablet": [(30, 40)], "phone": [(0, 20), (60, 80), (80, 85)]}
    assert trace.period_s == 100.0
    assert trace.available(335).tolist() == [True, False]
    assert trace.next_available(1, 190.0) == 200.0
