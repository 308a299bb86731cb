"""Availability traces from files: intervals, or the moments at which a state changes."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pipefl.checks import positive_seconds
from pipefl.devices.availability import Availability
from pipefl.devices.columns import name_column, place_in_file
from pipefl.devices.files import TableFile, number_column, open_table, refuse_rows
from pipefl.errors import ArgumentError, InputFileError

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, eq=False)
class _Rows:
    """A file's rows brought together by client; `row` is where each stood in the file."""

    table: TableFile
    client_id: list[str]
    client: NDArray[np.int64]
    row: NDArray[np.int64]

    def continues(self) -> NDArray[np.bool_]:
        """Whether a row and the next are of the same client; one fewer than there are rows."""
        return np.equal(self.client[1:], self.client[:-1])

    def place(self, index: int) -> str:
        return self.table.place(int(self.row[index]))

    def line(self, index: int) -> str:
        return place_in_file(self.table, int(self.row[index]))

    def name(self, index: int) -> str:
        return repr(self.client_id[self.client[index]])


def read_availability(
    path: str | Path, *, client_id: ArrayLike | None = None, period_s: float | None = None
) -> Availability:
    """Read an interval a row: `client_id`, `start_s`, `end_s`, the end not included.

    Rows may come in any order; the intervals of a client must not overlap, but may touch.
    An end may be `inf` where nothing repeats. With `period_s` all of it comes again after so
    many seconds. `client_id` has the names of the population, which the clients are then
    numbered by: as text, so that 7 is "7". Without it they are numbered as they appear.
    Every client must have an interval. O(rows · log rows).
    """
    table = open_table(Path(path), "availabilities", "intervals")
    period = None if period_s is None else positive_seconds("period_s", period_s)
    start, end = _times(table, "start_s"), number_column(table, "end_s")
    _refuse_reversed(table, start, end)
    within = f"must be within the period of {period} seconds"
    refuse_rows(table, "end_s", end > _limit_s(period), within)
    rows = _rows(table, client_id, start)
    start, end = start[rows.row], end[rows.row]
    _refuse_overlaps(rows, start, end)
    return _flat(rows, rows.client, start, end, period)


def read_availability_states(
    path: str | Path, *, client_id: ArrayLike | None = None, period_s: float | None = None
) -> Availability:
    """Read a change of state a row: `client_id`, `time_s`, and a `state` that is on or off.

    A client keeps a state until its next row, or to the end: of the period if there is one,
    else of time. Nothing may be unknown, so a client's first row is at 0 s, its times ascend
    in the order of the file, and its states alternate: two alike in a row mean that one
    between them is lost. `client_id` and `period_s` are as in `read_availability`.
    O(rows · log clients).
    """
    table = open_table(Path(path), "availabilities", "states")
    period = None if period_s is None else positive_seconds("period_s", period_s)
    time = _times(table, "time_s")
    below = f"must be below the period of {period} seconds"
    refuse_rows(table, "time_s", time >= _limit_s(period), below)
    on = _is_on(table)
    rows = _rows(table, client_id, np.zeros_like(time))
    time, on = time[rows.row], on[rows.row]
    _refuse_gaps(rows, time, on)
    until = np.append(time[1:], _limit_s(period))
    until[:-1][~rows.continues()] = _limit_s(period)
    return _flat(rows, rows.client[on], time[on], until[on], period)


def _times(table: TableFile, name: str) -> NDArray[np.float64]:
    times = number_column(table, name)
    refuse_rows(table, name, ~(np.isfinite(times) & (times >= 0)), "must be finite and 0 or more")
    return times


def _refuse_reversed(
    table: TableFile, start_s: NDArray[np.float64], end_s: NDArray[np.float64]
) -> None:
    bad = ~(end_s > start_s)
    if bad.any():
        row = int(bad.argmax())
        raise InputFileError(
            f"{table.place(row)}: end_s is {end_s[row]} and start_s is {start_s[row]}; "
            "an interval must end after it starts"
        )


def _limit_s(period_s: float | None) -> float:
    return np.inf if period_s is None else period_s


def _is_on(table: TableFile) -> NDArray[np.bool_]:
    states = name_column(table, "state")
    on = (states == "on").to_numpy()
    refuse_rows(table, "state", ~(on | (states == "off").to_numpy()), "must be on or off")
    return on


