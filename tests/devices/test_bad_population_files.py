from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipefl.devices.files import Columns, read_population
from pipefl.errors import ArgumentError, InputFileError, MissingFileError

HEADER = "client_id,compute_time_s\n"
NO_NUMBER = "where compute_time_s should be a number"
NOT_ABOVE_0 = "it must be finite and above 0 seconds"


def complaint(
    folder: Path | str, text: str | bytes, name: str = "times.csv", column: str = "compute_time_s"
) -> str:
    """What is said of a file, after its name."""
    path = Path(folder, name)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(InputFileError) as caught:
        read_population(path, Columns(compute_time_s=column))
    message = str(caught.value)
    assert message.startswith(str(path))
    assert message.isprintable()
    return message.removeprefix(str(path))


@pytest.mark.parametrize("text", ["", "\n", "\n\n\n"])
def test_an_empty_file_is_called_empty(tmp_path: Path, text: str) -> None:
    assert complaint(tmp_path, text) == ": the file is empty"


@pytest.mark.parametrize("text", [HEADER, "compute_time_s", "compute_time_s\n"])
def test_a_header_alone_is_no_population(tmp_path: Path, text: str) -> None:
    assert complaint(tmp_path, text) == ": the file holds no clients"


def test_a_missing_column_is_named_beside_those_there_are(tmp_path: Path) -> None:
    text = "phone, seconds\na,1\n"
    expected = ": there is no column 'compute_time_s'; the columns are phone, seconds"
    assert complaint(tmp_path, text) == expected
    expected = ": there is no column 'images'; the columns are phone, seconds"
    assert complaint(tmp_path, text, column="images") == expected


def test_the_seconds_of_a_sample_need_the_samples(tmp_path: Path) -> None:
    path = tmp_path / "times.csv"
    path.write_text(HEADER + "a,1\n")
    with pytest.raises(InputFileError, match=r"there is no column 'num_samples'; .* client_id, "):
        read_population(path, seconds_per_sample=0.1)


@pytest.mark.parametrize("seconds", [0.0, -1.0, float("nan"), float("inf")])
def test_the_seconds_of_a_sample_must_be_a_time(tmp_path: Path, seconds: float) -> None:
    path = tmp_path / "times.csv"
    path.write_text("num_samples\n3\n")
    with pytest.raises(ArgumentError, match=f"seconds_per_sample is {seconds}; .* above 0"):
        read_population(path, seconds_per_sample=seconds)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (HEADER + "a,1\nb,fast\n", f", line 3: 'fast' {NO_NUMBER}"),
        (HEADER + "a,1\nb,\nc,2\n", f", line 3: nothing {NO_NUMBER}"),
        (HEADER + "a,1\nb, \n", f", line 3: nothing {NO_NUMBER}"),
        (HEADER + "a,1\nb\n", f", line 3: nothing {NO_NUMBER}"),
        (HEADER + "a,1\n\nb,2\n", f", line 3: nothing {NO_NUMBER}"),
        (HEADER + "a,1 s\n", f", line 2: '1 s' {NO_NUMBER}"),
        (HEADER + "a,0x10\n", f", line 2: '0x10' {NO_NUMBER}"),
        (HEADER + 'a,"1,5"\n', f", line 2: '1,5' {NO_NUMBER}"),
        (HEADER + HEADER + "a,1\n", f", line 2: 'compute_time_s' {NO_NUMBER}"),
        ("1\n2\nx\n", f", line 3: 'x' {NO_NUMBER}"),
        ("1\n\n3\n", f", line 2: nothing {NO_NUMBER}"),
        ("\n\n" + HEADER + "a,x\n", f", line 4: 'x' {NO_NUMBER}"),
        (HEADER + '"a\nb",1\nc,x\n', f", line 4: 'x' {NO_NUMBER}"),
        (HEADER.replace("\n", "\r\n") + "a,1\r\nb,x\r\n", f", line 3: 'x' {NO_NUMBER}"),
    ],
)
def test_a_cell_that_is_no_number_is_named_with_its_line(
    tmp_path: Path, text: str, expected: str
) -> None:
    assert complaint(tmp_path, text) == expected


@pytest.mark.parametrize("cell", ["nan", "inf", "-inf", "0", "0.0", "-0", "-3", "1e400"])
@pytest.mark.parametrize(
    ("text", "line"), [(HEADER + "a,1\nb,{}\n", 3), ("1\n2\n{}\n4\n", 3), ("{}\n1\n", 1)]
)
def test_a_time_that_is_not_finite_and_above_0_is_named_with_its_line(
    tmp_path: Path, text: str, line: int, cell: str
) -> None:
    expected = f", line {line}: compute_time_s is {cell}; {NOT_ABOVE_0}"
    assert complaint(tmp_path, text.format(cell)) == expected


