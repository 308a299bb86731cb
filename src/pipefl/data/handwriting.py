"""Images of handwriting from anybody's files: digits only, 28 × 28, ink 255 on paper 0."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pipefl.data.federated import Samples
from pipefl.errors import InputFileError

Writer = tuple[str, Samples]
_SIDE = 28
_NUM_DIGITS, _NUM_CHARACTERS = 10, 62


@dataclass(frozen=True)
class Handwriting:
    """Everybody's images to train and to test with, as they come from a file, and of what kind."""

    layout: str
    train: Iterable[Writer]
    test: Iterable[Writer]
    note: str = "the test images are as in the files"


def digits_of(place: str, pixels: ArrayLike, labels: ArrayLike) -> Samples:
    """The digits among someone's characters, as bytes; `place` names the person for complaints.

    Pixels are real numbers from 0 to 1, or whole numbers from 0 to 255; of 784 in a row or
    28 × 28. Labels from 10 to 61 are letters, which are left out.

    >>> digits_of("ann", np.full((2, 784), 0.2), [3, 12]).inputs[:, 0, 0]
    array([51], dtype=uint8)
    """
    given = _numbers(place, "pixels", pixels)
    classes = _numbers(place, "labels", labels)
    if given.size != classes.size * _SIDE * _SIDE:
        text = f"{given.size:,} pixels for {classes.size:,} labels"
        raise InputFileError(f"{place}: {text}; expected were {_SIDE} × {_SIDE} pixels each")
    if classes.size and not 0 <= classes.min() <= classes.max() < _NUM_CHARACTERS:
        text = f"labels from {classes.min()} to {classes.max()}"
        raise InputFileError(f"{place}: {text}; expected were 0 to 61, of which 0 to 9 are digits")
    wanted = classes.ravel() < _NUM_DIGITS
    images = given.reshape(-1, _SIDE, _SIDE)[wanted]
    return Samples(_bytes(place, images), classes.ravel()[wanted].astype(np.uint8))


def paper_is_white(samples: Samples, place: str) -> bool:
    """Whether the images are dark on white, by their outermost pixels, which are paper."""
    images = samples.inputs
    edges = (images[:, 0], images[:, -1], images[:, 1:-1, 0], images[:, 1:-1, -1])
    mean = sum(int(edge.sum(dtype=np.int64)) for edge in edges) / sum(edge.size for edge in edges)
    if 64 <= mean <= 191:
        text = f"their outermost pixels have a mean of {mean:.0f} of 255"
        raise InputFileError(
            f"{place}: images that are neither dark on white nor white on dark: {text}"
        )
    return mean > 127


def _numbers(place: str, what: str, values: ArrayLike) -> NDArray[Any]:
    try:
        array = np.asarray(values)
    except ValueError:  # lists of several lengths
        raise InputFileError(f"{place}: the {what} are not all equally many") from None
    if array.dtype.kind not in ("iuf" if what == "pixels" else "iu") and array.size:
        raise InputFileError(f"{place}: the {what} are {array.dtype}, not numbers that can be such")
    return array


def _bytes(place: str, images: NDArray[Any]) -> NDArray[np.uint8]:
    if images.dtype == np.uint8 or not images.size:
        return images.astype(np.uint8)
    largest = 1 if images.dtype.kind == "f" else 255
    lowest, highest = images.min(), images.max()
    if not 0 <= lowest <= highest <= largest:  # which NaN does not pass either
        text = f"pixels from {lowest:g} to {highest:g}"
        raise InputFileError(f"{place}: {text}; expected were 0 to {largest}")
    return np.rint(images * (255 / largest)).astype(np.uint8)
