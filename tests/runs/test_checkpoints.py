from pathlib import Path

import numpy as np
import pytest

from pipefl.errors import PipeflError
from pipefl.runs.checkpoints import Checkpoint, read_newest, write_checkpoint


def checkpoint(num_steps: int) -> Checkpoint:
    arrays = {"model": np.arange(6.0).reshape(2, 3) + num_steps, "ids": np.arange(3)}
    return Checkpoint(num_steps, arrays, {"steps": num_steps})


def complaints_of(folder: Path, most_steps: int = 100) -> tuple[Checkpoint | None, list[str]]:
    said: list[str] = []
    return read_newest(folder, most_steps, said.append), said


def test_arrays_and_notes_come_back(tmp_path: Path) -> None:
    write_checkpoint(tmp_path, checkpoint(7))
    found, said = complaints_of(tmp_path)
    assert found is not None
    assert (found.num_steps, found.notes, said) == (7, {"steps": 7}, [])
    np.testing.assert_array_equal(found.arrays["model"], checkpoint(7).arrays["model"])
    assert found.arrays["ids"].dtype == np.int64


def test_the_last_two_are_kept(tmp_path: Path) -> None:
    for num_steps in (2, 4, 9):
        write_checkpoint(tmp_path, checkpoint(num_steps))
    assert sorted(path.name[:13] for path in tmp_path.iterdir()) == [
        "step-00000004",
        "step-00000009",
    ]


def test_one_that_is_ahead_of_the_records_is_passed_over(tmp_path: Path) -> None:
    for num_steps in (4, 9):
        write_checkpoint(tmp_path, checkpoint(num_steps))
    found, said = complaints_of(tmp_path, most_steps=8)
    assert found is not None
    assert (found.num_steps, said) == (4, [])
    assert complaints_of(tmp_path, most_steps=3) == (None, [])


@pytest.mark.parametrize("damage", ["flip", "cut", "empty"])
def test_a_damaged_one_is_refused_and_the_one_before_is_used(tmp_path: Path, damage: str) -> None:
    write_checkpoint(tmp_path, checkpoint(4))
    path = write_checkpoint(tmp_path, checkpoint(9))
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes({"flip": bytes(data), "cut": bytes(data[:-5]), "empty": b""}[damage])
    found, said = complaints_of(tmp_path)
    assert found is not None
    assert found.num_steps == 4
    assert len(said) == 1
    assert "damaged" in said[0]
    assert path.name in said[0]


def test_a_file_that_was_not_finished_is_no_checkpoint(tmp_path: Path) -> None:
    write_checkpoint(tmp_path, checkpoint(4))
    (tmp_path / ".part").write_bytes(b"half")
    found, said = complaints_of(tmp_path)
    assert found is not None
    assert (found.num_steps, said) == (4, [])


def test_a_folder_that_is_not_there_has_none(tmp_path: Path) -> None:
    assert complaints_of(tmp_path / "nowhere") == (None, [])


def test_another_kind_of_file_under_a_right_name_is_named(tmp_path: Path) -> None:
    import hashlib

    data = b"this is text"
    name = f"step-00000001-{hashlib.sha256(data).hexdigest()}.safetensors"
    (tmp_path / name).write_bytes(data)
    with pytest.raises(PipeflError, match="not a checkpoint"):
        complaints_of(tmp_path)
