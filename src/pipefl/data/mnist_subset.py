"""A part of MNIST that comes with PipeFL, so that a first trial needs no download."""

from pathlib import Path

import numpy as np

from pipefl.data.checksums import file_sha256
from pipefl.data.entry import Choices
from pipefl.data.federated import FederatedDataset, Samples
from pipefl.data.idx import read_idx
from pipefl.data.mnist import Digits, dealt
from pipefl.errors import InputFileError

# Both files hold the training samples first; `tools/build_mnist_subset.py` writes them.
IMAGES = "mnist_subset-images-idx3-ubyte.xz"
LABELS = "mnist_subset-labels-idx1-ubyte.xz"
SHA256 = {
    IMAGES: "7ba2c36f034eaae7d1f3fdc337544d696f06f0658eb5032ff957bd4bff69adb0",
    LABELS: "f37b65aecad682cd6c8edbaf7da560158237c7602d4cc29bc4a135c8e894d55b",
}
NUM_TRAIN = 9000
_NUM_CLIENTS = 200
_SOURCE = "a part of MNIST that comes with PipeFL (LeCun, Cortes, Burges; CC BY-SA 3.0)"


def mnist_subset(choices: Choices) -> FederatedDataset:
    """9,000 training and 1,500 test images of MNIST, with its shares of the labels.

    Any partition of MNIST; unless chosen, 200 clients of 10 to 70 images, for whom the images
    suffice. It is for trials, examples and tests: results on MNIST itself are better, and
    only those compare with others'.

    >>> dataset = mnist_subset(Choices())
    >>> dataset.num_clients, len(dataset.train), dataset.notes
    (200, 7903, {'unused': "1,097 of the 9,000 samples are nobody's"})
    """
    return dealt("mnist-subset", read_subset(), choices, num_clients=_NUM_CLIENTS)


def read_subset() -> Digits:
    """The samples, after a look at the files' sums."""
    folder = Path(__file__).parent
    for name, sha256 in SHA256.items():
        path = folder / name
        if not path.is_file() or file_sha256(path) != sha256:
            kind = "the file has changed" if path.exists() else "the file is missing"
            raise InputFileError(f"{path}: {kind}; install PipeFL anew")
    images = read_idx(folder / IMAGES, np.uint8, (None, 28, 28))
    labels = read_idx(folder / LABELS, np.uint8, (None,))
    samples = Samples(images, labels)
    return Digits(_SOURCE, samples[:NUM_TRAIN], samples[NUM_TRAIN:])
