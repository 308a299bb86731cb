"""PNG images of one size, in 8-bit grey, many at a time."""

import struct
import zlib
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

_SIGNATURE = b"\x89PNG\r\n\x1a\n"


def read_grey_pngs(blobs: Sequence[bytes], height: int, width: int) -> NDArray[np.uint8]:
    r"""The pixels of PNG images of H × W bytes; what is not one is a `ValueError`.

    .. math:: x = r + f(a, b, c) \bmod 256, \qquad f \in
        \{0,\; a,\; b,\; \lfloor (a + b) / 2 \rfloor,\; \mathrm{Paeth}(a, b, c)\}

    Legend: x a pixel; r what is stored for it; f the filter of its row; a, b, c the pixels to
    the left, above, and above to the left, 0 outside the image (PNG specification, 9).

    A pixel follows from its neighbours, so that the work goes pixel by pixel, but for all
    images at once. O(bytes), of which most is decompression.
    """
    rows = np.empty((len(blobs), height, width + 1), np.uint8)
    for i, blob in enumerate(blobs):
        rows[i] = np.frombuffer(_stored(blob, height, width), np.uint8).reshape(rows.shape[1:])
    filters, stored = rows[:, :, 0], rows[:, :, 1:]
    if filters.size and filters.max() > 4:
        raise ValueError("a PNG image has a row with an unknown filter")
    # A border of zeros above and to the left, and signed numbers for the differences.
    pixels = np.zeros((height + 1, width + 1, len(blobs)), np.int16)
    residue = np.ascontiguousarray(stored.transpose(1, 2, 0)).astype(np.int16)
    for y in range(height):
        kind = filters[:, y]
        for x in range(width):
            a, b, c = pixels[y + 1, x], pixels[y, x + 1], pixels[y, x]
            predictions = [np.zeros_like(a), a, b, (a + b) >> 1, _paeth(a, b, c)]
            predicted: NDArray[np.int16] = np.choose(kind, predictions)
            pixels[y + 1, x + 1] = (residue[y, x] + predicted) & 255
    return np.ascontiguousarray(pixels[1:, 1:].transpose(2, 0, 1)).astype(np.uint8)


def _paeth(a: NDArray[np.int16], b: NDArray[np.int16], c: NDArray[np.int16]) -> NDArray[np.int16]:
    """Whichever of a, b and c is nearest to a + b − c, in this order among equals."""
    to_a, to_b, to_c = abs(b - c), abs(a - c), abs(a + b - 2 * c)
    nearest: NDArray[np.int16] = np.where(
        (to_a <= to_b) & (to_a <= to_c), a, np.where(to_b <= to_c, b, c)
    )
    return nearest


def _stored(blob: bytes, height: int, width: int) -> bytes:
    """The rows as they are stored: a byte for the filter and the residues."""
    parts = list(_chunks(blob))
    expected = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    if not parts or parts[0] != (b"IHDR", expected):
        raise ValueError(f"a PNG image is not {height} × {width} in 8-bit grey, not interlaced")
    if parts[-1][0] != b"IEND":
        raise ValueError("a PNG image is truncated")
    try:
        content = zlib.decompress(b"".join(data for kind, data in parts if kind == b"IDAT"))
    except zlib.error as error:
        raise ValueError(f"a PNG image is damaged: {error}") from None
    if len(content) != height * (width + 1):
        raise ValueError(f"a PNG image has {len(content)} bytes for {height} × {width} pixels")
    return content


def _chunks(blob: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Kind and data of each chunk, their sums checked."""
    if not blob.startswith(_SIGNATURE):
        raise ValueError(f"not a PNG image: it begins with {blob[:8].hex(' ') or 'nothing'}")
    position = len(_SIGNATURE)
    while position < len(blob):
        end = position + 12
        if end <= len(blob):
            end += int.from_bytes(blob[position : position + 4])
        if end > len(blob):
            raise ValueError("a PNG image is truncated")
        kind, data = blob[position + 4 : position + 8], blob[position + 8 : end - 4]
        if zlib.crc32(kind + data) != int.from_bytes(blob[end - 4 : end]):
            raise ValueError("a PNG image is damaged: the sum of a chunk is wrong")
        yield kind, data
        position = end
