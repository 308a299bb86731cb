import dataclasses
import inspect
from pathlib import Path

import pytest

from image_files import write_small_mnist
from pipefl.data.catalogue import DATASETS, load_dataset
from pipefl.data.entry import Choices
from pipefl.data.mnist_subset import mnist_subset
from pipefl.errors import ArgumentError, MissingFileError


def test_every_dataset_stands_under_its_name() -> None:
    names = {"mnist", "mnist-subset", "emnist", "nist-writers", "nist-sizes", "shakespeare"}
    assert DATASETS.keys() == names
    for name, entry in DATASETS.items():
        assert entry.name == name
        assert entry.kind == ("text" if name == "shakespeare" else "images")
    assert "stand-in" in DATASETS["nist-sizes"].about


def test_choices_reach_the_loader() -> None:
    dataset = load_dataset(
        "mnist-subset", partition="sizes:20:30", num_clients=50, test_samples=70, seed=8
    )
    same = mnist_subset(Choices(partition="sizes:20:30", num_clients=50, test_samples=70, seed=8))
    assert dataset.train.targets.tolist() == same.train.targets.tolist()
    assert dataset.offset.tolist() == same.offset.tolist()
    assert len(dataset.test) == 70


def test_all_that_can_be_chosen_is_an_argument() -> None:
    fields = {field.name: field.default for field in dataclasses.fields(Choices)}
    parameters = inspect.signature(load_dataset).parameters
    assert fields == {name: p.default for name, p in parameters.items() if name != "name"}


@pytest.mark.parametrize("name", ["mnist", "emnist", "nist-writers", "nist-sizes"])
def test_without_files_each_says_how_to_get_them(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIPEFL_DATA", str(tmp_path))
    with pytest.raises(MissingFileError, match=f"`pipefl data get {name}` fetches"):
        load_dataset(name)
    write_small_mnist(tmp_path)
    if name != "mnist":
        with pytest.raises(MissingFileError, match=f"`pipefl data get {name}` fetches"):
            load_dataset(name)


def test_what_is_wrong_is_named() -> None:
    expected = "dataset is 'minst'; did you mean mnist? the datasets are mnist, mnist-subset, emn"
    with pytest.raises(ArgumentError) as caught:
        load_dataset("minst")
    assert str(caught.value).startswith(expected)
    for name, value in (("num_clients", 0), ("test_samples", 0), ("seed", -1)):
        choices: dict[str, int] = {name: value}
        with pytest.raises(ArgumentError, match=f"{name} is {value}; it must be a whole number"):
            load_dataset("mnist-subset", **choices)  # type: ignore[arg-type]  # one of three
    with pytest.raises(ArgumentError, match="count is 'snippets'; .* of text"):
        load_dataset("mnist-subset", count="snippets")
