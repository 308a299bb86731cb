import io
import struct
import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray
from PIL import Image

from pipefl.data.png import read_grey_pngs

Images = NDArray[np.uint8]


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(rows: bytes, height: int, width: int, header: tuple[int, ...] = (8, 0, 0, 0, 0)) -> bytes:
    """A PNG of rows as they are to be stored, in two pieces."""
    packed = zlib.compress(rows)
    pieces = [
        chunk(b"IHDR", struct.pack(">II5B", width, height, *header)),
        chunk(b"tEXt", b"Comment\0none"),
        chunk(b"IDAT", packed[:5]),
        chunk(b"IDAT", packed[5:]),
        chunk(b"IEND", b""),
    ]
    return b"\x89PNG\r\n\x1a\n" + b"".join(pieces)


def saved(image: Images) -> bytes:
    file = io.BytesIO()
    Image.fromarray(image).save(file, "png")
    return file.getvalue()


@given(st.data())
def test_stored_rows_are_read_as_pillow_reads_them(data: st.DataObject) -> None:
    """Any filter on any row, and any residues."""
    height, width = data.draw(st.integers(1, 6)), data.draw(st.integers(1, 6))
    num_images = data.draw(st.integers(1, 4))
    rows = data.draw(hnp.arrays(np.uint8, (num_images, height, width + 1)))
    rows[:, :, 0] %= 5
    blobs = [png(image.tobytes(), height, width) for image in rows]
    expected = [np.asarray(Image.open(io.BytesIO(blob))) for blob in blobs]
    np.testing.assert_array_equal(read_grey_pngs(blobs, height, width), expected)


@given(hnp.arrays(np.uint8, (3, 28, 28)))
def test_what_pillow_writes_is_read(images: Images) -> None:
    read = read_grey_pngs([saved(image) for image in images], 28, 28)
    np.testing.assert_array_equal(read, images)
    assert read.dtype == np.uint8


def test_each_filter_by_hand() -> None:
    """Rows of 10, 20, 30 after a first row of 5, 7, 250, stored under each filter."""
    first = [0, 5, 7, 250]
    for number, residues in enumerate(
        [
            [10, 20, 30],
            [10, 10, 10],  # 10, 20 − 10, 30 − 20
            [5, 13, 36],  # 10 − 5, 20 − 7, 30 − 250 + 256
            [8, 12, 151],  # 10 − 2, 20 − ⌊17/2⌋, 30 − ⌊270/2⌋ + 256
            [5, 10, 36],  # the nearest of a, b, c: 5, then 10 (to 12), then 250 (to 263)
        ]
    ):
        rows = bytes([*first, number, *residues])
        read = read_grey_pngs([png(rows, 2, 3)], 2, 3)
        assert read.tolist() == [[[5, 7, 250], [10, 20, 30]]], number


def test_no_images() -> None:
    assert read_grey_pngs([], 28, 28).shape == (0, 28, 28)


GOOD = png(bytes([0, 1, 2, 0, 3, 4]), 2, 2)


@pytest.mark.parametrize(
    ("blob", "complaint"),
    [
        (b"", "not a PNG image: it begins with nothing"),
        (b"\xff\xd8\xff\xe0JFIF", "not a PNG image: it begins with ff d8 ff e0"),
        (GOOD[:8], "is not 2 × 2 in 8-bit grey, not interlaced"),
        (GOOD[:-12], "a PNG image is truncated"),
        (GOOD[:-3], "a PNG image is truncated"),
        (GOOD[:20], "a PNG image is truncated"),
        (GOOD[:20] + b"\xff" + GOOD[21:], "is damaged: the sum of a chunk is wrong"),
        (png(bytes(6), 2, 2, (8, 2, 0, 0, 0)), "is not 2 × 2 in 8-bit grey"),
        (png(bytes(6), 2, 2, (8, 0, 0, 0, 1)), "is not 2 × 2 in 8-bit grey, not interlaced"),
        (png(bytes(6), 2, 2, (1, 0, 0, 0, 0)), "is not 2 × 2 in 8-bit grey"),
        (png(bytes(12), 3, 3), "is not 2 × 2 in 8-bit grey"),
        (png(bytes(5), 2, 2), "a PNG image has 5 bytes for 2 × 2 pixels"),
        (png(bytes([5, 0, 0, 0, 0, 0]), 2, 2), "has a row with an unknown filter"),
        (
            GOOD[:8] + chunk(b"IHDR", struct.pack(">II5B", 2, 2, 8, 0, 0, 0, 0))
            + chunk(b"IDAT", b"nothing") + chunk(b"IEND", b""),
            "a PNG image is damaged: Error -3",
        ),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said(blob: bytes, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        read_grey_pngs([GOOD, blob], 2, 2)


def test_a_good_image_by_hand() -> None:
    assert read_grey_pngs([GOOD, GOOD], 2, 2).tolist() == [[[1, 2], [3, 4]]] * 2
