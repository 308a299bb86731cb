"""The convolutional model's scores and gradient, written out."""

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import pad

from pipefl.models.factors import Dense, Factored, below, learn, sums
from pipefl.models.pooling import Winners, pooled, unpooled
from pipefl.models.toom_cook import Convolution, convolution

Views = tuple[Any, ...]  # tensors, but that the dense layer's weights may be `Factored`


@dataclass(frozen=True, eq=False)
class Kept:
    """What the way back needs of the way there."""

    patches: Tensor
    first_winners: list[Winners]
    first: Tensor
    points: Tensor
    filters: Tensor
    second_winners: list[Winners]
    second: Tensor
    flat: Tensor
    hidden: Tensor


@dataclass(frozen=True)
class CnnNetwork:
    """Two convolutions and two dense layers on images that lie as side × side × samples.

    With the samples of a batch beside the channels, shifts of an image are shifts in memory,
    poolings compare whole rows of numbers, and every convolution is a few large products of
    matrices. The first one, with a single channel, is one product with all its patches; the
    second one has the most work of the model and goes through `toom_cook`. Biases and ReLU
    come after the maxima, of which there are fewer and which they commute with.

    Legend: `kernel_size` k, `margin` of zeros around images, `pooling`.
    """

    kernel_size: int
    margin: int
    pooling: int

    def forward(self, views: Views, images: Tensor) -> tuple[Tensor, Kept]:
        """B × C scores."""
        conv1, bias1, conv2, bias2, dense, dense_bias, output, output_bias = views
        patches = self._patches(images)
        pixels = torch.mm(patches.flatten(1).t(), _flat_filters(conv1).flatten(1))
        side = patches.shape[1]
        largest, first_winners = pooled(pixels.view(side, side, -1), self.pooling)
        first = _rectified(largest, bias1)

        maps = self._maps(first)
        points = maps.to_points(first, conv2.shape[1])
        filters = torch.mm(maps.filters, _flat_filters(conv2).flatten(1))
        filters = filters.view(-1, conv2.shape[1], conv2.shape[0])
        pixels = maps.from_points(_products(points, filters))
        largest, second_winners = pooled(pixels, self.pooling)
        second = _rectified(largest, bias2)

        flat = _by_sample(second, len(images))
        hidden = sums(_matrix(dense), dense_bias, flat).relu_()
        scores = sums(output, output_bias, hidden)
        kept = Kept(
            patches, first_winners, first, points, filters, second_winners, second, flat, hidden
        )
        return scores, kept

    def backward(self, views: Views, kept: Kept, slopes: Tensor, into: Views) -> None:
        """Add the gradient; each layer's input slopes are taken before its weights change."""
        dense, output = views[4], views[6]
        *into_convolutions, into_dense, into_dense_bias, into_output, into_output_bias = into
        of_hidden = _where_positive(below(output, slopes), kept.hidden)
        learn(into_output, slopes, kept.hidden)
        into_output_bias.add_(slopes.sum(0))
        of_flat = below(_matrix(dense), of_hidden)
        learn(_matrix(into_dense), of_hidden, kept.flat)
        into_dense_bias.add_(of_hidden.sum(0))

        side = kept.second.shape[0]
        of_second = of_flat.view(len(of_flat), side, side, -1).permute(1, 2, 0, 3).flatten(2)
        self._convolutions_backward(kept, of_second, into_convolutions)

    def _convolutions_backward(self, kept: Kept, of_second: Tensor, into: list[Tensor]) -> None:
        into_conv1, into_bias1, into_conv2, into_bias2 = into
        maps, side = self._maps(kept.first), kept.first.shape[0]
        of_second = _where_positive(of_second, kept.second)
        _add_to_bias(into_bias2, of_second)
        result = side + 2 * self.margin - self.kernel_size + 1
        of_sums = unpooled(of_second, kept.second_winners, (result, result))
        of_products = maps.slopes_to_points(of_sums, into_conv2.shape[0])
        of_filters, of_points = _products_backward(kept, of_products)
        of_first = maps.slopes_from_points(of_points)
        _flat_filters(into_conv2).flatten(1).addmm_(maps.filters.t(), of_filters.flatten(1))

        of_first = _where_positive(of_first, kept.first)
        _add_to_bias(into_bias1, of_first)
        side = kept.patches.shape[1]
        of_sums = unpooled(of_first, kept.first_winners, (side, side))
        of_sums = of_sums.view(-1, into_conv1.shape[0])
        _flat_filters(into_conv1).flatten(1).addmm_(kept.patches.flatten(1), of_sums)

    def _patches(self, images: Tensor) -> Tensor:
        """k² × side × side × B: for each place in a filter, the pixels that it meets."""
        k, m = self.kernel_size, self.margin
        padded = pad(images.permute(1, 2, 0), (0, 0, m, m, m, m))
        side = padded.shape[0] - k + 1
        shifts = padded.unfold(0, side, 1).unfold(1, side, 1)
        return shifts.permute(0, 1, 3, 4, 2).reshape(k * k, side, side, len(images))

    def _maps(self, images: Tensor) -> Convolution:
        return convolution(images.shape[0], self.kernel_size, self.margin, images.dtype)


def _products(points: Tensor, filters: Tensor) -> Tensor:
    """At each point, images' values times filters: T × 81 × (tiles, samples) × filters."""
    products = points.new_empty(*points.shape[:3], filters.shape[2])
    for row, out in zip(points, products, strict=True):
        torch.bmm(row, filters, out=out)
    return products


def _products_backward(kept: Kept, slopes: Tensor) -> tuple[Tensor, Tensor]:
    """Slopes of the filters and of the images' values, from those of their products."""
    of_filters = torch.zeros_like(kept.filters)
    of_points = torch.empty_like(kept.points)
    for row, of_row, out in zip(kept.points, slopes, of_points, strict=True):
        of_filters.baddbmm_(row.mT, of_row)
        torch.bmm(of_row, kept.filters.mT, out=out)
    return of_filters, of_points


def _flat_filters(filters: Tensor) -> Tensor:
    """k² × channels × filters, as they are stored."""
    return filters.permute(2, 3, 1, 0).flatten(0, 1)


def flat_dense(dense: Tensor) -> Tensor:
    """Units × (side, side, channels), as they are stored."""
    return dense.permute(0, 2, 3, 1).flatten(1)


def _matrix(dense: Tensor | Factored) -> Dense:
    return dense if isinstance(dense, Factored) else flat_dense(dense)


def _by_sample(images: Tensor, num_samples: int) -> Tensor:
    """Samples × (side, side, channels)."""
    return torch.unflatten(images, 2, (num_samples, -1)).permute(2, 0, 1, 3).flatten(1)


def _rectified(images: Tensor, bias: Tensor) -> Tensor:
    images.view(-1, len(bias)).add_(bias)
    return images.relu_()


def _where_positive(slopes: Tensor, activity: Tensor) -> Tensor:
    passed: Tensor = torch.ops.aten.threshold_backward(slopes, activity, 0)
    return passed


def _add_to_bias(bias: Tensor, slopes: Tensor) -> None:
    bias.add_(slopes.view(-1, len(bias)).sum(0))
