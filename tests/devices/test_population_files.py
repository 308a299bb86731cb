from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipefl.devices.files import Columns, read_population

FULL = "client_id,num_samples,compute_time_s,deviation_s\nphone,12,3.5,0.5\ntablet,40,1e1,0\n"


def written(folder: Path, text: str, name: str = "times.csv") -> Path:
    path = folder / name
    path.write_bytes(text.encode())
    return path


@pytest.mark.parametrize(
    "text",
    [
        FULL,
        FULL.replace("\n", "\r\n"),
        FULL.rstrip("\n"),
        "\ufeff" + FULL,
        FULL.replace(",", " , "),
        "\n\n" + FULL,
        'client_id,num_samples,compute_time_s,deviation_s\n"phone","12","3.5","0.5"\ntablet,40,10,0'
        "\n",
    ],
    ids=[
        "unix",
        "windows",
        "no newline at the end",
        "bom",
        "spaces",
        "blank lines ahead",
        "quoted",
    ],
)
def test_every_column_of_a_csv_file_is_read(tmp_path: Path, text: str) -> None:
    path = written(tmp_path, text)
    population = read_population(path)
    assert population.source == str(path)
    assert population.num_clients == 2
    assert population.compute_time_s.tolist() == [3.5, 10.0]
    assert population.num_samples is not None
    assert population.num_samples.tolist() == [12, 40]
    assert population.deviation_s is not None
    assert population.deviation_s.tolist() == [0.5, 0.0]
    assert population.client_id is not None
    assert [name.strip() for name in population.client_id] == ["phone", "tablet"]


def test_columns_that_are_not_there_are_none(tmp_path: Path) -> None:
    population = read_population(written(tmp_path, "colour,compute_time_s\nred,2\n"))
    assert population.compute_time_s.tolist() == [2.0]
    assert population.client_id is None
    assert population.num_samples is None
    assert population.deviation_s is None


@pytest.mark.parametrize("text", ["3\n1.5\n2e0\n", " 3\n1.5 \n2", "3\r\n1.5\r\n2\r\n"])
def test_a_single_column_of_numbers_needs_no_header(tmp_path: Path, text: str) -> None:
    assert read_population(written(tmp_path, text)).compute_time_s.tolist() == [3.0, 1.5, 2.0]


def test_one_number_is_one_client(tmp_path: Path) -> None:
    assert read_population(written(tmp_path, "4")).compute_time_s.tolist() == [4.0]


@pytest.mark.parametrize("name", ["times.CSV", "all [v2].csv", "what?.csv", "*.csv"])
def test_a_file_name_is_taken_as_it_is_written(tmp_path: Path, name: str) -> None:
    written(tmp_path, "9\n", "other.csv")
    path = written(tmp_path, "1\n2\n", name)
    assert read_population(path).compute_time_s.tolist() == [1.0, 2.0]
    assert read_population(str(path)).num_clients == 2


def test_columns_can_have_other_names(tmp_path: Path) -> None:
    path = written(tmp_path, "seconds,phone,images,spread,compute_time_s\n4,a,3,1,bad\n")
    population = read_population(
        path,
        Columns(
            compute_time_s="seconds",
            client_id="phone",
            num_samples="images",
            deviation_s="spread",
        ),
    )
    assert population.compute_time_s.tolist() == [4.0]
    assert population.client_id is not None
    assert population.client_id.tolist() == ["a"]
    assert population.num_samples is not None
    assert population.num_samples.tolist() == [3]
    assert population.deviation_s is not None
    assert population.deviation_s.tolist() == [1.0]


def test_times_can_come_from_the_seconds_of_one_sample(tmp_path: Path) -> None:
    path = written(tmp_path, "num_samples,compute_time_s\n10,unknown\n70,unknown\n")
    assert read_population(path, seconds_per_sample=0.5).compute_time_s.tolist() == [5.0, 35.0]


@pytest.mark.parametrize(
    "times",
    [
        pl.Series([1, 2], dtype=pl.Int32),
        pl.Series([1, 2], dtype=pl.UInt8),
        pl.Series([1.0, 2.0], dtype=pl.Float32),
        pl.Series([1.0, 2.0], dtype=pl.Float64),
        pl.Series(["1", "2.0"]),
        pl.Series(["1", "2"]).cast(pl.Decimal(10, 2)),
    ],
    ids=lambda series: str(series.dtype),
)
def test_a_parquet_column_of_any_kind_of_number_is_read(tmp_path: Path, times: pl.Series) -> None:
    path = tmp_path / "times.parquet"
    pl.DataFrame({"compute_time_s": times, "client_id": [7, 8]}).write_parquet(path)
    population = read_population(path)
    assert population.compute_time_s.dtype == np.float64
    assert population.compute_time_s.tolist() == [1.0, 2.0]
    assert population.client_id is not None
    assert population.client_id.tolist() == [7, 8]


@given(
    st.lists(
        st.tuples(
            st.text("abc, \n\"';é1", max_size=5),
            st.floats(1e-300, 1e300),
            st.integers(1, 2**40),
            st.floats(0, 1e300),
        ),
        min_size=1,
        max_size=12,
    )
)
def test_what_is_written_is_what_is_read(rows: list[tuple[str, float, int, float]]) -> None:
    ids, times, samples, deviations = (list(column) for column in zip(*rows, strict=True))
    frame = pl.DataFrame(
        {
            "client_id": [f"{number}{name}" for number, name in enumerate(ids)],
            "compute_time_s": times,
            "num_samples": samples,
            "deviation_s": deviations,
        }
    )
    with TemporaryDirectory() as folder:
        csv, parquet = Path(folder, "t.csv"), Path(folder, "t.parquet")
        frame.write_csv(csv)
        frame.write_parquet(parquet)
        for path in (csv, parquet):
            population = read_population(path)
            assert population.client_id is not None
            assert population.client_id.tolist() == frame["client_id"].to_list()
            assert population.compute_time_s.tolist() == times
            assert population.num_samples is not None
            assert population.num_samples.tolist() == samples
            assert population.deviation_s is not None
            assert population.deviation_s.tolist() == deviations


@pytest.mark.parametrize("end", ["", "\n", "\n\n", "\r\n\r\n\r\n"])
@pytest.mark.parametrize("head", ["compute_time_s\n1.5\n2.5", "id,compute_time_s\na,1.5\nb,2.5"])
def test_blank_lines_at_the_end_of_a_file_hold_no_client(
    head: str, end: str, tmp_path: Path
) -> None:
    path = tmp_path / "times.csv"
    path.write_bytes((head + end).encode())
    assert read_population(path).compute_time_s.tolist() == [1.5, 2.5]