BAD_CELLS = st.sampled_from(["fast", "nan", "inf", "0", "-1", "''", "1 2"])


@given(st.integers(1, 30), st.integers(0, 30), st.integers(0, 3), BAD_CELLS, st.booleans())
def test_of_many_bad_cells_the_first_is_named(
    before: int, after: int, blank: int, cell: str, headed: bool
) -> None:
    lines = [""] * blank + ["compute_time_s"] * headed + ["1"] * before
    with TemporaryDirectory() as folder:
        message = complaint(folder, "\n".join([*lines, cell, *[cell] * after]))
    assert message.startswith(f", line {len(lines) + 1}: ")
    assert cell in message


@pytest.mark.parametrize(
    ("column", "cell", "expected"),
    [
        ("num_samples", "2.5", "num_samples is 2.5; it must be a whole number of at least 1"),
        ("num_samples", "0", "num_samples is 0; it must be a whole number of at least 1"),
        ("num_samples", "nan", "num_samples is nan; it must be a whole number of at least 1"),
        ("num_samples", "1e30", "num_samples is 1e30; it must be below 2^63"),
        ("num_samples", "many", "'many' where num_samples should be a number"),
        ("deviation_s", "-1", "deviation_s is -1; it must be finite and 0 seconds or more"),
        ("deviation_s", "inf", "deviation_s is inf; it must be finite and 0 seconds or more"),
        ("deviation_s", "nan", "deviation_s is nan; it must be finite and 0 seconds or more"),
        ("deviation_s", "", "nothing where deviation_s should be a number"),
        ("client_id", "", "nothing where client_id should be"),
    ],
)
def test_a_bad_cell_of_another_column_is_named_with_its_line(
    tmp_path: Path, column: str, cell: str, expected: str
) -> None:
    text = f"compute_time_s,{column}\n1,1\n2,{cell}\n"
    assert complaint(tmp_path, text) == f", line 3: {expected}"


@pytest.mark.parametrize(
    ("text", "line", "cells", "width"),
    [
        (HEADER + "a,1\nb,2,3\n", 3, 3, 2),
        ("compute_time_s\n1,5\n2,5\n", 2, 2, 1),
        ("client_id;compute_time_s\na;1,5\n", 2, 2, 1),
        ("\n" + HEADER + '"x\ny",1\n1,2,3,4\n', 5, 4, 2),
    ],
)
def test_a_row_longer_than_the_header_is_named_with_its_line(
    tmp_path: Path, text: str, line: int, cells: int, width: int
) -> None:
    expected = f"line {line} has {cells} cells where the first line has {width}"
    assert complaint(tmp_path, text) == f": not a CSV file: {expected}"


@pytest.mark.parametrize("header", ["compute_time_s,compute_time_s", "compute_time_s, a, a"])
def test_two_columns_of_one_name_are_refused(tmp_path: Path, header: str) -> None:
    names = [name.strip() for name in header.split(",")]
    row = ",".join("1" for _ in names)
    expected = f": several columns are called {names[-1]!r}"
    assert complaint(tmp_path, f"{header}\n{row}\n") == expected


@pytest.mark.parametrize("content", [bytes(range(256)), (HEADER + "é,1\n").encode("latin-1")])
def test_foreign_bytes_are_not_a_csv_file(tmp_path: Path, content: bytes) -> None:
    assert complaint(tmp_path, content).startswith(": not a CSV file: ")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("times.txt", "it ends in '.txt'; times are read from .csv and .parquet files"),
        ("times.csv.gz", "it ends in '.gz'; times are read from .csv and .parquet files"),
        ("times", "its name has no ending; times are read from .csv and .parquet files"),
    ],
)
def test_a_file_of_another_kind_is_refused_by_its_ending(
    tmp_path: Path, name: str, expected: str
) -> None:
    assert complaint(tmp_path, "1\n", name) == f": {expected}"


@pytest.mark.parametrize("name", ["nowhere.csv", "nowhere.parquet", "no/folder/times.csv"])
def test_a_missing_file_is_named(tmp_path: Path, name: str) -> None:
    with pytest.raises(MissingFileError) as caught:
        read_population(tmp_path / name)
    assert str(caught.value) == f"{tmp_path / name}: there is no such file"


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    folder = tmp_path / "times.csv"
    folder.mkdir()
    with pytest.raises(MissingFileError, match="there is no such file"):
        read_population(folder)
