r"""Convolutions with fewer products: the method of Toom, Cook and Winograd in two dimensions.

A filter g of k numbers goes over m + k − 1 = 9 numbers d of an image in m places. Both are
evaluated as polynomials at 9 points, where one product a point is enough:

.. math:: y = A^\top \big[ (G g) \odot (B^\top d) \big], \qquad
    y_j = \sum_{i=0}^{k-1} g_i\, d_{i+j}, \quad 0 \le j < m

Over the rows and the columns of an image, 81 products give 25 sums that otherwise take 625
where k = 5. All three matrices are linear maps, so the gradients go through their transposes.

From: Lavin and Gray, *Fast Algorithms for Convolutional Neural Networks* (2016).
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

NUM_POINTS = 9
LARGEST_KERNEL = 8  # two places a tile

# One more point is at infinity. Of many sets of four pairs this one loses the fewest digits:
# in float32 a convolution is off by 3e-6 of its norm.
_POINTS = [sign * Fraction(*size) for size in ((1, 4), (7, 10), (6, 5), (2, 1)) for sign in (1, -1)]


@dataclass(frozen=True, eq=False)
class Convolution:
    """The maps for square images of `side` pixels; images are side × side × (samples, channels).

    An image is cut into T × T overlapping tiles of 9 × 9 pixels. Legend: `rows_in` (T, 9) ×
    side and `columns_in` (9, T) × side take an image to its tiles' values at all points,
    `rows_out` and `columns_out`, of as many columns, take products there to the result, and
    `filters` 81 × k² does so for a filter.
    """

    num_tiles: int
    rows_in: Tensor
    columns_in: Tensor
    rows_out: Tensor
    columns_out: Tensor
    filters: Tensor

    def to_points(self, images: Tensor, num_channels: int) -> Tensor:
        """Images' values: T (rows of tiles) × 81 × (tiles in a row, samples) × channels."""
        values = on_both_sides(self.rows_in, self.columns_in, images)
        return self._by_points(values, num_channels)

    def from_points(self, products: Tensor) -> Tensor:
        """The result's pixels, from T × 81 × (tiles, samples) × channels."""
        return on_both_sides(self.rows_out, self.columns_out, self._by_sides(products))

    def slopes_to_points(self, slopes: Tensor, num_channels: int) -> Tensor:
        """What `from_points` does, backwards."""
        values = on_both_sides(self.rows_out.t(), self.columns_out.t(), slopes)
        return self._by_points(values, num_channels)

    def slopes_from_points(self, slopes: Tensor) -> Tensor:
        """What `to_points` does, backwards."""
        return on_both_sides(self.rows_in.t(), self.columns_in.t(), self._by_sides(slopes))

    def _by_points(self, values: Tensor, num_channels: int) -> Tensor:
        return values.view(self.num_tiles, NUM_POINTS**2, -1, num_channels)

    def _by_sides(self, values: Tensor) -> Tensor:
        side = self.num_tiles * NUM_POINTS
        return values.view(side, side, -1)


def on_both_sides(rows: Tensor, columns: Tensor, images: Tensor) -> Tensor:
    r"""Map images of a × a × r numbers to b × b × r: along their rows and their columns.

    .. math:: y_{ijs} = \sum_{h, w} R_{ih}\, C_{jw}\, x_{hws}

    Cost: products of matrices with b a (a + b) r multiplications, or the like, whichever
    order takes fewer.

    >>> double = torch.tensor([[2.0, 0.0]])
    >>> on_both_sides(double, double, torch.arange(4.0).view(2, 2, 1) + 1)
    tensor([[[4.]]])
    """
    (after, before), rest = rows.shape, images.shape[2]
    if after > before:
        wide = torch.bmm(columns.expand(before, after, before), images)
        return torch.mm(rows, wide.reshape(before, after * rest)).view(after, after, rest)
    flat = torch.mm(rows, images.reshape(before, before * rest)).view(after, before, rest)
    return torch.bmm(columns.expand(after, after, before), flat)


@lru_cache(maxsize=32)
def convolution(side: int, kernel_size: int, margin: int, dtype: torch.dtype) -> Convolution:
    """The maps for images with that many zeros around them, and for k ≤ 8."""
    to_products, of_filter, of_tile = _one_tile(kernel_size)
    places = NUM_POINTS + 1 - kernel_size
    result = side + 2 * margin - kernel_size + 1
    num_tiles = -(-result // places)
    padded = np.zeros((num_tiles, NUM_POINTS, num_tiles * places + NUM_POINTS + margin + side))
    out = np.zeros((num_tiles, NUM_POINTS, num_tiles * places))
    for tile in range(num_tiles):
        first = tile * places
        padded[tile, :, first : first + NUM_POINTS] = of_tile
        out[tile, :, first : first + places] = to_products
    into, out = padded[:, :, margin : margin + side], out[:, :, :result]

    def tensor(array: NDArray[np.floating]) -> Tensor:
        return torch.from_numpy(np.ascontiguousarray(array)).to(dtype)

    points = num_tiles * NUM_POINTS
    return Convolution(
        num_tiles,
        tensor(into.reshape(points, side)),
        tensor(into.swapaxes(0, 1).reshape(points, side)),
        tensor(out.reshape(points, result).T),
        tensor(out.swapaxes(0, 1).reshape(points, result).T),
        tensor(np.kron(of_filter, of_filter)),
    )


def _one_tile(
    kernel_size: int,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """A (9 × m), G (9 × k) and Bᵀ (9 × 9) of one dimension, each row of powers of one size."""
    places = NUM_POINTS + 1 - kernel_size
    exact = _powers(NUM_POINTS)
    of_tile = _floats(_inverse(exact)).T
    to_products, of_filter = _floats(_powers(places)), _floats(_powers(kernel_size))
    # Factors of 2 that go from one matrix to another cost no digits.
    sizes = [np.exp2(np.round(np.log2(np.abs(m).max(1)))) for m in (to_products, of_filter)]
    scaled = (to_products / sizes[0][:, None], of_filter / sizes[1][:, None])
    return *scaled, of_tile * (sizes[0] * sizes[1])[:, None]


def _powers(number: int) -> list[list[Fraction]]:
    """1, p, p², … for each point p; at infinity only the last counts."""
    finite = [[point**power for power in range(number)] for point in _POINTS]
    return [*finite, [Fraction(int(power == number - 1)) for power in range(number)]]


def _inverse(matrix: list[list[Fraction]]) -> list[list[Fraction]]:
    """By Gauss and Jordan; points differ, so that it exists, and pivots are never 0 here."""
    size = len(matrix)
    rows = [[*row, *(Fraction(int(i == j)) for j in range(size))] for i, row in enumerate(matrix)]
    for place in range(size):
        pivot = rows[place][place]
        rows[place] = [value / pivot for value in rows[place]]
        for other in range(size):
            factor = rows[other][place]
            if other != place and factor:
                pairs = zip(rows[other], rows[place], strict=True)
                rows[other] = [value - factor * own for value, own in pairs]
    return [row[size:] for row in rows]


def _floats(matrix: list[list[Fraction]]) -> NDArray[np.float64]:
    return np.array([[float(value) for value in row] for row in matrix])
