"""Federated EMNIST as on Hugging Face: Parquet files of PNG images."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pipefl.data.federated import Samples
from pipefl.data.handwriting import Handwriting, Writer
from pipefl.data.png import read_grey_pngs
from pipefl.errors import InputFileError

if TYPE_CHECKING:
    import polars as pl

_COLUMNS = "`image` (with the PNG's `bytes`), `writer_id` and `character`"
_BATCH = 8192  # images whose pixels at one place fit the cache
_EVERY = 10


def from_parquet(paths: Sequence[Path]) -> Handwriting:
    """All Parquet files of the folder; those whose names begin with `test` are to test with.

    `character` is 0 to 61, of which 0 to 9 are the digits, or the character itself. Without
    files to test with, every tenth digit of each writer is held out, about as many as
    TensorFlow Federated holds out.
    """
    folder = paths[0].parent
    there = sorted(folder.glob("*.parquet"))
    test = [path for path in there if path.name.startswith("test")]
    train = [path for path in there if path not in test]
    layout = "Hugging Face's Parquet files"
    if not train:
        raise InputFileError(f"{folder}: there are only Parquet files to test with")
    if test:
        return Handwriting(layout, _writers(train), _writers(test))
    everybody = list(_writers(train))
    return Handwriting(
        layout,
        ((name, _part(samples, held_out=False)) for name, samples in everybody),
        ((name, _part(samples, held_out=True)) for name, samples in everybody),
        note=f"every {_EVERY}th image of each writer is held out to test with",
    )


def _part(samples: Samples, *, held_out: bool) -> Samples:
    mask = (np.arange(len(samples)) % _EVERY == _EVERY - 1) == held_out
    return Samples(samples.inputs[mask], samples.targets[mask])


def _writers(paths: Sequence[Path]) -> Iterator[Writer]:
    frame = _digits(paths)
    place = str(paths[0]) if len(paths) == 1 else f"{paths[0].parent}/*.parquet"
    images = _decoded(place, frame["png"])
    labels = frame["label"].to_numpy().astype(np.uint8)
    names = frame["writer"]
    begins = np.flatnonzero((names != names.shift(1)).fill_null(value=True).to_numpy())
    for begin, end in zip(begins, np.append(begins[1:], len(frame)), strict=True):
        yield str(names[int(begin)]), Samples(images[begin:end], labels[begin:end])


def _digits(paths: Sequence[Path]) -> "pl.DataFrame":
    """PNGs, writers and labels of the digits, writer after writer."""
    import polars as pl

    frames = []
    for path in paths:
        try:
            frames.append(
                pl.scan_parquet(path)
                .select(
                    png=pl.col("image").struct.field("bytes"),
                    writer=pl.col("writer_id").cast(pl.String),
                    label=pl.col("character").cast(pl.String).cast(pl.Int64, strict=False),
                )
                .filter(pl.col("label").is_between(0, 9))
                .collect()
            )
        except (pl.exceptions.PolarsError, OSError) as error:
            reason = str(error).splitlines()[0]
            raise InputFileError(f"{path}: {reason}; expected were {_COLUMNS}") from None
        unfit = frames[-1]["png"].dtype != pl.Binary or any(
            frames[-1][name].null_count() for name in ("png", "writer")
        )
        if unfit:
            raise InputFileError(f"{path}: values are missing; expected were {_COLUMNS}")
    return pl.concat(frames).sort("writer", maintain_order=True)


def _decoded(place: str, column: "pl.Series") -> NDArray[np.uint8]:
    """All images, batch after batch, since the filtered rows take their memory too."""
    images = np.empty((len(column), 28, 28), np.uint8)
    for begin in range(0, len(column), _BATCH):
        blobs = column[begin : begin + _BATCH].to_list()
        try:
            images[begin : begin + _BATCH] = read_grey_pngs(blobs, 28, 28)
        except ValueError as error:
            raise InputFileError(f"{place}: {error}") from None
    return images
