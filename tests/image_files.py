"""Small files in the layouts in which images of digits are handed out."""

import gzip
import struct
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

_CODES = {"u1": 0x08, "i1": 0x09, "i2": 0x0B, "i4": 0x0C, "f4": 0x0D, "f8": 0x0E}


def idx_bytes(array: NDArray[np.generic]) -> bytes:
    """The array as MNIST's page describes the format."""
    code = _CODES[array.dtype.str[1:]]
    header = struct.pack(f">4B{array.ndim}I", 0, 0, code, array.ndim, *array.shape)
    return header + array.astype(array.dtype.newbyteorder(">")).tobytes()


def labels_of(num_samples: int, seed: int) -> NDArray[np.uint8]:
    """Labels of all ten digits in random order."""
    return np.random.default_rng(seed).permutation(np.arange(num_samples) % 10).astype(np.uint8)


def numbered_images(labels: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Black images that show their label and their own number in three pixels."""
    images = np.zeros((labels.size, 28, 28), np.uint8)
    number = np.arange(labels.size)
    images[:, 10, 10] = labels
    images[:, 10, 11], images[:, 10, 12] = number // 256, number % 256
    return images


def numbers_of(images: NDArray[np.uint8]) -> NDArray[np.int64]:
    """The numbers of such images."""
    return images[:, 10, 11].astype(np.int64) * 256 + images[:, 10, 12]


def write_small_mnist(folder: Path, num_train: int = 200, num_test: int = 50) -> None:
    """Files of MNIST's names with numbered images, half of them packed."""
    place = folder / "mnist"
    place.mkdir(parents=True)
    for part, size in (("train", num_train), ("t10k", num_test)):
        labels = labels_of(size, seed=size)
        images = idx_bytes(numbered_images(labels))
        (place / f"{part}-images-idx3-ubyte.gz").write_bytes(gzip.compress(images))
        (place / f"{part}-labels-idx1-ubyte").write_bytes(idx_bytes(labels))


def write_writer_rows(
    folder: Path, name: str, classes: NDArray[np.uint8], writers: list[tuple[int, int]]
) -> None:
    """A label file as QMNIST's: class, series and writer of each digit, and five more columns."""
    rows = np.full((classes.size, 8), 77, np.int32)
    rows[:, 0] = classes
    rows[:, 1:3] = writers
    place = folder / "nist-writers"
    place.mkdir(parents=True, exist_ok=True)
    (place / name).write_bytes(idx_bytes(rows))
