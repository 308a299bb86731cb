"""Every verb passes on in one line what is wrong with a file of times."""

from pathlib import Path

import pytest

from commands import complaint_of

HEADER = "client_id,compute_time_s\n"


@pytest.mark.parametrize("verb", ["plan", "sweep", "recommend", "explain"])
@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", ": the file is empty"),
        (HEADER.encode(), ": the file holds no clients"),
        (b"a,b\n1,2\n", ": there is no column 'compute_time_s'; the columns are a, b"),
        (b"1\ncompute_time_s\n", ", line 2: 'compute_time_s' where compute_time_s should be a"),
        (HEADER.encode() + b"a,fast\n", ", line 2: 'fast' where compute_time_s should be a number"),
        (HEADER.encode() + b"a,1\nb,\n", ", line 3: nothing where compute_time_s should be a"),
        (HEADER.encode() + b"a,nan\n", ", line 2: compute_time_s is nan; it must be finite"),
        (HEADER.encode() + b"a,inf\n", ", line 2: compute_time_s is inf; it must be finite"),
        (HEADER.encode() + b"a,0\n", ", line 2: compute_time_s is 0; it must be finite and above"),
        (HEADER.encode() + b"a,-7\n", ", line 2: compute_time_s is -7; it must be finite and"),
        (HEADER.encode() + b"a,1,2\n", ": not a CSV file: line 2 has 3 cells where the first"),
        (bytes(range(256)), ": not a CSV file: "),
    ],
)
def test_a_bad_file_is_named_with_what_is_wrong(
    tmp_path: Path, verb: str, content: bytes, expected: str
) -> None:
    path = tmp_path / "times.csv"
    path.write_bytes(content)
    assert complaint_of(verb, path, "-u", 1).startswith(f"{path}{expected}")


@pytest.mark.parametrize("content", [b"", b"PAR1", b"compute_time_s\n1\n"])
def test_foreign_bytes_in_a_parquet_file_are_named(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "times.parquet"
    path.write_bytes(content)
    assert complaint_of("plan", path, "-u", 1).startswith(f"{path}: not a Parquet file: ")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32"])
def test_a_foreign_encoding_sends_nothing_unprintable_to_the_terminal(
    tmp_path: Path, encoding: str
) -> None:
    path = tmp_path / "times.csv"
    path.write_bytes((HEADER + "a,1\n").encode(encoding))
    assert complaint_of("plan", path, "-u", 1).isprintable()


def test_control_signs_in_a_header_do_not_reach_the_terminal(tmp_path: Path) -> None:
    path = tmp_path / "times.csv"
    path.write_text("\x1b[2Jname,b\n1,2\n")
    message = complaint_of("plan", path, "-u", 1)
    assert message.isprintable()
    assert "name" in message


def test_a_named_column_that_is_not_there_is_named(tmp_path: Path) -> None:
    path = tmp_path / "times.csv"
    path.write_text(HEADER + "a,1\n")
    message = complaint_of("plan", path, "-u", 1, "--column", "seconds")
    expected = "there is no column 'seconds'; the columns are client_id, compute_time_s"
    assert message == f"{path}: {expected}"


@pytest.mark.parametrize("seconds", ["0", "-1", "nan", "inf"])
def test_the_seconds_of_a_sample_must_be_a_time(tmp_path: Path, seconds: str) -> None:
    path = tmp_path / "times.csv"
    path.write_text("num_samples\n3\n")
    message = complaint_of("plan", path, "-u", 1, "--seconds-per-sample", seconds)
    assert message.startswith(f"--seconds-per-sample is {float(seconds)}; ")
