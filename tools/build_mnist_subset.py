"""Build the part of MNIST that comes with PipeFL: `python tools/build_mnist_subset.py`.

It reads the files of MNIST below $PIPEFL_DATA, draws a stratified part with seed 0 and writes
two packed idx files beside `src/pipefl/data/mnist_subset.py`, which must be told their sums.
The same files come out of every run with the same versions of numpy's generators and of liblzma.
"""

import hashlib
import lzma
import struct
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pipefl.data.federated import Samples
from pipefl.data.folder import data_folder
from pipefl.data.mnist import Digits, read_mnist
from pipefl.data.mnist_subset import IMAGES, LABELS, NUM_TRAIN
from pipefl.randomness import generator

NUM_TEST = 1500
HERE = Path(__file__).parents[1] / "src" / "pipefl" / "data"
# A pixel says much about the next one and nothing about its alignment: this saves 1 %.
FILTERS = [{"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME, "lc": 4, "lp": 0, "pb": 0}]


def main() -> None:
    """Write both files and print their sums."""
    drawn = subset(read_mnist(data_folder(), "mnist"))
    for name, array in ((IMAGES, drawn.inputs), (LABELS, drawn.targets)):
        content = lzma.compress(idx(array), format=lzma.FORMAT_XZ, filters=FILTERS)
        (HERE / name).write_bytes(content)
        print(f"{name}  {len(content):,} bytes  {hashlib.sha256(content).hexdigest()}")


def subset(digits: Digits) -> Samples:
    """What is drawn of all: the samples to train with, then those to test with."""
    train = stratified(digits.train, NUM_TRAIN, "embedded train")
    test = stratified(digits.test, NUM_TEST, "embedded test")
    return Samples(
        np.concatenate([train.inputs, test.inputs]), np.concatenate([train.targets, test.targets])
    )


def stratified(samples: Samples, size: int, purpose: str) -> Samples:
    """Samples drawn at random, each label as often in proportion as among all."""
    rng = generator(0, purpose)
    shuffled = rng.permutation(len(samples))
    by_label = shuffled[np.argsort(samples.targets[shuffled], kind="stable")]
    # Every (S/size)-th of the samples sorted by label: no label is off by more than one.
    every = (np.arange(size) * len(samples) + len(samples) // 2) // size
    drawn = rng.permutation(by_label[every])
    return Samples(samples.inputs[drawn], samples.targets[drawn])


def idx(array: NDArray[np.uint8]) -> bytes:
    """The array as an idx file."""
    header = struct.pack(f">4B{array.ndim}I", 0, 0, 8, array.ndim, *array.shape)
    return header + array.tobytes()


if __name__ == "__main__":
    main()
