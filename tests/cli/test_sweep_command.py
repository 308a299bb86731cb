import json
import os
from itertools import product
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import pipefl
from commands import complaint_of, output_of, pipefl_process
from pipefl.devices.example import example_population

TIMES = example_population().compute_time_s
SETTINGS = ("-u", "1,1.5", "--slack", "0,0.5,6", "-k", "1-3,7", "-n", "1,4-5")


def swept(*arguments: object) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads(output_of("sweep", *arguments, "--json"))
    return rows


def as_frame(rows: list[dict[str, Any]]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=pipefl.sweep([1.0], 1.0).schema)


def test_lists_and_ranges_are_combined_in_every_way() -> None:
    rows = swept("--demo", *SETTINGS)
    names = ("upload_time_s", "slack_s", "num_clusters", "num_channels")
    combined = [tuple(row[name] for name in names) for row in rows]
    expected = product([1.0, 1.5], [0.0, 0.5, 6.0], [1, 2, 3, 7], [1, 4, 5])
    assert combined == list(expected)


def test_the_rows_are_those_of_the_library() -> None:
    frame = pipefl.sweep(
        TIMES,
        [1.0, 1.5],
        num_clusters=[1, 2, 3, 7],
        slack_s=[0.0, 0.5, 6.0],
        num_channels=[1, 4, 5],
        server_time_s=0.25,
    )
    assert_frame_equal(as_frame(swept("--demo", *SETTINGS, "--server-time", 0.25)), frame)


def test_without_choices_every_k_up_to_the_papers_is_shown() -> None:
    rows = swept("--demo")
    assert [row["num_clusters"] for row in rows] == [1, 2, 3, 4]
    assert {row["upload_time_s"] for row in rows} == {1.5}


def test_pareto_keeps_what_no_other_choice_beats() -> None:
    settings = ("--demo", "-k", "1-9", "--slack", "0,3,6", "-n", "1,2")
    front = swept(*settings, "--pareto")
    assert 0 < len(front) < len(swept(*settings))
    assert_frame_equal(as_frame(front), pipefl.pareto_front(as_frame(swept(*settings))))


def test_no_column_is_left_out_where_the_table_is_wider_than_the_terminal() -> None:
    narrow = os.environ | {"COLUMNS": "40"}
    out = pipefl_process("sweep", "--demo", *SETTINGS, environment=narrow).stdout
    assert out == output_of("sweep", "--demo", *SETTINGS)
    headings = next(line for line in out.splitlines() if "spread" in line)
    names = ("upload s", "slack s", "K", "N", "a cluster", "spread", "a round", "round s", "ε")
    assert [headings.find(name) for name in names] == sorted(map(headings.index, names))


@pytest.mark.parametrize("name", ["out.csv", "out.parquet", "OUT.CSV", "OUT.PARQUET"])
def test_all_rows_and_columns_are_written(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    printed = output_of("sweep", "--demo", *SETTINGS, "--out", path)
    assert printed.endswith(f"Wrote {path}\n")
    expected = as_frame(swept("--demo", *SETTINGS))
    if name.lower().endswith("parquet"):
        assert_frame_equal(pl.read_parquet(path), expected)
        return
    frame = pl.read_csv(path)
    assert_frame_equal(frame.drop("sizes"), expected.drop("sizes"))
    sizes = [None if row is None else [int(n) for n in row.split()] for row in frame["sizes"]]
    assert sizes == expected["sizes"].to_list()


def test_json_is_the_only_thing_printed_where_rows_are_also_written(tmp_path: Path) -> None:
    path = tmp_path / "out.csv"
    assert len(swept("--demo", "--out", path)) == pl.read_csv(path).height == 4


def test_settings_with_one_value_stand_above_the_table() -> None:
    lines = output_of("sweep", "--demo", "-k", "2,4", "-n", "1,2").splitlines()
    assert lines[1] == "upload s 1.5 · slack s 0"
    rows = [line.split() for line in lines if line.strip() and line.split()[0].isdigit()]
    assert [row[:2] for row in rows] == [["2", "1"], ["2", "2"], ["4", "1"], ["4", "2"]]


def test_a_choice_that_does_not_fit_is_shown_as_such() -> None:
    printed = output_of("sweep", "--demo", "-k", "5,6")
    row = next(line.split() for line in printed.splitlines() if line.split()[:1] == ["6"])
    assert set(row[1:]) == {"–"}
    assert "more slack would allow them" in printed
    assert "more slack" not in output_of("sweep", "--demo", "-k", "5")


@pytest.mark.parametrize(
    ("option", "text", "accepted"),
    [
        ("--clusters", "1,,2", "one or several whole numbers such as 1,2,4 or 1-8"),
        ("--clusters", "", "one or several whole numbers such as 1,2,4 or 1-8"),
        ("--clusters", "8-1", "one or several whole numbers such as 1,2,4 or 1-8"),
        ("--clusters", "1-99999999999", "one or several whole numbers such as 1,2,4 or 1-8"),
        ("--clusters", "1.5", "one or several whole numbers such as 1,2,4 or 1-8"),
        ("--channels", "few", "one or several whole numbers such as 1,2,4 or 1-8"),
        ("--slack", "0,x", "one or several numbers such as 1,1.5,2"),
        ("--upload-time", "1.5,", "one or several numbers such as 1,1.5,2"),
        ("--upload-time", "", "one or several numbers such as 1,1.5,2"),
    ],
)
def test_a_list_that_cannot_be_read_is_shown_what_can(
    option: str, text: str, accepted: str
) -> None:
    message = complaint_of("sweep", "--demo", option, text)
    assert message == f"{option} is {text!r}; it must be {accepted}"


@pytest.mark.parametrize(
    ("option", "text", "expected"),
    [
        ("--clusters", "0-3", "--clusters is 0; it must be a whole number from 1 to 1,000,000"),
        ("--clusters", "-3", "--clusters is -3; it must be a whole number from 1 to 1,000,000"),
        ("--channels", "2,0", "--channels is 0; it must be a whole number of at least 1"),
        ("--slack", "0,-1", "--slack is -1.0; it must be a finite number of seconds, 0 or more"),
        ("--slack", "nan", "--slack is nan; it must be a finite number of seconds, 0 or more"),
        ("--upload-time", "1,0", "--upload-time is 0.0; it must be a finite number of seconds ab"),
        ("--upload-time", "inf", "--upload-time is inf; it must be a finite number of seconds ab"),
        ("--server-time", "-1", "--server-time is -1.0; it must be a finite number of seconds, "),
    ],
)
def test_one_bad_number_of_a_list_is_named(option: str, text: str, expected: str) -> None:
    assert complaint_of("sweep", "--demo", option, text).startswith(expected)


def test_a_front_of_nothing_says_so() -> None:
    out = output_of("sweep", "--demo", "--clusters", "100", "--pareto")
    assert out.splitlines()[-1].startswith("No choice fits (eq:techincal_K); more slack or")
