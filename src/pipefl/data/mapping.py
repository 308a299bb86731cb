"""Arrays that several processes hold without a copy: nameless files, mapped into memory."""

import mmap
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray


@dataclass(frozen=True)
class Handle:
    """Where another process finds an array: in a file that it opens or inherits, from `offset`.

    `file` is a path, or the number of an open file.
    """

    file: Path | int
    offset: int
    shape: tuple[int, ...]
    dtype: str

    def opened(self) -> NDArray[Any]:
        """The array, mapped read-only."""
        dtype = np.dtype(self.dtype)
        num_bytes = int(np.prod(self.shape, dtype=np.int64)) * dtype.itemsize
        if num_bytes == 0:
            return np.zeros(self.shape, dtype)
        number = self.file if isinstance(self.file, int) else os.open(self.file, os.O_RDONLY)
        try:
            length = self.offset + num_bytes
            mapping = mmap.mmap(number, length, prot=mmap.PROT_READ)
        finally:
            if not isinstance(self.file, int):
                os.close(number)
        return np.ndarray(self.shape, dtype, mapping, self.offset)


class _Mapping(mmap.mmap):
    """A mapping that knows its file."""

    number: int

    def __del__(self) -> None:
        os.close(self.number)


def mapped_array(shape: int | tuple[int, ...], dtype: DTypeLike) -> NDArray[Any]:
    """An array of zeros in a nameless file, which is gone when the last holder is.

    It takes memory only where it has been written to.

    >>> array = mapped_array((2, 3), np.uint8)
    >>> array[1] = 7
    >>> handle_of(array).opened()
    array([[0, 0, 0],
           [7, 7, 7]], dtype=uint8)
    """
    kind = np.dtype(dtype)
    dimensions = (shape,) if isinstance(shape, int) else tuple(shape)
    num_bytes = int(np.prod(dimensions, dtype=np.int64)) * kind.itemsize
    if num_bytes == 0:
        return np.zeros(dimensions, kind)
    number = nameless_file()
    os.ftruncate(number, num_bytes)
    mapping = _Mapping(number, num_bytes)
    mapping.number = number
    return np.ndarray(dimensions, kind, mapping)


def nameless_file() -> int:
    """The number of a new file in memory that no folder lists; whoever asks for it closes it."""
    if hasattr(os, "memfd_create"):
        return os.memfd_create("pipefl")
    with tempfile.TemporaryFile() as file:
        return os.dup(file.fileno())


def mapped(array: ArrayLike) -> NDArray[Any]:
    """The array itself if others can map it, else a copy that they can."""
    given = np.asarray(array)
    if given.size == 0 or _place(given) is not None:
        return given
    copy = mapped_array(given.shape, given.dtype)
    copy[...] = given
    return copy


def handle_of(array: NDArray[Any]) -> Handle:
    """Where others find an array that came from `mapped_array`, `mapped` or `numpy.memmap`."""
    file, offset = (0, 0) if array.size == 0 else _needed_place(array)
    return Handle(file, offset, array.shape, array.dtype.str)


def _needed_place(array: NDArray[Any]) -> tuple[Path | int, int]:
    place = _place(array)
    if place is None:
        raise ValueError("this array is in no file: take mapped(array)")
    return place


def _place(array: NDArray[Any]) -> tuple[Path | int, int] | None:
    """The file of a contiguous array's memory, and the byte at which the array begins there."""
    if not array.flags.c_contiguous:
        return None
    owner: Any = array
    while isinstance(owner.base, np.ndarray):
        owner = owner.base
    begin = array.__array_interface__["data"][0] - owner.__array_interface__["data"][0]
    if isinstance(owner.base, _Mapping):
        return owner.base.number, begin
    # What is written to a copy-on-write map never reaches its file.
    in_file = isinstance(owner, np.memmap) and owner.filename is not None and owner.mode != "c"
    if in_file:
        return Path(owner.filename), int(owner.offset) + begin
    return None
