"""MNIST by the people who wrote it, as the QMNIST project has traced them in NIST's files."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pipefl.data.dealing import offsets
from pipefl.data.entry import Choices
from pipefl.data.federated import FederatedDataset
from pipefl.data.folder import data_folder
from pipefl.data.gathering import (
    gathered,
    refuse_partition,
    slices,
    some_clients,
    some_test_samples,
)
from pipefl.data.idx import find_idx, read_idx
from pipefl.data.mnist import NUM_CLASSES, read_mnist
from pipefl.errors import InputFileError

# Columns of QMNIST's label files.
CLASS, _SERIES, _WRITER = 0, 1, 2
_NUM_COLUMNS = 8
_LABELS_NAME = "qmnist-train-labels-idx2-int"


def nist_writers(choices: Choices) -> FederatedDataset:
    """The 539 writers of MNIST's training images, 19 to 131 images each; nobody wrote both parts.

    A writer is a number within one series of NIST's forms (HSF, handwriting sample form):
    `hsf4-2154`. The test images are MNIST's, by 297 others.
    """
    refuse_partition("nist-writers", choices.partition)
    return mnist_by_writer("nist-writers", choices)


def mnist_by_writer(name: str, choices: Choices) -> FederatedDataset:
    """The same under any name."""
    folder = data_folder()
    digits = read_mnist(folder, name)
    path, rows = read_writer_rows(folder, _LABELS_NAME, "nist-writers")
    wrong = len(rows) != len(digits.train) or bool((rows[:, CLASS] != digits.train.targets).any())
    if wrong:
        text = "the classes there are not the labels of the MNIST training images, in their order"
        raise InputFileError(f"{path}: {text}")
    order, offset, names = by_writer(rows)
    chosen = some_clients(choices.num_clients, names.size, choices.seed)
    return FederatedDataset(
        name=name,
        kind="images",
        source=f"{digits.source}, each with the person who wrote it (QMNIST)",
        train=gathered(digits.train, order[slices(offset, chosen)]),
        offset=offsets(np.diff(offset)[chosen]),
        test=some_test_samples(digits.test, choices.test_samples),
        num_classes=NUM_CLASSES,
        client_id=names[chosen],
    )


def read_writer_rows(folder: Path, name: str, dataset: str) -> tuple[Path, NDArray[Any]]:
    """One of QMNIST's label files and its rows, a digit each: class, series, writer and more."""
    path = find_idx(folder / "nist-writers", name, dataset)
    rows = read_idx(path, np.int32, (None, _NUM_COLUMNS))
    columns = rows[:, : _WRITER + 1]
    if not len(rows) or columns.min() < 0 or columns[:, CLASS].max() >= NUM_CLASSES:
        raise InputFileError(f"{path}: not QMNIST's labels: expected were classes 0 to 9")
    return path, rows


def by_writer(
    rows: NDArray[Any],
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.object_]]:
    """All rows, writer after writer; where each writer begins; the writers' names.

    Writers come by series and number, and each one's rows in the order of the file.
    O(S log S) for S rows.

    >>> rows = np.array([[7, 4, 12], [3, 0, 5], [1, 4, 12]])
    >>> by_writer(rows)
    (array([1, 0, 2]), array([0, 1, 3]), array(['hsf0-5', 'hsf4-12'], dtype=object))
    """
    series, writer = rows[:, _SERIES], rows[:, _WRITER]
    order = np.lexsort((writer, series))
    keys = np.stack([series[order], writer[order]], axis=1)
    begins = np.flatnonzero(np.append(True, (keys[1:] != keys[:-1]).any(axis=1)))
    names = [f"hsf{s}-{w}" for s, w in keys[begins].tolist()]
    return order, np.append(begins, len(rows)), np.array(names, object)
