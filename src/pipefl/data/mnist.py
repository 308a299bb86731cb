"""MNIST dealt to clients: 70,000 handwritten digits, 60,000 of them to train with."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pipefl.data.entry import Choices
from pipefl.data.federated import FederatedDataset, Samples
from pipefl.data.folder import data_folder
from pipefl.data.gathering import gathered, some_test_samples
from pipefl.data.idx import find_idx, read_idx
from pipefl.data.partition import draw_partition
from pipefl.errors import InputFileError

NUM_CLASSES = 10
PAPERS_PARTITION = "sizes:10:70"
_PAPERS_CLIENTS = 1500
_SOURCE = "MNIST, handwritten digits (LeCun, Cortes, Burges)"


@dataclass(frozen=True, eq=False)
class Digits:
    """Samples to train and to test with, of nobody yet, and what they are."""

    source: str
    train: Samples
    test: Samples


def mnist(choices: Choices) -> FederatedDataset:
    """MNIST by any partition; unless chosen, 1,500 clients of 10 to 70 images (the paper's).

    `partition="writers"` gives each image to the person who wrote it: see
    `pipefl.data.writers`. Paper: sec:simulations.
    """
    if choices.partition == "writers":
        from pipefl.data.writers import mnist_by_writer

        return mnist_by_writer("mnist", choices)
    digits = read_mnist(data_folder(), "mnist")
    return dealt("mnist", digits, choices, num_clients=_PAPERS_CLIENTS)


def read_mnist(folder: Path, dataset: str) -> Digits:
    """The four idx files of MNIST, packed or not; `dataset` is what `pipefl data get` is told."""
    place = folder / "mnist"
    train = _samples(place, "train", dataset)
    return Digits(_SOURCE, train, _samples(place, "t10k", dataset))


def dealt(name: str, digits: Digits, choices: Choices, *, num_clients: int) -> FederatedDataset:
    """Digits dealt by the chosen partition, or the paper's, to the chosen number of clients.

    The images are brought into the order of the clients, once.
    """
    partition = choices.partition or PAPERS_PARTITION
    clients = num_clients if choices.num_clients is None else choices.num_clients
    deal = draw_partition(partition, digits.train.targets, clients, choices.seed)
    return FederatedDataset(
        name=name,
        kind="images",
        source=f"{digits.source}, dealt by {partition}",
        train=gathered(digits.train, deal.order),
        offset=deal.offset,
        test=some_test_samples(digits.test, choices.test_samples),
        num_classes=NUM_CLASSES,
        client_id=np.array([str(m) for m in range(clients)], object),
        notes=dict(deal.notes),
    )


def _samples(place: Path, part: str, dataset: str) -> Samples:
    image_path = find_idx(place, f"{part}-images-idx3-ubyte", dataset)
    label_path = find_idx(place, f"{part}-labels-idx1-ubyte", dataset)
    images = read_idx(image_path, np.uint8, (None, 28, 28))
    labels = read_idx(label_path, np.uint8, (None,))
    if len(images) != len(labels) or not len(images):
        text = f"{len(labels):,} labels for the {len(images):,} images of {image_path.name}"
        raise InputFileError(f"{label_path}: {text}")
    if labels.max() >= NUM_CLASSES:
        raise InputFileError(f"{label_path}: a label is {labels.max()}; expected were 0 to 9")
    return Samples(images, labels)
