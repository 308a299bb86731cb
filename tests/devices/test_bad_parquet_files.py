from datetime import timedelta
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from pipefl.devices.files import read_population
from pipefl.errors import InputFileError


def complaint(path: Path) -> str:
    """What is said of a file, after its name."""
    with pytest.raises(InputFileError) as caught:
        read_population(path)
    message = str(caught.value)
    assert message.startswith(str(path))
    return message.removeprefix(str(path))


@pytest.mark.parametrize("content", [b"", b"compute_time_s\n1\n", b"PAR1" + bytes(40) + b"PAR1"])
def test_foreign_bytes_are_not_a_parquet_file(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "times.parquet"
    path.write_bytes(content)
    assert complaint(path).startswith(": not a Parquet file: ")
    assert "\n" not in complaint(path)


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        ({"compute_time_s": []}, ": the file holds no clients"),
        (
            {"seconds": [1.0], "phone": ["a"]},
            ": there is no column 'compute_time_s'; the columns are seconds, phone",
        ),
        (
            {"compute_time_s": [1.0, None]},
            ", row 2: nothing where compute_time_s should be a number",
        ),
        (
            {"compute_time_s": [None, None]},
            ", row 1: nothing where compute_time_s should be a number",
        ),
        (
            {"compute_time_s": ["1", "fast"]},
            ", row 2: 'fast' where compute_time_s should be a number",
        ),
        (
            {"compute_time_s": [1.0, 2.0, float("nan")]},
            ", row 3: compute_time_s is nan; it must be finite and above 0 seconds",
        ),
        (
            {"compute_time_s": [0, 2]},
            ", row 1: compute_time_s is 0; it must be finite and above 0 seconds",
        ),
        (
            {"compute_time_s": [1.0, 2.0], "client_id": ["a", None]},
            ", row 2: nothing where client_id should be",
        ),
    ],
)
def test_a_bad_cell_is_named_with_its_row(
    tmp_path: Path, columns: dict[str, list[Any]], expected: str
) -> None:
    path = tmp_path / "times.parquet"
    pl.DataFrame(columns).write_parquet(path)
    assert complaint(path) == expected


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([timedelta(seconds=1)], "Duration"),
        ([True], "Boolean"),
        ([[1.0]], "List"),
        ([{"s": 1.0}], "Struct"),
        ([b"1"], "Binary"),
    ],
)
def test_values_that_are_not_numbers_are_not_turned_into_seconds(
    tmp_path: Path, values: list[Any], kind: str
) -> None:
    path = tmp_path / "times.parquet"
    pl.DataFrame({"compute_time_s": values}).write_parquet(path)
    message = complaint(path)
    assert message.startswith(f": compute_time_s holds values of type {kind}")
    assert message.endswith(", not numbers")


def test_lists_are_no_client_ids(tmp_path: Path) -> None:
    path = tmp_path / "times.parquet"
    pl.DataFrame({"compute_time_s": [1.0], "client_id": [[1, 2]]}).write_parquet(path)
    assert complaint(path) == ": client_id holds values of type List(Int64), not ids"
