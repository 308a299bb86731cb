"""Maxima of squares of pixels, and the way back to where they were."""

import torch
from torch import Tensor

Winners = tuple[Tensor, ...]
"""For each comparison, 1 where the later one of the two was larger, else 0."""


def pooled(images: Tensor, size: int) -> tuple[Tensor, list[Winners]]:
    """The largest of each `size` × `size` pixels, and who won; rows at the edges may be left out.

    Images are H × W × (samples, channels); they are used up. Pixels are compared pairwise,
    first along a row, then rows; of equal ones the first wins, as in torch.

    >>> images = torch.tensor([[1.0, 3.0], [2.0, 2.5]]).unsqueeze(2)
    >>> largest, winners = pooled(images, 2)
    >>> largest.flatten(), unpooled(largest, winners, (2, 2)).squeeze(2)
    (tensor([3.]), tensor([[0., 3.],
            [0., 0.]]))
    """
    if size == 1:
        return images, []
    height, width = images.shape[0] // size, images.shape[1] // size
    squares = torch.unflatten(images[: height * size, : width * size], 1, (width, size))
    across, first = _largest(squares.unbind(2))
    down, second = _largest(torch.unflatten(across, 0, (height, size)).unbind(1))
    return down, [first, second]


def unpooled(slopes: Tensor, winners: list[Winners], shape: tuple[int, int]) -> Tensor:
    """Slopes of the largest pixels at their places among H × W, 0 elsewhere."""
    if not winners:
        return slopes
    first, second = winners
    size = len(first) + 1
    height, width, rest = slopes.shape
    across = slopes.new_empty(height, size, width, rest)
    _spread(slopes, second, across.unbind(1))
    kept = (height * size, width * size)
    whole = slopes.new_empty(*shape, rest) if kept == shape else slopes.new_zeros(*shape, rest)
    squares = torch.unflatten(whole[: kept[0], : kept[1]], 1, (width, size))
    _spread(across.flatten(0, 1), first, squares.unbind(2))
    return whole


def _largest(rivals: tuple[Tensor, ...]) -> tuple[Tensor, Winners]:
    """The elementwise largest; the rivals but the first are overwritten."""
    best, winners = rivals[0], []
    for rival in rivals[1:]:
        better = torch.maximum(best, rival)
        # In place a comparison is of floats, which is several times as fast as one to bools.
        winners.append(rival.gt_(best))
        best = better
    return best, tuple(winners)


def _spread(slopes: Tensor, winners: Winners, out: tuple[Tensor, ...]) -> None:
    """Give each slope to the one who won, and 0 to the others."""
    left = slopes
    for place in range(len(winners), 0, -1):
        torch.mul(left, winners[place - 1], out=out[place])
        left = torch.sub(left, out[place], out=out[0] if place == 1 else None)
