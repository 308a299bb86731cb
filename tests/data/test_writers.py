from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from image_files import labels_of, numbers_of, write_small_mnist, write_writer_rows
from pipefl.data.entry import Choices
from pipefl.data.mnist import mnist
from pipefl.data.nist_sizes import images_for, nist_sizes
from pipefl.data.writers import by_writer, nist_writers
from pipefl.errors import ArgumentError, InputFileError, MissingFileError, PipeflError

LABELS = labels_of(200, seed=200)  # of the small MNIST's training images
# Five writers take turns; one number stands in two series and is two people.
WRITERS = [[(4, 12), (0, 5), (4, 5), (0, 1234), (0, 77)][i % 5] for i in range(200)]
NAMES = ["hsf0-5", "hsf0-77", "hsf0-1234", "hsf4-5", "hsf4-12"]
TURN = [1, 4, 3, 2, 0]


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_small_mnist(tmp_path)
    write_writer_rows(tmp_path, "qmnist-train-labels-idx2-int", LABELS, WRITERS)
    wanted = np.concatenate([LABELS, LABELS, LABELS[:50]])
    writers = [(0, 3000 + i // 10) for i in range(450)]
    write_writer_rows(tmp_path, "xnist-labels-idx2-int", wanted, writers)
    monkeypatch.setenv("PIPEFL_DATA", str(tmp_path))
    return tmp_path


@pytest.mark.usefixtures("small")
def test_each_writer_has_the_own_images_in_their_order() -> None:
    dataset = nist_writers(Choices(partition="natural"))
    assert dataset.client_id.tolist() == NAMES
    for m, turn in enumerate(TURN):
        client = dataset.client(m)
        assert numbers_of(client.inputs).tolist() == list(range(turn, 200, 5))
        np.testing.assert_array_equal(client.inputs[:, 10, 10], client.targets)
    assert len(dataset.test) == 50


@pytest.mark.usefixtures("small")
def test_mnist_by_its_writers_is_the_same() -> None:
    dataset = mnist(Choices(partition="writers", num_clients=2, test_samples=7, seed=1))
    assert dataset.name == "mnist"
    assert dataset.num_clients == 2
    assert len(dataset.test) == 7
    for m, name in enumerate(dataset.client_id):
        turn = TURN[NAMES.index(name)]
        assert numbers_of(dataset.client(m).inputs).tolist() == list(range(turn, 200, 5))


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1))
def test_rows_are_grouped_by_writer(writers: list[tuple[int, int]]) -> None:
    order, offset, names = by_writer(np.array([[0, *writer] for writer in writers]))
    groups: dict[tuple[int, int], list[int]] = {}
    for row, writer in enumerate(writers):
        groups.setdefault(writer, []).append(row)
    found = [part.tolist() for part in np.split(order, offset[1:-1])]
    assert found == [groups[writer] for writer in sorted(groups)]
    assert names.tolist() == [f"hsf{series}-{number}" for series, number in sorted(groups)]


def test_labels_of_other_images_are_refused(small: Path) -> None:
    others = LABELS.copy()
    others[17] = (others[17] + 1) % 10
    for classes, writers in ((others, WRITERS), (LABELS[:199], WRITERS[:199])):
        write_writer_rows(small, "qmnist-train-labels-idx2-int", classes, writers)
        with pytest.raises(InputFileError, match="qmnist-train.*: the classes there are not the l"):
            nist_writers(Choices())
    write_writer_rows(small, "qmnist-train-labels-idx2-int", LABELS + 1, WRITERS)
    with pytest.raises(InputFileError, match="not QMNIST's labels: expected were classes 0 to 9"):
        nist_writers(Choices())


def test_what_cannot_be_chosen(small: Path) -> None:
    for load in (nist_writers, nist_sizes):
        with pytest.raises(
            ArgumentError, match="partition is 'iid'; the clients of nist-.* people"
        ):
            load(Choices(partition="iid"))
    with pytest.raises(ArgumentError, match="num_clients is 6; .* from 1 to 5"):
        nist_writers(Choices(num_clients=6))
    (small / "nist-writers" / "xnist-labels-idx2-int").unlink()
    with pytest.raises(MissingFileError, match="xnist-labels.*`pipefl data get nist-sizes`"):
        nist_sizes(Choices())


@pytest.mark.usefixtures("small")
def test_the_stand_in_has_each_writer_s_labels_with_other_images() -> None:
    dataset = nist_sizes(Choices(seed=2))
    assert dataset.source.startswith("stand-in for federated EMNIST")
    wanted = np.concatenate([LABELS, LABELS, LABELS[:50]])
    assert dataset.train.targets.tolist() == wanted.tolist()
    assert dataset.num_samples.tolist() == [10] * 45
    np.testing.assert_array_equal(dataset.train.inputs[:, 10, 10], wanted)
    numbers = numbers_of(dataset.train.inputs)
    assert np.array_equal(LABELS[numbers], wanted)
    for begin in range(0, 450, 10):  # nobody has an image twice
        assert len(set(numbers[begin : begin + 10])) == 10
    times = np.bincount(numbers, minlength=200)
    assert set(times) <= {2, 3}
    assert dataset.notes["repeats"] == "250 of the 450 images are repeats of others"


@pytest.mark.usefixtures("small")
def test_some_clients_of_the_stand_in_have_what_they_have_among_all() -> None:
    everybody = nist_sizes(Choices(seed=2))
    some = nist_sizes(Choices(num_clients=6, seed=2))
    assert some.num_clients == 6
    for m, name in enumerate(some.client_id):
        same = everybody.client(everybody.client_id.tolist().index(name))
        assert numbers_of(some.client(m).inputs).tolist() == numbers_of(same.inputs).tolist()
    different = numbers_of(nist_sizes(Choices(seed=3)).train.inputs)
    assert (different != numbers_of(everybody.train.inputs)).mean() > 0.5


def test_a_label_without_images() -> None:
    with pytest.raises(PipeflError, match="there are no images of the label 3 to deal"):
        images_for(np.array([1, 3]), np.array([1, 2]), seed=0)


def test_the_writers_of_mnist(data_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The counts that QMNIST's authors give."""
    monkeypatch.setenv("PIPEFL_DATA", str(data_folder))
    dataset = nist_writers(Choices())
    assert dataset.num_clients == 539
    sizes = dataset.num_samples
    assert [sizes.min(), np.median(sizes), sizes.max()] == [19, 116, 131]
    assert sizes.sum() == 60_000
    assert len(dataset.test) == 10_000
    everything = mnist(Choices(partition="iid", num_clients=1)).train.inputs
    for images in (everything, dataset.train.inputs):  # the same images, in another order
        assert images.sum(dtype=np.int64) == everything.sum(dtype=np.int64)
    assert (dataset.train.inputs != everything).any(axis=(1, 2)).mean() > 0.9


def test_the_sizes_of_all_writers(data_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIPEFL_DATA", str(data_folder))
    dataset = nist_sizes(Choices())
    sizes = dataset.num_samples
    assert [sizes.size, sizes.min(), np.median(sizes), sizes.max()] == [3579, 11, 117, 213]
    assert np.bincount(dataset.train.targets).tolist() == [
        40363, 44704, 40072, 41112, 39154, 36606, 39937, 41893, 39579, 39533,
    ]  # fmt: skip
    assert dataset.notes["repeats"] == "342,953 of the 402,953 images are repeats of others"
