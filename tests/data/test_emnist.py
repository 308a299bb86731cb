"""One small set of handwriting in every layout in which federated EMNIST is handed out."""

import io
import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import h5py  # type: ignore[import-untyped]  # it comes without types
import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray
from PIL import Image

from image_files import numbered_images, numbers_of
from pipefl.data.emnist import emnist
from pipefl.data.entry import Choices
from pipefl.errors import ArgumentError, InputFileError, MissingFileError

Parts = dict[str, dict[str, tuple[NDArray[np.uint8], NDArray[np.uint8]]]]


def handwriting(*, letters: bool) -> Parts:
    """Three people's images, 12 and 3 each, dark on white; one of them wrote letters only."""
    parts: Parts = {"train": {}, "test": {}}
    number = 0
    for part, size in (("train", 12), ("test", 3)):
        for i, name in enumerate(("f0000_14", "f0001_41", "f0002_00")):
            if i == 2 and not letters:
                continue
            labels = (np.arange(size) * 7 % 10 + (10 if i == 2 else 0)).astype(np.uint8)
            if letters:
                labels[1] = 61
            images = np.roll(numbered_images(np.zeros(number + size, np.uint8))[number:], 1, 1)
            images[:, 10, 10] = labels
            images[:, 10, 11:13] = images[:, 11, 11:13]
            images[:, 11] = 0
            parts[part][name] = (255 - images, labels)
            number += size
    return parts


def write_hdf5(place: Path, parts: Parts) -> None:
    for part, people in parts.items():
        with h5py.File(place / f"fed_emnist_digitsonly_{part}.h5", "w") as file:
            for name, (images, labels) in people.items():
                group = file.create_group(f"examples/{name}")
                group["pixels"] = images.astype(np.float32) / np.float32(255)
                group["label"] = labels.astype(np.int32)


def example(pixels: NDArray[np.uint8], label: int) -> bytes:
    """A serialised `tf.train.Example`, by hand."""

    def field(number: int, content: bytes) -> bytes:
        length, sign = len(content), b""
        while length > 127:
            sign += bytes([length & 127 | 128])
            length >>= 7
        return bytes([number << 3 | 2]) + sign + bytes([length]) + content

    floats = (pixels.ravel() / 255).astype("<f4").tobytes()
    image = field(1, field(1, b"pixels") + field(2, field(2, field(1, floats))))
    digit = field(1, field(1, b"label") + field(2, field(3, field(1, bytes([label])))))
    return field(1, image + digit)


def write_sqlite(place: Path, parts: Parts) -> None:
    with closing(sqlite3.connect(place / "emnist_all.sqlite")) as connection, connection:
        connection.execute(
            "CREATE TABLE examples (split_name TEXT NOT NULL, client_id TEXT NOT NULL, "
            "serialized_example_proto BLOB NOT NULL)"
        )
        connection.executemany(
            "INSERT INTO examples VALUES (?, ?, ?)",
            [
                (f"digits_only_{part}", name, example(image, int(label)))
                for part, people in parts.items()
                for name, (images, labels) in people.items()
                for image, label in zip(images, labels, strict=True)
            ],
        )


def write_leaf(place: Path, parts: Parts) -> None:
    for part, people in parts.items():
        (place / part).mkdir()
        for i, (name, (images, labels)) in enumerate(people.items()):
            x = (images.reshape(-1, 784) / 255).tolist()
            data = {name: {"x": x, "y": labels.tolist()}}
            content = {"users": [name], "num_samples": [labels.size], "user_data": data}
            path = place / part / f"all_data_{i}_niid_0_keep_0_{part}_9.json"
            path.write_text(json.dumps(content))


def png(image: NDArray[np.uint8]) -> bytes:
    file = io.BytesIO()
    Image.fromarray(image).save(file, "png")
    return file.getvalue()


def frame_of(people: dict[str, Any], character: Callable[[int], int | str] = int) -> pl.DataFrame:
    rows = [
        {
            "image": {"bytes": png(image), "path": None},
            "writer_id": name,
            "hsf_id": 0,
            "character": character(int(label)),
        }
        for name, (images, labels) in people.items()
        for image, label in zip(images, labels, strict=True)
    ]
    return pl.DataFrame(rows).sample(fraction=1.0, shuffle=True, seed=1)


def write_parquet(place: Path, parts: Parts) -> None:
    for part, people in parts.items():
        # One file of them holds the characters themselves.
        names = "0123456789" + "".join(map(chr, [*range(65, 91), *range(97, 123)]))
        character = names.__getitem__ if part == "test" else int
        frame_of(people, character).write_parquet(place / f"{part}-00000-of-00001.parquet")


WRITERS: dict[str, tuple[Callable[[Path, Parts], None], bool, str]] = {
    "hdf5": (write_hdf5, False, "TensorFlow Federated's HDF5 files"),
    "sqlite": (write_sqlite, False, "TensorFlow Federated's SQLite file"),
    "leaf": (write_leaf, True, "LEAF's JSON files"),
    "parquet": (write_parquet, True, "Hugging Face's Parquet files"),
}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PIPEFL_DATA", str(tmp_path))
    (tmp_path / "emnist").mkdir()
    return tmp_path / "emnist"


def inverted(parts: Parts) -> Parts:
    return {
        part: {name: (255 - images, labels) for name, (images, labels) in people.items()}
        for part, people in parts.items()
    }


