import runpy
import shutil
from pathlib import Path

import numpy as np
import pytest

import pipefl.data.mnist_subset as module
from pipefl.data.entry import Choices
from pipefl.data.mnist import read_mnist
from pipefl.data.mnist_subset import IMAGES, LABELS, SHA256, mnist_subset, read_subset
from pipefl.errors import InputFileError

HERE = Path(module.__file__).parent


def rows_of(images: np.ndarray) -> set[bytes]:
    return {image.tobytes() for image in images}


def test_it_is_a_part_of_mnist_with_its_shares_of_the_labels(data_folder: Path) -> None:
    whole, part = read_mnist(data_folder, "mnist"), read_subset()
    for name, size in (("train", 9000), ("test", 1500)):
        few, many = getattr(part, name), getattr(whole, name)
        assert few.inputs.shape == (size, 28, 28)
        label_of = {
            image.tobytes(): label for image, label in zip(many.inputs, many.targets, strict=True)
        }
        assert rows_of(few.inputs) <= label_of.keys()
        found = [label_of[image.tobytes()] for image in few.inputs]
        assert found == few.targets.tolist()
        share = np.bincount(few.targets) - np.bincount(many.targets) * (size / len(many))
        assert abs(share).max() < 1
    assert not rows_of(part.train.inputs) & rows_of(part.test.inputs)


def test_the_script_that_built_it_draws_the_same_samples(data_folder: Path) -> None:
    script = Path(__file__).parents[2] / "tools" / "build_mnist_subset.py"
    drawn = runpy.run_path(str(script))["subset"](read_mnist(data_folder, "mnist"))
    part = read_subset()
    np.testing.assert_array_equal(
        drawn.inputs, np.concatenate([part.train.inputs, part.test.inputs])
    )
    np.testing.assert_array_equal(
        drawn.targets, np.concatenate([part.train.targets, part.test.targets])
    )


def test_it_is_small_and_comes_with_its_licence() -> None:
    size = sum((HERE / name).stat().st_size for name in (IMAGES, LABELS))
    assert size < 1_600_000
    assert "Attribution-ShareAlike 3.0" in (HERE / "mnist_subset.LICENSE").read_text()


def test_its_images_suffice_for_its_clients(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIPEFL_DATA", "/nowhere")  # it needs no other files
    for seed in range(5):
        dataset = mnist_subset(Choices(seed=seed))
        assert dataset.num_clients == 200
        assert dataset.name == "mnist-subset"
        assert "unused" in dataset.notes
        assert len(rows_of(dataset.train.inputs)) > 0.999 * len(dataset.train)


def test_it_is_dealt_as_mnist_is() -> None:
    dataset = mnist_subset(Choices(partition="shards:2", num_clients=100, test_samples=300))
    assert dataset.num_samples.tolist() == [90] * 100
    labels = [len(set(dataset.client(m).targets.tolist())) for m in range(100)]
    assert max(labels) <= 4
    assert np.median(labels) == 2
    assert len(dataset.test) == 300


def test_a_changed_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in SHA256:
        shutil.copy(HERE / name, tmp_path / name)
    monkeypatch.setattr(module, "__file__", str(tmp_path / "mnist_subset.py"))
    assert len(read_subset().train) == 9000
    content = bytearray((tmp_path / LABELS).read_bytes())
    content[-100] ^= 1
    (tmp_path / LABELS).write_bytes(content)
    with pytest.raises(InputFileError, match="labels.*: the file has changed; install PipeFL anew"):
        read_subset()
    (tmp_path / IMAGES).unlink()
    with pytest.raises(InputFileError, match="images.*: the file is missing; install PipeFL anew"):
        read_subset()
