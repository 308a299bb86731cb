"""Scores in chunks of one size, so that a sample's bits do not depend on its company."""

from collections.abc import Callable

import torch
from torch import Tensor

CHUNK = 64  # samples; larger ones leave the cache


def in_chunks(score: Callable[[Tensor], Tensor], inputs: Tensor) -> Tensor:
    """`score` of all inputs, 64 at a time; the last chunk is filled up with zeros.

    Matrix products of another number of rows may add in another order. With one thread
    and as many rows every time, each row comes out the same wherever it is.
    """
    pieces = []
    for first in range(0, len(inputs), CHUNK):
        part = inputs[first : first + CHUNK]
        missing = CHUNK - len(part)
        full = torch.cat([part, part.new_zeros(missing, *part.shape[1:])]) if missing else part
        pieces.append(score(full)[: len(part)])
    return torch.cat(pieces)
