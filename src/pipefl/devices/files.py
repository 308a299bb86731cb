"""Compute times from a CSV or Parquet file."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pipefl.checks import positive_seconds
from pipefl.devices.csv_records import (
    csv_header,
    first_overlong_record,
    line_of_record,
    num_blank_lines_at_the_end,
)
from pipefl.devices.population import Population
from pipefl.errors import InputFileError, MissingFileError

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class Columns:
    """Which columns of a file hold what; the times must be there, the others may be."""

    compute_time_s: str = "compute_time_s"
    client_id: str = "client_id"
    num_samples: str = "num_samples"
    deviation_s: str = "deviation_s"


@dataclass(frozen=True)
class TableFile:
    """A file's columns, and how to name one of its rows in a message."""

    path: Path
    frame: "pl.DataFrame"
    place: Callable[[int], str]


def read_population(
    path: str | Path,
    columns: Columns = Columns(),
    seconds_per_sample: float | None = None,
) -> Population:
    r"""Read a client a row from a `.csv` or `.parquet` file.

    A CSV file has a header line, or is a single column of numbers without one. With
    `seconds_per_sample` σ the times are σ · n_m from the column of sample counts. Every
    value is used or refused: a cell that is empty, not a number, not finite or not
    above 0 is an error that names the file, the line and the text.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "times.csv"
    ...     _ = path.write_text("client_id,compute_time_s\nanna,1.2\nbert,1.9\n")
    ...     clients = read_population(path)
    >>> clients.num_clients, clients.compute_time_s
    (2, array([1.2, 1.9]))
    """
    table = open_table(Path(path))
    counts = _optional(table, columns.num_samples)
    num_samples = None if counts is None else _whole(table, columns.num_samples, counts)
    if seconds_per_sample is None:
        times = _positive(
            table, columns.compute_time_s, number_column(table, columns.compute_time_s)
        )
    else:
        seconds = positive_seconds("seconds_per_sample", seconds_per_sample)
        if num_samples is None:
            number_column(table, columns.num_samples)
        times = seconds * np.asarray(num_samples, dtype=np.float64)
    deviation_s = _optional(table, columns.deviation_s)
    if deviation_s is not None:
        bad = ~(np.isfinite(deviation_s) & (deviation_s >= 0))
        refuse_rows(table, columns.deviation_s, bad, "must be finite and 0 seconds or more")
    return Population(str(path), times, _ids(table, columns.client_id), num_samples, deviation_s)


def open_table(path: Path, contents: str = "times", rows: str = "clients") -> TableFile:
    """A `.csv` or `.parquet` file with at least one row, or an error that says what it lacks."""
    readers = {".csv": _read_csv, ".parquet": _read_parquet}
    if path.suffix.lower() not in readers:
        kind = f"it ends in {path.suffix!r}" if path.suffix else "its name has no ending"
        raise InputFileError(f"{path}: {kind}; {contents} are read from .csv and .parquet files")
    if not path.is_file():
        raise MissingFileError(f"{path}: there is no such file")
    table = readers[path.suffix.lower()](path)
    if table.frame.height == 0:
        raise InputFileError(f"{path}: the file holds no {rows}")
    return table


def _read_csv(path: Path) -> TableFile:
    import polars as pl

    try:
        frame = pl.read_csv(path, infer_schema=False, glob=False)
    except pl.exceptions.NoDataError:
        raise InputFileError(f"{path}: the file is empty") from None
    except (pl.exceptions.PolarsError, UnicodeDecodeError) as error:
        reason = first_overlong_record(path) or _first_line(error)
        raise InputFileError(f"{path}: not a CSV file: {reason}") from None
    frame = frame.head(frame.height - _num_blank_rows(path, frame))
    if frame.width == 1 and _is_number(frame.columns[0]):
        first = pl.DataFrame({Columns().compute_time_s: frame.columns})
        rows = pl.concat([first, frame.rename({frame.columns[0]: Columns().compute_time_s})])
        return TableFile(path, rows, lambda row: f"{path}, line {line_of_record(path, row)}")
    names = [name.strip() for name in csv_header(path)]
    repeated = [name for name in names if names.count(name) > 1]
    if repeated:
        raise InputFileError(f"{path}: several columns are called {repeated[0]!r}")
    frame.columns = names
    return TableFile(path, frame, lambda row: f"{path}, line {line_of_record(path, row + 1)}")


