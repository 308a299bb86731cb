"""A stand-in for federated EMNIST: NIST's writers with their label counts, MNIST's images."""

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
from pipefl.data.mnist import NUM_CLASSES, read_mnist
from pipefl.data.writers import CLASS, by_writer, read_writer_rows
from pipefl.errors import PipeflError
from pipefl.randomness import generator

_LABELS_NAME = "xnist-labels-idx2-int"


def nist_sizes(choices: Choices) -> FederatedDataset:
    """The 3,579 writers of NIST's 402,953 digits, 11 to 213 each, with images of MNIST.

    Sizes and label counts are real; the images are not the writer's own, so that clients
    differ in their labels and not in their hands. It stands in for federated EMNIST, which
    comes from the same forms, where that cannot be had. `seed` deals the images; whom
    `num_clients` leaves out does not change what the others have.
    """
    refuse_partition("nist-sizes", choices.partition)
    folder = data_folder()
    digits = read_mnist(folder, "nist-sizes")
    _, rows = read_writer_rows(folder, _LABELS_NAME, "nist-sizes")
    order, offset, names = by_writer(rows)
    images = images_for(rows[order, CLASS], digits.train.targets, choices.seed)
    chosen = some_clients(choices.num_clients, names.size, choices.seed)
    images = images[slices(offset, chosen)]
    again = images.size - np.unique(images).size
    return FederatedDataset(
        name="nist-sizes",
        kind="images",
        source="stand-in for federated EMNIST: sizes and label counts of NIST's writers (QMNIST), "
        "images of MNIST",
        train=gathered(digits.train, images),
        offset=offsets(np.diff(offset)[chosen]),
        test=some_test_samples(digits.test, choices.test_samples),
        num_classes=NUM_CLASSES,
        client_id=names[chosen],
        notes={
            "stand-in": "the images are not by the clients' writers: only sizes and labels are",
            "repeats": f"{again:,} of the {images.size:,} images are repeats of others",
        },
    )


def images_for(wanted: NDArray[Any], labels: NDArray[np.integer], seed: int) -> NDArray[np.int64]:
    """For every wanted label, an image with that label.

    The images of a label are put in random order and gone through again and again, so that
    none is taken twice before all are taken once, and none twice by a client who wants fewer
    than there are. O(S).

    >>> images_for(np.array([5, 5, 6]), np.array([5, 6]), seed=0)
    array([0, 0, 1])
    """
    images = np.empty(wanted.size, np.int64)
    rng = generator(seed, "partition")
    for label in range(NUM_CLASSES):
        places = np.flatnonzero(wanted == label)
        there = rng.permutation(np.flatnonzero(labels == label))
        if places.size and not there.size:
            raise PipeflError(f"there are no images of the label {label} to deal")
        images[places] = np.resize(there, places.size)
    return images
