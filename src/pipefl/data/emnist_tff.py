"""Federated EMNIST as TensorFlow Federated hands it out: in HDF5, or in SQLite."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from pipefl.data.handwriting import Handwriting, Writer, digits_of
from pipefl.data.tff_hdf5 import hdf5_clients
from pipefl.data.tff_sqlite import sqlite_clients
from pipefl.errors import InputFileError

_PIXELS, _LABEL = "pixels", "label"


def from_hdf5(paths: Sequence[Path]) -> Handwriting:
    """The files of the digits, `…_train.h5` and `…_test.h5`: `examples/<writer>/pixels, label`.

    Pixels are 28 × 28 real numbers with the paper 1 and the ink 0.
    """
    train, test = paths
    return Handwriting("TensorFlow Federated's HDF5 files", _in_hdf5(train), _in_hdf5(test))


def from_sqlite(paths: Sequence[Path]) -> Handwriting:
    """The one file `emnist_all.sqlite` with its splits `digits_only_train` and `…_test`.

    An example has 784 pixels and a label.
    """
    (path,) = paths
    return Handwriting(
        "TensorFlow Federated's SQLite file",
        _in_sqlite(path, "digits_only_train"),
        _in_sqlite(path, "digits_only_test"),
    )


def _in_hdf5(path: Path) -> Iterator[Writer]:
    for name, arrays in hdf5_clients(path, (_PIXELS, _LABEL)):
        yield name, digits_of(f"{path}: writer {name!r}", arrays[_PIXELS], arrays[_LABEL])


def _in_sqlite(path: Path, split: str) -> Iterator[Writer]:
    for name, examples in sqlite_clients(path, split):
        place = f"{path}: writer {name!r}"
        if not all(_PIXELS in example and _LABEL in example for example in examples):
            raise InputFileError(f"{place}: an example has no features `pixels` and `label`")
        pixels = [np.asarray(example[_PIXELS]) for example in examples]
        labels = [np.asarray(example[_LABEL]) for example in examples]
        yield name, digits_of(place, pixels, labels)
