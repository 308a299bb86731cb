"""Columns of names and of quantities, for the files that describe devices and clients."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pipefl.devices.files import TableFile, column, number_column, refuse_rows
from pipefl.errors import InputFileError

if TYPE_CHECKING:
    import polars as pl


def name_column(table: TableFile, name: str) -> "pl.Series":
    """A column of names as text without blanks around it; none may be empty."""
    import polars as pl

    cells = column(table, name)
    if cells.dtype.is_nested():
        raise InputFileError(f"{table.path}: {name} holds values of type {cells.dtype}, not names")
    names = cells.cast(pl.String).str.strip_chars()
    empty = names.is_null() | (names == "")
    if empty.any():
        row = int(empty.arg_max() or 0)
        raise InputFileError(f"{table.place(row)}: nothing where {name} should be")
    return names


def unique_names(table: TableFile, name: str) -> NDArray[np.object_]:
    """A column of names of which none may stand twice. O(rows)."""
    names = name_column(table, name)
    again = ~names.is_first_distinct()
    if again.any():
        row = int(again.arg_max() or 0)
        first = place_in_file(table, int((names == names[row]).arg_max() or 0))
        raise InputFileError(
            f"{table.place(row)}: {name} {names[row]!r} stands on {first} already; "
            "it must stand on one only"
        )
    return np.array(names.to_list(), dtype=object)


def positive_column(table: TableFile, name: str, unit: str, scale: float) -> NDArray[np.float64]:
    """A column of quantities above 0 in `unit`, times `scale`."""
    # The product is checked: what a float cannot hold after scaling is refused as well.
    with np.errstate(over="ignore", invalid="ignore"):
        values = number_column(table, name) * scale
    bad = ~(np.isfinite(values) & (values > 0))
    refuse_rows(table, name, bad, f"must be finite and above 0 {unit}")
    return values


def optional_positive_column(
    table: TableFile, name: str, unit: str, scale: float
) -> NDArray[np.float64] | None:
    """The same of a column that need not be there, but is full if it is."""
    there = name in table.frame.columns
    return positive_column(table, name, unit, scale) if there else None


def place_in_file(table: TableFile, row: int) -> str:
    """The line or row alone, for a message that names the file already."""
    return table.place(row).removeprefix(f"{table.path}, ")
