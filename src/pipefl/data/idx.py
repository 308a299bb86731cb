"""Files in the idx format of MNIST: one array with its type and its dimensions."""

import bz2
import lzma
import math
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from pipefl.errors import InputFileError, MissingFileError

# The third byte of a file says what the numbers are; all are big-endian.
_TYPES = {0x08: ">u1", 0x09: ">i1", 0x0B: ">i2", 0x0C: ">i4", 0x0D: ">f4", 0x0E: ">f8"}
_PACKINGS = ("", ".gz", ".bz2", ".xz")
_TORCHVISION = Path("MNIST", "raw")


class _Unpacker(Protocol):
    @property
    def eof(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, /) -> bytes: ...


# A file is unpacked by what it begins with: browsers unpack `.gz` files and keep the name.
_UNPACKERS: dict[bytes, tuple[str, Callable[[], _Unpacker]]] = {
    b"\x1f\x8b": ("gzip", lambda: zlib.decompressobj(wbits=31)),
    b"BZh": ("bzip2", bz2.BZ2Decompressor),
    b"\xfd7zXZ\x00": ("xz", lambda: lzma.LZMADecompressor(format=lzma.FORMAT_XZ)),
}


def find_idx(folder: Path, name: str, dataset: str) -> Path:
    """The path of an idx file: as `name` or packed, spelt with a dot or not, in either layout.

    Looked for are `train-images-idx3-ubyte` and `train-images.idx3-ubyte`, each as it is or
    with `.gz`, `.bz2` or `.xz`, in `folder` and in torchvision's `MNIST/raw` in or beside it. The
    first that is there is it; if none is, the error says where it was looked for, and that
    `pipefl data get DATASET` fetches it.
    """
    folders = [folder, folder / _TORCHVISION, folder.parent / _TORCHVISION]
    spellings = [name, name.replace("-idx", ".idx")]
    for place in folders:
        for spelling in spellings:
            for packing in _PACKINGS:
                path = place / f"{spelling}{packing}"
                if path.is_file():
                    return path
    names = f"{spellings[0]} or {spellings[1]}, as it is or with .gz, .bz2 or .xz"
    places = f"{folders[0]}, {folders[1]} or {folders[2]}"
    raise MissingFileError(f"no file {names}, in {places}; `pipefl data get {dataset}` fetches it")


def read_idx(path: Path, dtype: type[np.generic], shape: Sequence[int | None]) -> NDArray[Any]:
    """The array of an idx file, which must be of this type and shape; None fits any length.

    A file is two bytes of 0, one for the type, one for the number D of dimensions, D lengths
    of 4 bytes, and the numbers, big-endian, the last dimension fastest. The file must end
    with the last of them. O(bytes).
    """
    data = _unpacked(path)
    numbers, lengths = _header(path, data)
    wanted = np.dtype(dtype)
    fits = len(lengths) == len(shape) and all(
        expected in (None, length) for length, expected in zip(lengths, shape, strict=True)
    )
    if not fits or numbers.newbyteorder("=") != wanted:
        expected = f"{wanted} of {_product(shape)}"
        there = f"{numbers.newbyteorder('=')} of {_product(lengths)}"
        raise InputFileError(f"{path}: the file holds {there}; expected were {expected}")
    begin = 4 + 4 * len(lengths)
    end = begin + math.prod(lengths) * numbers.itemsize
    if len(data) != end:
        kind = "is truncated" if len(data) < end else "goes on after its end"
        text = f"{len(data):,} bytes unpacked where {end:,} are due"
        raise InputFileError(f"{path}: the file {kind}: {text}")
    array = np.frombuffer(data, numbers, offset=begin).reshape(lengths)
    return array.astype(wanted, copy=False)


def _unpacked(path: Path) -> bytes:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputFileError(f"{path}: the file cannot be read: {error.strerror}") from None
    for magic, (kind, unpacker) in _UNPACKERS.items():
        if data.startswith(magic):
            return _unpack(path, data, kind, unpacker())
    return data


def _unpack(path: Path, packed: bytes, kind: str, unpacker: _Unpacker) -> bytes:
    # Not gzip.open or lzma.open: they pass over some of what may follow the end.
    try:
        data = unpacker.decompress(packed)
    except (zlib.error, lzma.LZMAError, OSError) as error:  # bz2 says OSError
        raise InputFileError(f"{path}: the {kind} file is damaged: {error}") from None
    if not unpacker.eof:
        raise InputFileError(f"{path}: the {kind} file is truncated at {len(packed):,} bytes")
    if unpacker.unused_data:
        extra = len(unpacker.unused_data)
        raise InputFileError(f"{path}: {extra:,} bytes follow the end of the {kind} file")
    return data


def _header(path: Path, data: bytes) -> tuple[np.dtype[Any], tuple[int, ...]]:
    if len(data) < 4 or data[:2] != b"\0\0" or data[2] not in _TYPES or data[3] == 0:
        begins = data[:4].hex(" ") or "nothing"
        types = ", ".join(f"{code:02x}" for code in _TYPES)
        raise InputFileError(
            f"{path}: not an idx file: it begins with {begins} where 00 00, a type ({types}) "
            "and a number of dimensions were expected"
        )
    if len(data) < 4 + 4 * data[3]:
        raise InputFileError(f"{path}: the file is truncated within its {data[3]} dimensions")
    lengths = np.frombuffer(data, ">u4", count=data[3], offset=4)
    return np.dtype(_TYPES[data[2]]), tuple(lengths.tolist())


def _product(lengths: Sequence[int | None]) -> str:
    return " × ".join("any" if length is None else f"{length:,}" for length in lengths)