@pytest.mark.parametrize("paper", ["white", "black"])
@pytest.mark.parametrize("layout", WRITERS)
def test_everybody_s_digits_are_read_white_on_black(place: Path, layout: str, paper: str) -> None:
    write, letters, about = WRITERS[layout]
    parts = handwriting(letters=letters)
    write(place, parts if paper == "white" else inverted(parts))
    dataset = emnist(Choices())
    assert dataset.client_id.tolist() == ["f0000_14", "f0001_41"]  # the third wrote no digits
    assert about in dataset.source
    assert f"on {paper} paper" in dataset.notes["polarity"]
    for m, name in enumerate(dataset.client_id):
        images, labels = parts["train"][name]
        digits = labels < 10
        client = dataset.client(m)
        order = np.argsort(numbers_of(client.inputs))  # Parquet has them in another order
        np.testing.assert_array_equal(client.inputs[order], 255 - images[digits])
        assert client.targets[order].tolist() == labels[digits].tolist()
        assert client.inputs[:, 10, 10].tolist() == client.targets.tolist()
    expected = sorted(
        int(number)
        for images, labels in parts["test"].values()
        for number in numbers_of(255 - images[labels < 10])
    )
    assert sorted(numbers_of(dataset.test.inputs).tolist()) == expected
    assert dataset.test.inputs[:, 10, 10].tolist() == dataset.test.targets.tolist()


def test_without_files_to_test_with_every_tenth_digit_is_held_out(place: Path) -> None:
    parts = handwriting(letters=True)
    people = {name: both for name, both in parts["train"].items() if name != "f0002_00"}
    frame = frame_of(people)
    frame[:10].write_parquet(place / "train-00000-of-00002.parquet")
    frame[10:].write_parquet(place / "train-00001-of-00002.parquet")
    dataset = emnist(Choices())
    assert dataset.num_samples.tolist() == [10, 10]  # of 11 digits each
    assert len(dataset.test) == 2
    assert dataset.notes["split"] == "every 10th image of each writer is held out to test with"
    all_numbers = numbers_of(np.concatenate([dataset.train.inputs, dataset.test.inputs]))
    assert np.unique(all_numbers).size == 22


def test_some_of_the_people(place: Path) -> None:
    parts = handwriting(letters=False)
    write_hdf5(place, parts)
    found = set()
    for seed in range(10):
        dataset = emnist(Choices(num_clients=1, test_samples=4, seed=seed))
        (name,) = dataset.client_id
        images, _ = parts["train"][name]
        np.testing.assert_array_equal(dataset.train.inputs, 255 - images)
        assert len(dataset.test) == 4
        found.add(name)
    assert found == {"f0000_14", "f0001_41"}
    with pytest.raises(ArgumentError, match="num_clients is 3"):
        emnist(Choices(num_clients=3))
    with pytest.raises(ArgumentError, match="partition is 'iid'; the clients of emnist are people"):
        emnist(Choices(partition="iid"))


def test_without_any_files_the_message_says_which_would_do(place: Path) -> None:
    (place / "fed_emnist_digitsonly_train.h5").touch()  # the other half is missing
    with pytest.raises(MissingFileError) as caught:
        emnist(Choices())
    for part in ("emnist_all.sqlite", "test/*.json", "*.parquet", "`pipefl data get emnist`"):
        assert part in str(caught.value)
    assert str(place) in str(caught.value)


def test_one_part_inverted_is_refused(place: Path) -> None:
    parts = handwriting(letters=False)
    write_hdf5(place, {**parts, "test": inverted(parts)["test"]})
    with pytest.raises(InputFileError, match="to train and to test with, one is inverted"):
        emnist(Choices())


def test_files_without_digits_are_refused(place: Path) -> None:
    parts = handwriting(letters=True)
    write_leaf(place, {part: {"f0002_00": people["f0002_00"]} for part, people in parts.items()})
    with pytest.raises(InputFileError, match="to train with: there are no digits in the files"):
        emnist(Choices())


def test_foreign_files_are_refused_by_name(place: Path) -> None:
    path = place / "train.parquet"
    pl.DataFrame({"image": [b"png"], "writer_id": ["a"]}).write_parquet(path)
    expected = "train.parquet: .*expected were `image` .* `writer_id` and `character`"
    with pytest.raises(InputFileError, match=expected):
        emnist(Choices())
    path.write_bytes(b"PAR1 but no more")
    with pytest.raises(InputFileError, match=expected):
        emnist(Choices())
    people = handwriting(letters=False)["train"]
    frame_of(people).with_columns(writer_id=None).write_parquet(path)
    with pytest.raises(InputFileError, match="train.parquet: values are missing; expected were"):
        emnist(Choices())
    small = {"ann": (np.zeros((1, 27, 28), np.uint8), np.zeros(1, np.uint8))}
    frame_of(small).write_parquet(path)
    with pytest.raises(InputFileError, match="train.parquet: a PNG image is not 28 × 28"):
        emnist(Choices())
    path.rename(place / "test.parquet")
    with pytest.raises(InputFileError, match="there are only Parquet files to test with"):
        emnist(Choices())


def test_examples_without_pixels_are_refused(place: Path) -> None:
    write_sqlite(place, handwriting(letters=False))
    with closing(sqlite3.connect(place / "emnist_all.sqlite")) as connection, connection:
        connection.execute("UPDATE examples SET serialized_example_proto = x''")
    with pytest.raises(InputFileError, match="writer 'f0000_14': an example has no features `pix"):
        emnist(Choices())
