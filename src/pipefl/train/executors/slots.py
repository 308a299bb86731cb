"""Tensors in memory that several processes see: slots of equal size in one nameless file."""

import mmap
import os
import weakref
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from pipefl.data.mapping import nameless_file


class Slots:
    """One process's view of a file of slots, each of them room for `rows` × `columns` float32.

    Slots are mapped when they are first asked for, in extents of 1, 2, 4, 8, … of them:
    every mapping keeps a file open, and there may be a thousand versions of a model.
    """

    def __init__(self, number: int, rows: int, columns: int) -> None:
        self.number = number
        self.rows = rows
        self.columns = columns
        page = mmap.ALLOCATIONGRANULARITY
        self.num_bytes = -(-rows * columns * 4 // page) * page
        self._extents: dict[int, NDArray[np.float32]] = {}

    def tensor(self, slot: int, rows: int) -> Tensor:
        """The first rows of a slot."""
        return torch.from_numpy(self.array(slot, rows))

    def array(self, slot: int, rows: int) -> NDArray[np.float32]:
        """The same as a new array over the same memory."""
        extent, first = _extent_of(slot)
        if extent not in self._extents:
            self._extents[extent] = self._mapped(extent, first)
        return self._extents[extent][slot - first, :rows]

    def forget(self) -> None:
        """Let go of all mappings that nobody holds."""
        self._extents.clear()

    def _mapped(self, extent: int, first: int) -> NDArray[Any]:
        num_slots, size = 1 << extent, self.num_bytes
        mapping = mmap.mmap(self.number, num_slots * size, offset=first * size)
        shape, strides = (num_slots, self.rows, self.columns), (size, self.columns * 4, 4)
        return np.ndarray(shape, np.float32, mapping, strides=strides)


class Lender:
    """Lends the slots of a new file, which grows as more are out at once.

    It takes memory only where slots have been written to.
    """

    def __init__(self, rows: int, columns: int) -> None:
        self.slots = Slots(nameless_file(), rows, columns)
        self._free: list[int] = []
        self._num_extents = 0

    def take(self) -> int:
        """A slot that nobody has."""
        if not self._free:
            first, following = (1 << self._num_extents) - 1, (2 << self._num_extents) - 1
            os.ftruncate(self.slots.number, following * self.slots.num_bytes)
            self._free = list(reversed(range(first, following)))
            self._num_extents += 1
        return self._free.pop()

    def give_back(self, slot: int) -> None:
        """Others may have it now."""
        self._free.append(slot)

    def lent(self, slot: int, rows: int) -> Tensor:
        """A slot's first rows; it comes back by itself when nobody holds the tensor."""
        array = self.slots.array(slot, rows)
        weakref.finalize(array, self.give_back, slot)
        return torch.from_numpy(array)

    def close(self) -> None:
        """Nobody will ask for a slot again; what is held still lives as long as it is."""
        os.close(self.slots.number)
        self.slots.forget()


def _extent_of(slot: int) -> tuple[int, int]:
    """Which extent a slot is in, and the first slot there.

    >>> [_extent_of(slot) for slot in range(5)]
    [(0, 0), (1, 1), (1, 1), (2, 3), (2, 3)]
    """
    extent = (slot + 1).bit_length() - 1
    return extent, (1 << extent) - 1
