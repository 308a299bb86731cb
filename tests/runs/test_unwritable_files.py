import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import pytest

from pipefl.errors import PipeflError
from pipefl.runs.checkpoints import Checkpoint, read_newest, write_checkpoint
from pipefl.runs.records import RecordFile, RoundRecord, read_records
from pipefl.runs.writing import UnwritableError, write_bytes_whole, writing

FULL = Path("/dev/full")  # a device on which there is never any room


def record(number: int) -> RoundRecord:
    return RoundRecord(
        round=number,
        start_s=number - 1.0,
        duration_s=1.0,
        clock_s=float(number),
        client=[3],
        version=[0],
        client_loss=[0.5],
        channel=[0],
        upload_start_s=[0.5],
        upload_end_s=[1.0],
    )


def append_for_ever(file: RecordFile, appended: list[int]) -> None:
    for number in count(1):
        file.append(record(number))
        appended.append(number)


@contextmanager
def files_of_at_most(num_bytes: int) -> Iterator[None]:
    """As on a disk that is full at some time, for which nobody must be root."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (num_bytes, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_file_is_replaced_as_a_whole(tmp_path: Path) -> None:
    path, beside, reader = (tmp_path / name for name in ("file", "file.part", "reader"))
    write_bytes_whole(path, b"old", beside)
    reader.hardlink_to(path)
    write_bytes_whole(path, b"new" * 1000, beside)
    assert path.read_bytes() == b"new" * 1000
    assert reader.read_bytes() == b"old"  # who had opened it is not disturbed
    assert not beside.exists()


def test_what_cannot_be_written_leaves_the_old_file_and_no_part(tmp_path: Path) -> None:
    path, beside = tmp_path / "file", tmp_path / "file.part"
    path.write_bytes(b"old")
    beside.symlink_to(FULL)
    with pytest.raises(UnwritableError, match=f"{path} cannot be written: No space left"):
        write_bytes_whole(path, b"new", beside)
    assert path.read_bytes() == b"old"
    assert not os.path.lexists(beside)


def test_a_file_is_named_in_whatever_the_system_complains_of(tmp_path: Path) -> None:
    place = tmp_path / "not a folder"
    place.touch()
    with pytest.raises(PipeflError, match=f"{place}/x cannot be written: Not a directory"):
        write_bytes_whole(place / "x", b"", place / "y")
    with pytest.raises(PipeflError, match="x cannot be written: told so"), writing(Path("x")):
        raise OSError("told so")


def test_records_for_which_there_is_no_room_are_an_error_and_those_before_are_kept(
    tmp_path: Path,
) -> None:
    path = tmp_path / "rounds.jsonl"
    file, appended = RecordFile(path, keep=0), list[int]()
    with files_of_at_most(1000), pytest.raises(UnwritableError, match="cannot be written: File t"):
        append_for_ever(file, appended)
    file.close()
    assert path.stat().st_size == 1000
    written = len(appended)
    assert [each.round for each in read_records(path)] == appended != []
    again = RecordFile(path, keep=written)
    again.append(record(written + 1))
    again.close()
    assert read_records(path) == [record(number) for number in range(1, written + 2)]


def test_a_checkpoint_for_which_there_is_no_room_leaves_those_before(tmp_path: Path) -> None:
    write_checkpoint(tmp_path, Checkpoint(1, {}, {}))
    (tmp_path / ".part").symlink_to(FULL)
    with pytest.raises(UnwritableError, match="step-00000002-"):
        write_checkpoint(tmp_path, Checkpoint(2, {}, {}))
    found = read_newest(tmp_path, 9, lambda text: None)
    assert found is not None
    assert found.num_steps == 1
    write_checkpoint(tmp_path, Checkpoint(2, {}, {}))
    assert len(list(tmp_path.iterdir())) == 2
