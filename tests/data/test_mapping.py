import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray

from pipefl.data.mapping import Handle, handle_of, mapped, mapped_array

any_array = hnp.arrays(
    hnp.scalar_dtypes().filter(lambda dtype: dtype.kind in "biuf"),
    hnp.array_shapes(min_dims=0, min_side=0),
)


def open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


@given(any_array)
def test_what_is_mapped_is_opened_alike(array: NDArray[np.generic]) -> None:
    shared = mapped(array)
    opened = handle_of(shared).opened()
    assert (opened.shape, opened.dtype) == (array.shape, array.dtype)
    np.testing.assert_array_equal(opened, array)
    assert mapped(shared) is shared
    assert not opened.flags.writeable or not opened.size


def test_both_sides_see_the_same_memory() -> None:
    array = mapped_array((4, 3), np.int32)
    opened = handle_of(array).opened()
    array[2, 1] = 9
    assert opened.tolist() == array.tolist()


def test_a_slice_has_its_place_in_the_file() -> None:
    array = mapped_array((100, 5), np.float64)
    array[...] = np.arange(500).reshape(100, 5)
    for part in (array[7:20], array[7:20][3:5], array[99], array.reshape(500)[3:]):
        assert mapped(part) is part
        np.testing.assert_array_equal(handle_of(part).opened(), part)
    crooked = array[:, 1]  # it does not lie in one piece, so that it needs a copy
    copy = mapped(crooked)
    assert not np.shares_memory(copy, array)
    np.testing.assert_array_equal(handle_of(copy).opened(), crooked)


def test_an_array_in_a_file_stays_there(tmp_path: Path) -> None:
    path = tmp_path / "numbers"
    np.arange(10_000, dtype=np.int16).tofile(path)
    array = np.memmap(path, np.int16, mode="r", offset=4096, shape=(5, 100))
    part = array[1:3]
    assert np.shares_memory(mapped(part), array)
    assert handle_of(mapped(part)) == Handle(path, 4096 + 200, (2, 100), "<i2")
    np.testing.assert_array_equal(handle_of(part).opened(), part)
    changed = np.memmap(path, np.int16, mode="c")
    changed[0] = 77
    for no_longer_in_the_file in (changed, array * 2):
        copy = mapped(no_longer_in_the_file)
        np.testing.assert_array_equal(handle_of(copy).opened(), no_longer_in_the_file)


def test_an_array_of_the_process_alone_has_no_handle() -> None:
    with pytest.raises(ValueError, match=r"take mapped\(array\)"):
        handle_of(np.zeros(3))


def test_another_process_opens_what_it_inherits() -> None:
    array = mapped(np.arange(6, dtype=np.uint8))
    handle = handle_of(array[2:])
    assert isinstance(handle.file, int)
    script = f"from pipefl.data.mapping import Handle; print({handle!r}.opened().tolist())"
    told = subprocess.run(
        [sys.executable, "-c", script], pass_fds=[handle.file], capture_output=True, check=True
    )
    assert told.stdout == b"[2, 3, 4, 5]\n"


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="open files are counted in /proc")
def test_files_are_closed_with_their_last_holder() -> None:
    before = open_files()
    array = mapped_array(10, np.uint8)
    part = array[3:]
    del array
    assert os.fstat(handle_of(part).file).st_size == 10  # type: ignore[arg-type]  # it is a number
    del part
    assert open_files() == before


def test_memory_is_taken_where_it_is_written_only() -> None:
    array = mapped_array((2**34,), np.uint8)  # more than this machine's memory may be
    array[2**33] = 1
    assert os.fstat(handle_of(array).file).st_blocks * 512 <= 2**22  # type: ignore[arg-type]  # a number