def _num_blank_rows(path: Path, frame: "pl.DataFrame") -> int:
    """Rows that polars made of blank lines at the end of the file."""
    blank = frame.tail(num_blank_lines_at_the_end(path)).null_count().sum_horizontal()
    return int(blank.sum()) // max(1, frame.width)


def _read_parquet(path: Path) -> TableFile:
    import polars as pl

    try:
        return TableFile(
            path, pl.read_parquet(path, glob=False), lambda row: f"{path}, row {row + 1}"
        )
    except (pl.exceptions.PolarsError, OSError) as error:
        raise InputFileError(f"{path}: not a Parquet file: {_first_line(error)}") from None


def column(table: TableFile, name: str) -> "pl.Series":
    """A column as it stands in the file, or an error that names those there are."""
    if name not in table.frame.columns:
        there = ", ".join(table.frame.columns)
        raise InputFileError(f"{table.path}: there is no column {name!r}; the columns are {there}")
    return table.frame[name]


def number_column(table: TableFile, name: str) -> NDArray[np.float64]:
    """A column as numbers, or an error at the first cell that is none."""
    import polars as pl

    cells = column(table, name)
    if cells.dtype == pl.String:
        cells = cells.str.strip_chars()
    elif not (cells.dtype.is_numeric() or cells.dtype == pl.Null):
        kind = str(cells.dtype)
        raise InputFileError(f"{table.path}: {name} holds values of type {kind}, not numbers")
    numbers = cells.cast(pl.Float64, strict=False)
    missing = numbers.is_null()
    if missing.any():
        row = int(missing.arg_max() or 0)
        text = "nothing" if cells[row] in (None, "") else repr(cells[row])
        raise InputFileError(f"{table.place(row)}: {text} where {name} should be a number")
    return numbers.to_numpy()


def _optional(table: TableFile, name: str) -> NDArray[np.float64] | None:
    return number_column(table, name) if name in table.frame.columns else None


def _positive(table: TableFile, name: str, values: NDArray[np.float64]) -> NDArray[np.float64]:
    bad = ~(np.isfinite(values) & (values > 0))
    refuse_rows(table, name, bad, "must be finite and above 0 seconds")
    return values


def _whole(table: TableFile, name: str, values: NDArray[np.float64]) -> NDArray[np.int64]:
    with np.errstate(invalid="ignore"):
        bad = ~((values >= 1) & (values == np.floor(values)) & np.isfinite(values))
    refuse_rows(table, name, bad, "must be a whole number of at least 1")
    refuse_rows(table, name, ~(values < 2**63), "must be below 2^63")
    return values.astype(np.int64)


def refuse_rows(table: TableFile, name: str, bad: NDArray[np.bool_], accepted: str) -> None:
    """Complain of the first row that is marked as bad, if one is."""
    if bad.any():
        row = int(bad.argmax())
        text = " ".join(str(table.frame[name][row]).split())
        raise InputFileError(f"{table.place(row)}: {name} is {text}; it {accepted}")


def _ids(table: TableFile, name: str) -> NDArray[np.object_] | None:
    if name not in table.frame.columns:
        return None
    ids = table.frame[name]
    if ids.dtype.is_nested():
        raise InputFileError(f"{table.path}: {name} holds values of type {ids.dtype}, not ids")
    if ids.has_nulls():
        row = int(ids.is_null().arg_max() or 0)
        raise InputFileError(f"{table.place(row)}: nothing where {name} should be")
    return np.array(ids.to_list(), dtype=object)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _first_line(error: Exception) -> str:
    return str(error).strip().splitlines()[0]
