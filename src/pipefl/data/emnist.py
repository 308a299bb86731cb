"""Federated EMNIST's digits, from whichever files of it are there."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pipefl.data.dealing import offsets
from pipefl.data.emnist_leaf import from_leaf
from pipefl.data.emnist_parquet import from_parquet
from pipefl.data.emnist_tff import from_hdf5, from_sqlite
from pipefl.data.entry import Choices
from pipefl.data.federated import FederatedDataset, Samples
from pipefl.data.folder import data_folder
from pipefl.data.gathering import (
    gathered,
    refuse_partition,
    slices,
    some_clients,
    some_test_samples,
    stacked,
)
from pipefl.data.handwriting import Handwriting, Writer, paper_is_white
from pipefl.data.image_sources import EMNIST, EMNIST_WAYS
from pipefl.data.mnist import NUM_CLASSES
from pipefl.data.presence import found_files, missing_text
from pipefl.errors import InputFileError, MissingFileError

_READERS: dict[str, Callable[[Sequence[Path]], Handwriting]] = {
    "hdf5": from_hdf5,
    "sqlite": from_sqlite,
    "packed sqlite": from_sqlite,
    "leaf": from_leaf,
    "parquet": from_parquet,
}


def emnist(choices: Choices) -> FederatedDataset:
    """The digits of federated EMNIST; a client is a person with images of the own hand.

    Files are looked for in `<data>/emnist`, in this order: TensorFlow Federated's HDF5 and
    SQLite, LEAF's JSON, Hugging Face's Parquet. Some have dark ink on white paper, MNIST and
    so PipeFL the opposite: the paper is told by the edges of the images, and the notes say what
    it was. Test images are everybody's, whoever `num_clients` leaves out.
    """
    refuse_partition("emnist", choices.partition)
    folder = data_folder()
    handwriting = _found(folder)
    place = str(folder / "emnist")
    names: list[str] = []
    train, offset = _together(handwriting.train, names, f"{place}, to train with")
    test, _ = _together(handwriting.test, [], f"{place}, to test with")
    notes = {"split": handwriting.note, "polarity": _turned(train, test, place)}
    chosen = some_clients(choices.num_clients, len(names), choices.seed)
    if chosen.size < len(names):
        train = gathered(train, slices(offset, chosen))
    return FederatedDataset(
        name="emnist",
        kind="images",
        source=f"digits of federated EMNIST, from {handwriting.layout}",
        train=train,
        offset=offsets(np.diff(offset)[chosen]),
        test=some_test_samples(test, choices.test_samples),
        num_classes=NUM_CLASSES,
        client_id=np.array(names, object)[chosen],
        notes=notes,
    )


def _found(folder: Path) -> Handwriting:
    for layout, way in EMNIST_WAYS.items():
        paths = found_files(way, folder)
        if paths is not None:
            return _READERS[layout](paths)
    raise MissingFileError(missing_text("emnist", EMNIST, folder))


def _together(
    writers: Iterable[Writer], names: list[str], place: str
) -> tuple[Samples, NDArray[np.int64]]:
    """Everybody's samples in one, and where each person's begin; `names` gets their names."""
    parts = list(_noted(writers, names))
    if not parts:
        raise InputFileError(f"{place}: there are no digits in the files")
    return stacked(parts)


def _noted(writers: Iterable[Writer], names: list[str]) -> Iterator[Samples]:
    """The samples of everybody who has any, whose names are noted down."""
    for name, samples in writers:
        if len(samples):
            names.append(name)
            yield samples


def _turned(train: Samples, test: Samples, place: str) -> str:
    """Make ink 255 and paper 0, in place, and say what they were."""
    white = paper_is_white(train, f"{place}, to train with")
    if paper_is_white(test, f"{place}, to test with") != white:
        raise InputFileError(f"{place}: of images to train and to test with, one is inverted")
    if not white:
        return "white ink on black paper, as in MNIST"
    for samples in (train, test):
        np.subtract(255, samples.inputs, out=samples.inputs)
    return "the files have dark ink on white paper; the images are inverted, as in MNIST"
