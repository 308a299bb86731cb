"""Where a result cannot be written, nothing else is done and one line says why."""

import os
from pathlib import Path

import pytest

from commands import complaint_of

WRITING = [
    ("plan", "--assignments", "a.csv"),
    ("plan", "--assignments", "a.parquet"),
    ("plan", "--html", "a.html"),
    ("plan", "--save", "a.png"),
    ("plan", "--save", "a.svg"),
    ("plan", "--save", "a.pdf"),
    ("plan", "--save", "a.json"),
    ("sweep", "--out", "a.csv"),
    ("sweep", "--out", "a.parquet"),
]


@pytest.fixture
def locked_folder(tmp_path: Path) -> Path:
    """A folder in which nobody, not even root, can create a file."""
    folder = tmp_path / "locked"
    folder.mkdir(mode=0o500)
    if not os.access(folder, os.W_OK):
        return folder
    if Path("/proc").is_dir():
        return Path("/proc")
    pytest.skip("root may write to every folder here, and there is no /proc")


@pytest.mark.parametrize(("verb", "option", "name"), WRITING)
def test_a_folder_that_cannot_be_written_to_is_named(
    locked_folder: Path, verb: str, option: str, name: str
) -> None:
    assert str(locked_folder / name) in complaint_of(verb, "--demo", option, locked_folder / name)


@pytest.mark.parametrize(("verb", "option", "name"), WRITING)
def test_a_folder_that_is_not_there_is_named(
    tmp_path: Path, verb: str, option: str, name: str
) -> None:
    path = tmp_path / "nowhere" / name
    expected = f"{option} {path}: there is no folder {path.parent}"
    assert complaint_of(verb, "--demo", option, path) == expected


@pytest.mark.parametrize(("verb", "option", "name"), WRITING)
def test_a_folder_is_not_written_over(tmp_path: Path, verb: str, option: str, name: str) -> None:
    path = tmp_path / name
    path.mkdir()
    assert complaint_of(verb, "--demo", option, path) == f"{option} {path}: it is a folder"


@pytest.mark.parametrize(
    ("verb", "option", "name", "endings"),
    [
        ("plan", "--assignments", "a.xlsx", ".csv or .parquet"),
        ("plan", "--assignments", "a", ".csv or .parquet"),
        ("plan", "--html", "a.htm", ".html"),
        ("plan", "--save", "a.gif", ".png or .svg or .pdf or .json"),
        ("sweep", "--out", "a.json", ".csv or .parquet"),
    ],
)
def test_an_ending_that_stands_for_no_format_is_refused(
    tmp_path: Path, verb: str, option: str, name: str, endings: str
) -> None:
    path = tmp_path / name
    message = complaint_of(verb, "--demo", option, path)
    assert message.startswith(f"{option} is ")
    assert message.endswith(f"its name must end in {endings}")
    assert not path.exists()


def test_an_unknown_chart_is_told_which_there_are(tmp_path: Path) -> None:
    message = complaint_of("plan", "--demo", "--save", tmp_path / "a.svg", "--chart", "pie")
    assert message == "--chart is 'pie'; it must be one of round, hull, histogram, efficiency"


def test_a_round_of_too_many_clients_is_not_drawn(tmp_path: Path) -> None:
    message = complaint_of("plan", "--demo", "-n", 13, "--save", tmp_path / "a.svg")
    assert message.endswith("drawn for up to 48; this round schedules 52")
    assert not (tmp_path / "a.svg").exists()
