"""Where the records of a CSV file stand, for messages that name a line."""

import csv
from collections.abc import Iterator
from itertools import islice
from pathlib import Path


def csv_header(path: Path) -> list[str]:
    """The cells of the first record."""
    return next((cells for _, cells in _records(path)), [])


def line_of_record(path: Path, number: int) -> int:
    """The line on which a record begins; the header, or a first row without one, is number 0.

    Blank lines ahead of the first record and line breaks within quotes are counted. O(number).
    """
    return next(line for line, _ in islice(_records(path), number, None))


def first_overlong_record(path: Path) -> str | None:
    """What is wrong with the first record that has more cells than the header, if one has."""
    width = len(csv_header(path))
    for line, cells in _records(path):
        if len(cells) > width:
            return f"line {line} has {len(cells)} cells where the first line has {width}"
    return None


def num_blank_lines_at_the_end(path: Path) -> int:
    """How many lines without a single sign end the file, which hold no record."""
    with path.open("rb") as file:
        file.seek(max(0, file.seek(0, 2) - 65_536))
        tail = file.read().replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return max(0, len(tail) - len(tail.rstrip(b"\n")) - 1)


def _records(path: Path) -> Iterator[tuple[int, list[str]]]:
    with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
        reader = csv.reader(file)
        line, begun = 1, False
        for cells in reader:
            begun = begun or bool(cells)
            if begun:
                yield line, cells
            line = reader.line_num + 1
