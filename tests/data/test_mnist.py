import gzip
from pathlib import Path

import numpy as np
import pytest

from image_files import idx_bytes, labels_of, numbered_images, numbers_of, write_small_mnist
from pipefl.data.entry import Choices
from pipefl.data.mapping import handle_of
from pipefl.data.mnist import mnist
from pipefl.data.partition import draw_partition
from pipefl.errors import ArgumentError, InputFileError, MissingFileError


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_small_mnist(tmp_path)
    monkeypatch.setenv("PIPEFL_DATA", str(tmp_path))
    return tmp_path


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("partition", ["sizes:10:70", "iid", "dirichlet:0.3", "shards:2"])
def test_clients_have_the_samples_that_they_were_dealt(partition: str) -> None:
    dataset = mnist(Choices(partition=partition, num_clients=20, seed=3))
    deal = draw_partition(partition, labels_of(200, seed=200), num_clients=20, seed=3)
    assert dataset.num_clients == 20
    assert numbers_of(dataset.train.inputs).tolist() == deal.order.tolist()
    assert dataset.offset.tolist() == deal.offset.tolist()
    assert dataset.notes == deal.notes
    assert dataset.client_id.tolist() == [str(m) for m in range(20)]
    assert dataset.source.endswith(f"dealt by {partition}")
    for samples in (dataset.train, dataset.test):  # an image shows its label
        np.testing.assert_array_equal(samples.inputs[:, 10, 10], samples.targets)
    assert numbers_of(dataset.test.inputs).tolist() == list(range(50))


@pytest.mark.usefixtures("small")
def test_a_part_of_the_test_samples() -> None:
    first, second = (mnist(Choices(test_samples=20, seed=seed)).test for seed in (0, 1))
    assert len(set(numbers_of(first.inputs).tolist())) == 20
    assert numbers_of(first.inputs).tolist() == numbers_of(second.inputs).tolist()
    np.testing.assert_array_equal(first.inputs[:, 10, 10], first.targets)


@pytest.mark.usefixtures("small")
def test_a_partition_that_there_is_not() -> None:
    with pytest.raises(ArgumentError, match="did you mean dirichlet"):
        mnist(Choices(partition="dirichlett:1"))


def test_files_that_do_not_fit_together(small: Path) -> None:
    labels = small / "mnist" / "train-labels-idx1-ubyte"
    labels.write_bytes(idx_bytes(labels_of(199, seed=0)))
    with pytest.raises(InputFileError, match="train-labels.*: 199 labels for the 200 images of tr"):
        mnist(Choices())
    labels.write_bytes(idx_bytes(np.full(200, 10, np.uint8)))
    with pytest.raises(InputFileError, match="train-labels.*: a label is 10; expected were 0 to 9"):
        mnist(Choices())


def test_images_of_another_size_are_another_dataset(small: Path) -> None:
    larger = np.pad(numbered_images(labels_of(200, seed=0)), ((0, 0), (2, 2), (2, 2)))
    path = small / "mnist" / "train-images-idx3-ubyte.gz"
    path.write_bytes(gzip.compress(idx_bytes(larger)))
    expected = "train-images.*uint8 of 200 × 32 × 32; expected were uint8 of any × 28 × 28"
    with pytest.raises(InputFileError, match=expected):
        mnist(Choices())


def test_missing_files(small: Path) -> None:
    (small / "mnist" / "t10k-images-idx3-ubyte.gz").unlink()
    with pytest.raises(MissingFileError, match="t10k-images.*`pipefl data get mnist`"):
        mnist(Choices())


@pytest.mark.paper("sec:simulations")
def test_the_paper_s_clients_of_mnist(data_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIPEFL_DATA", str(data_folder))
    dataset = mnist(Choices())
    assert dataset.num_clients == 1500
    assert (dataset.num_samples.min(), dataset.num_samples.max()) == (10, 70)
    assert len(dataset.test) == 10_000
    assert dataset.train.inputs.shape[1:] == (28, 28)
    assert dataset.train.inputs.dtype == dataset.train.targets.dtype == np.uint8
    # As MNIST is known: the mean pixel of the training images is 0.1307, ink on paper 0.
    assert dataset.train.inputs.mean() / 255 == pytest.approx(0.1307, abs=1e-3)
    assert np.bincount(dataset.test.targets).tolist() == [
        980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009,
    ]  # fmt: skip
    # Other processes map the images; they are not copied once more.
    opened = handle_of(dataset.client(1499).inputs).opened()
    np.testing.assert_array_equal(opened, dataset.client(1499).inputs)
