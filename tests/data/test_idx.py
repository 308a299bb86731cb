import bz2
import gzip
import lzma
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from image_files import idx_bytes
from pipefl.data.idx import find_idx, read_idx
from pipefl.errors import InputFileError, MissingFileError

PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
}
# Two images of 1 × 3 pixels, written down by hand.
TWO_IMAGES = bytes.fromhex("00000803 00000002 00000001 00000003 0a0b0c 0d0e0f")


def written(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


any_array = st.sampled_from(["u1", "i1", "i2", "i4", "f4", "f8"]).flatmap(
    lambda dtype: hnp.arrays(dtype, hnp.array_shapes(min_side=0, max_dims=4, max_side=5))
)


@given(any_array, st.sampled_from(sorted(PACKERS)))
def test_what_is_written_is_read(
    tmp_path_factory: pytest.TempPathFactory, array: np.ndarray, packing: str
) -> None:
    path = tmp_path_factory.mktemp("idx") / "numbers"  # its name does not say how it is packed
    read = read_idx(
        written(path, PACKERS[packing](idx_bytes(array))), array.dtype.type, [None] * array.ndim
    )
    assert read.dtype == array.dtype
    assert read.dtype.isnative
    np.testing.assert_array_equal(read, array)


def test_a_file_written_by_hand(tmp_path: Path) -> None:
    images = read_idx(written(tmp_path / "images", TWO_IMAGES), np.uint8, (2, None, 3))
    assert images.tolist() == [[[10, 11, 12]], [[13, 14, 15]]]
    numbers = bytes.fromhex("00000c01 00000002 00000102 fffffffe")
    assert read_idx(written(tmp_path / "n", numbers), np.int32, (None,)).tolist() == [258, -2]


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"", "not an idx file: it begins with nothing where 00 00, a type (08, 09, 0b, 0c"),
        (b"\x00\x00", "not an idx file: it begins with 00 00 where"),
        (b"<!DOCTYPE html>", "not an idx file: it begins with 3c 21 44 4f where"),
        (b"\x00\x00\x08\x00", "not an idx file: it begins with 00 00 08 00 where"),
        (TWO_IMAGES[:12], "the file is truncated within its 3 dimensions"),
        (TWO_IMAGES[:-1], "the file is truncated: 21 bytes unpacked where 22 are due"),
        (TWO_IMAGES + b"\n", "the file goes on after its end: 23 bytes unpacked where 22 are due"),
        (gzip.compress(TWO_IMAGES, mtime=0)[:-9], "the gzip file is truncated at"),
        (lzma.compress(TWO_IMAGES)[:-9], "the xz file is truncated at"),
        (bz2.compress(TWO_IMAGES)[:-9], "the bzip2 file is truncated at"),
        (gzip.compress(TWO_IMAGES, mtime=0) + b"more", "4 bytes follow the end of the gzip file"),
        (
            gzip.compress(TWO_IMAGES, mtime=0)[:10] + b"\xff" * 20,
            "the gzip file is damaged: Error -3",
        ),
        (lzma.compress(TWO_IMAGES)[:8] + b"\xff" * 24, "the xz file is damaged: "),
        (bz2.compress(TWO_IMAGES)[:9] + b"\xff" * 20, "the bzip2 file is damaged: Invalid"),
        (
            idx_bytes(np.zeros((2, 1, 4), np.uint8)),
            "the file holds uint8 of 2 × 1 × 4; expected were uint8 of any × 1 × 3",
        ),
        (
            idx_bytes(np.zeros(2, np.uint8)),
            "the file holds uint8 of 2; expected were uint8 of any × 1 × 3",
        ),
        (
            idx_bytes(np.zeros((2, 1, 3), np.int32)),
            "the file holds int32 of 2 × 1 × 3; expected were uint8 of any × 1 × 3",
        ),
    ],
)
def test_what_is_wrong_is_said_with_the_file(
    tmp_path: Path, content: bytes, complaint: str
) -> None:
    path = written(tmp_path / "images", content)
    with pytest.raises(InputFileError, match=f"^{re.escape(f'{path}: {complaint}')}"):
        read_idx(path, np.uint8, (None, 1, 3))


@given(st.data())
def test_a_changed_byte_of_a_packed_file_does_not_pass_unseen(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    packing = data.draw(st.sampled_from([".gz", ".bz2", ".xz"]))
    content = bytearray(PACKERS[packing](TWO_IMAGES))
    # A gzip header's time, flags for speed and system mean nothing.
    at = data.draw(st.integers(10 if packing == ".gz" else 0, len(content) - 1))
    content[at] ^= data.draw(st.integers(1, 255))
    path = written(tmp_path_factory.mktemp("idx") / "images", bytes(content))
    try:
        images = read_idx(path, np.uint8, (2, 1, 3))
    except InputFileError:
        return
    assert images.tolist() == [[[10, 11, 12]], [[13, 14, 15]]]


def test_a_folder_in_the_place_of_a_file(tmp_path: Path) -> None:
    with pytest.raises(InputFileError, match="the file cannot be read: Is a directory"):
        read_idx(tmp_path, np.uint8, (None,))


@pytest.mark.parametrize(
    "place",
    [
        "mnist/t10k-labels-idx1-ubyte",
        "mnist/t10k-labels.idx1-ubyte.gz",
        "mnist/MNIST/raw/t10k-labels-idx1-ubyte.bz2",
        "MNIST/raw/t10k-labels-idx1-ubyte.xz",
    ],
)
def test_files_are_found_in_the_layouts_that_people_have(tmp_path: Path, place: str) -> None:
    path = tmp_path / place
    path.parent.mkdir(parents=True)
    path.touch()
    path.with_name("t10k-labels-idx1-ubyte.txt").touch()
    assert find_idx(tmp_path / "mnist", "t10k-labels-idx1-ubyte", "mnist") == path


def test_a_missing_file_says_how_to_get_it(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError, match="no file a-idx1 or a.idx1.*`pipefl data get mnist`"):
        find_idx(tmp_path / "mnist", "a-idx1", "mnist")
