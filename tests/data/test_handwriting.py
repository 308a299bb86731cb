import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray

from pipefl.data.federated import Samples
from pipefl.data.handwriting import digits_of, paper_is_white
from pipefl.errors import InputFileError


@given(
    hnp.arrays(np.uint8, (4, 28, 28)),
    st.lists(st.integers(0, 61), min_size=4, max_size=4),
    st.sampled_from(["uint8", "int64", "float32", "float64", "lists", "rows"]),
)
def test_pixels_come_in_any_form(images: NDArray[np.uint8], labels: list[int], form: str) -> None:
    """Whole numbers to 255 or real ones to 1, in lists or arrays, 784 or 28 × 28."""
    given_as: Any = images
    if form.startswith("float"):
        given_as = (images / 255).astype(form)
    elif form == "lists":
        given_as = (images.reshape(4, 784) / 255).tolist()
    elif form == "rows":
        given_as = images.reshape(4, 784)
    else:
        given_as = images.astype(form)
    samples = digits_of("ann", given_as, labels)
    digits = [i for i in range(4) if labels[i] < 10]
    assert samples.targets.tolist() == [labels[i] for i in digits]
    np.testing.assert_array_equal(samples.inputs, images[digits])
    assert samples.inputs.dtype == samples.targets.dtype == np.uint8


def test_somebody_without_images() -> None:
    assert len(digits_of("ann", [], [])) == 0
    assert digits_of("ann", np.zeros((1, 784)), [30]).inputs.shape == (0, 28, 28)


@pytest.mark.parametrize(
    ("pixels", "labels", "complaint"),
    [
        (np.zeros((2, 783)), [1, 2], "1,566 pixels for 2 labels; expected were 28 × 28 pixels"),
        ([[0.0] * 784, [0.0] * 783], [1, 2], "the pixels are not all equally many"),
        (np.full((1, 784), 1.5), [1], "pixels from 1.5 to 1.5; expected were 0 to 1"),
        (np.full((1, 784), -0.1), [1], "pixels from -0.1 to -0.1; expected were 0 to 1"),
        (np.full((1, 784), np.nan), [1], "pixels from nan to nan; expected were 0 to 1"),
        (np.full((1, 784), 256), [1], "pixels from 256 to 256; expected were 0 to 255"),
        (np.zeros((1, 784)), [62], "labels from 62 to 62; expected were 0 to 61, of which 0 to 9"),
        (np.zeros((2, 784)), [0, -1], "labels from -1 to 0; expected were 0 to 61"),
        (np.zeros((1, 784)), [1.0], "the labels are float64"),
        ([b"\0" * 784], [1], "the pixels are |S"),
        ([["0"] * 784], [1], "the pixels are <U1"),
    ],
)
def test_what_is_wrong_is_said_with_the_person(
    pixels: Any, labels: list[int], complaint: str
) -> None:
    with pytest.raises(InputFileError, match=f"^file: user 'ann': {re.escape(complaint)}"):
        digits_of("file: user 'ann'", pixels, labels)


def with_strokes(paper: int, ink: int) -> Samples:
    images = np.full((5, 28, 28), paper, np.uint8)
    images[:, 2:26, 4:24] = ink  # more ink than paper, but not at the edges
    return Samples(images, np.zeros(5, np.uint8))


def test_paper_is_told_by_the_edges() -> None:
    assert paper_is_white(with_strokes(255, 0), "here")
    assert paper_is_white(with_strokes(230, 90), "here")
    assert not paper_is_white(with_strokes(0, 255), "here")
    with pytest.raises(
        InputFileError, match="here: images that are neither.* a mean of 128 of 255"
    ):
        paper_is_white(with_strokes(128, 0), "here")
