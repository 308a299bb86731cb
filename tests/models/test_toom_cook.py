"""Convolutions with fewer products against torch's own, in both directions."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor
from torch.nn.functional import conv2d

from pipefl.models.toom_cook import LARGEST_KERNEL, NUM_POINTS, convolution, on_both_sides

CHANNELS, FILTERS, SAMPLES = 2, 3, 2


@st.composite
def shapes(draw: st.DrawFn) -> tuple[int, int, int]:
    """A side, a kernel's size and a margin that leave something of the image."""
    kernel_size = draw(st.integers(1, LARGEST_KERNEL))
    margin = draw(st.integers(0, kernel_size - 1))
    side = draw(st.integers(max(1, kernel_size - 2 * margin), 20))
    return side, kernel_size, margin


def by_toom_cook(images: Tensor, filters: Tensor, margin: int) -> Tensor:
    """The convolution of B × C × H × W images, by products at points, as the model does it."""
    side, kernel_size = images.shape[-1], filters.shape[-1]
    maps = convolution(side, kernel_size, margin, images.dtype)
    flat = images.permute(2, 3, 0, 1).flatten(2)
    points = maps.to_points(flat, CHANNELS)
    by_place = filters.permute(2, 3, 1, 0).flatten(0, 1).flatten(1)
    of_filters = (maps.filters @ by_place).view(NUM_POINTS**2, CHANNELS, FILTERS)
    result = maps.from_points(points @ of_filters)
    return torch.unflatten(result, 2, (len(images), FILTERS)).permute(2, 3, 0, 1)


@settings(max_examples=25)
@given(shapes(), st.integers(0, 1000))
def test_it_is_the_convolution_and_so_are_its_gradients(
    shape: tuple[int, int, int], seed: int
) -> None:
    side, kernel_size, margin = shape
    draw = torch.Generator().manual_seed(seed)
    size = {"dtype": torch.float64, "generator": draw, "requires_grad": True}
    images = torch.randn(SAMPLES, CHANNELS, side, side, **size)  # type: ignore[call-overload]  # a table of settings
    filters = torch.randn(FILTERS, CHANNELS, kernel_size, kernel_size, **size)  # type: ignore[call-overload]  # as above
    expected = conv2d(images, filters, padding=margin)
    found = by_toom_cook(images, filters, margin)
    torch.testing.assert_close(found, expected, rtol=1e-9, atol=1e-9)
    slopes = torch.randn(expected.shape, dtype=torch.float64, generator=draw)
    ours = torch.autograd.grad(found, (images, filters), slopes)
    theirs = torch.autograd.grad(expected, (images, filters), slopes)
    for own, their in zip(ours, theirs, strict=True):
        torch.testing.assert_close(own, their, rtol=1e-9, atol=1e-8)


@settings(max_examples=25)
@given(shapes(), st.integers(0, 1000))
def test_the_ways_back_are_the_transposes(shape: tuple[int, int, int], seed: int) -> None:
    side, kernel_size, margin = shape
    maps = convolution(side, kernel_size, margin, torch.float64)
    draw = torch.Generator().manual_seed(seed)
    images = torch.randn(side, side, 3, dtype=torch.float64, generator=draw)
    points = maps.to_points(images, 3)
    slopes = torch.randn(points.shape, dtype=torch.float64, generator=draw)
    back = maps.slopes_from_points(slopes)
    assert float((points * slopes).sum()) == pytest.approx(float((images * back).sum()), abs=1e-7)
    result = maps.from_points(slopes)
    other = torch.randn(result.shape, dtype=torch.float64, generator=draw)
    again = maps.slopes_to_points(other, 3)
    assert float((result * other).sum()) == pytest.approx(float((slopes * again).sum()), abs=1e-6)


def test_float32_loses_few_digits() -> None:
    draw = torch.Generator().manual_seed(0)
    images = torch.rand(SAMPLES, CHANNELS, 28, 28, generator=draw)
    filters = torch.randn(FILTERS, CHANNELS, 5, 5, generator=draw)
    exact = conv2d(images.double(), filters.double(), padding=2)
    error = by_toom_cook(images, filters, 2).double() - exact
    assert error.norm() < 1e-5 * exact.norm()


@given(st.integers(1, 9), st.integers(1, 9), st.integers(1, 4))
def test_both_sides_are_rows_and_columns(before: int, after: int, rest: int) -> None:
    draw = torch.Generator().manual_seed(before * 100 + after * 10 + rest)
    rows, columns = torch.randn(2, after, before, dtype=torch.float64, generator=draw)
    images = torch.randn(before, before, rest, dtype=torch.float64, generator=draw)
    expected = torch.einsum("ih,jw,hws->ijs", rows, columns, images)
    torch.testing.assert_close(on_both_sides(rows, columns, images), expected)