def _rows(table: TableFile, client_id: ArrayLike | None, time_s: NDArray[np.float64]) -> _Rows:
    """The rows sorted by client and, within each, by time and then as in the file."""
    import polars as pl

    names = name_column(table, "client_id")
    known = names.unique(maintain_order=True).to_list() if client_id is None else _texts(client_id)
    numbers = range(len(known))
    client = names.replace_strict(known, numbers, default=-1, return_dtype=pl.Int64).to_numpy()
    _refuse_unknown(table, names, client, len(known))
    _refuse_missing(table, known, client)
    order = np.lexsort((time_s, client))
    return _Rows(table, known, client[order], order)


def _texts(client_id: ArrayLike) -> list[str]:
    texts = [str(client).strip() for client in np.asarray(client_id, dtype=object).ravel()]
    if not texts:
        raise ArgumentError("client_id", [], "it must name at least one client")
    seen: set[str] = set()
    for text in texts:
        if text in seen:
            raise ArgumentError("client_id", text, "it names two clients; each needs its own name")
        seen.add(text)
    return texts


def _refuse_unknown(
    table: TableFile, names: "pl.Series", client: NDArray[np.int64], num_clients: int
) -> None:
    if client.min() >= 0:
        return
    row = int(client.argmin())
    raise InputFileError(
        f"{table.place(row)}: client_id {names[row]!r} is unknown; "
        f"it must be one of the population's {num_clients:,} clients"
    )


def _refuse_missing(table: TableFile, known: list[str], client: NDArray[np.int64]) -> None:
    missing = np.setdiff1d(np.arange(len(known)), client)
    if missing.size:
        named = ", ".join(repr(known[number]) for number in missing[:3])
        more = f" and {missing.size - 3:,} more" if missing.size > 3 else ""
        raise InputFileError(
            f"{table.path}: there is no row for {named}{more}; "
            "every client of the population must have one"
        )


def _refuse_overlaps(rows: _Rows, start_s: NDArray[np.float64], end_s: NDArray[np.float64]) -> None:
    bad = np.flatnonzero(rows.continues() & (start_s[1:] < end_s[:-1]))
    if not bad.size:
        return
    first, second = sorted((int(bad[0]), int(bad[0]) + 1), key=lambda index: rows.row[index])
    raise InputFileError(
        f"{rows.place(second)}: client {rows.name(second)} is available from {start_s[second]} to "
        f"{end_s[second]} s, which overlaps {start_s[first]} to {end_s[first]} s on "
        f"{rows.line(first)}; its intervals must not overlap"
    )


def _refuse_gaps(rows: _Rows, time_s: NDArray[np.float64], on: NDArray[np.bool_]) -> None:
    continues = rows.continues()
    late = np.flatnonzero(np.insert(~continues, 0, True) & (time_s > 0))
    if late.size:
        index = int(late[0])
        raise InputFileError(
            f"{rows.place(index)}: client {rows.name(index)} has no state before {time_s[index]} s;"
            " its first row must be at 0"
        )
    unordered = np.flatnonzero(continues & (time_s[1:] <= time_s[:-1])) + 1
    if unordered.size:
        index = int(unordered[0])
        raise InputFileError(
            f"{rows.place(index)}: time_s is {time_s[index]} after {time_s[index - 1]} on "
            f"{rows.line(index - 1)}; the times of client {rows.name(index)} must ascend"
        )
    repeated = np.flatnonzero(continues & (on[1:] == on[:-1])) + 1
    if repeated.size:
        index = int(repeated[0])
        state = "on" if on[index] else "off"
        raise InputFileError(
            f"{rows.place(index)}: client {rows.name(index)} is {state}, as on "
            f"{rows.line(index - 1)} already; its states must alternate without a gap"
        )


def _flat(
    rows: _Rows,
    client: NDArray[np.int64],
    start_s: NDArray[np.float64],
    end_s: NDArray[np.float64],
    period_s: float | None,
) -> Availability:
    num_intervals = np.bincount(client, minlength=len(rows.client_id))
    offset = np.concatenate(([0], np.cumsum(num_intervals)))
    return Availability(np.array(rows.client_id, dtype=object), start_s, end_s, offset, period_s)
