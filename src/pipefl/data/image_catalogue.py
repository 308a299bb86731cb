"""The datasets of images by name."""

from pipefl.data.emnist import emnist
from pipefl.data.entry import DatasetEntry
from pipefl.data.image_sources import EMNIST, MNIST, QMNIST, XNIST
from pipefl.data.mnist import mnist
from pipefl.data.mnist_subset import mnist_subset
from pipefl.data.nist_sizes import nist_sizes
from pipefl.data.writers import nist_writers

IMAGES: dict[str, DatasetEntry] = {
    entry.name: entry
    for entry in (
        DatasetEntry(
            "mnist",
            "MNIST digits dealt to 1,500 clients of 10 to 70 each, as in the paper",
            "images",
            (MNIST,),
            mnist,
        ),
        DatasetEntry(
            "mnist-subset",
            "a part of MNIST that comes with PipeFL, for trials without downloads",
            "images",
            (),
            mnist_subset,
        ),
        DatasetEntry(
            "emnist",
            "federated EMNIST digits: everybody's own handwriting",
            "images",
            (EMNIST,),
            emnist,
        ),
        DatasetEntry(
            "nist-writers",
            "MNIST digits by the 539 people who wrote them",
            "images",
            (MNIST, QMNIST),
            nist_writers,
        ),
        DatasetEntry(
            "nist-sizes",
            "a stand-in for federated EMNIST: the label counts of all 3,579 writers of NIST's "
            "digits, with images of MNIST",
            "images",
            (MNIST, XNIST),
            nist_sizes,
        ),
    )
}
