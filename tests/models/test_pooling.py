"""Maxima of squares against torch's own, and the way back."""

import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn.functional import max_pool2d

from pipefl.models.pooling import pooled, unpooled


@given(
    size=st.integers(1, 4),
    sides=st.tuples(st.integers(4, 11), st.integers(4, 11)),
    num_values=st.sampled_from([2, 1000]),  # 2: most squares have several largest pixels
    seed=st.integers(0, 1000),
)
def test_maxima_and_their_slopes_are_torchs(
    size: int, sides: tuple[int, int], num_values: int, seed: int
) -> None:
    draw = torch.Generator().manual_seed(seed)
    images = torch.randint(num_values, (*sides, 3), generator=draw).float()
    theirs = images.permute(2, 0, 1).clone().requires_grad_()
    expected = max_pool2d(theirs, size)
    largest, winners = pooled(images.clone(), size)
    assert torch.equal(largest.permute(2, 0, 1), expected)
    slopes = torch.randn(largest.shape, generator=draw)
    expected.backward(slopes.permute(2, 0, 1))  # type: ignore[no-untyped-call]  # torch's
    assert theirs.grad is not None
    assert torch.equal(unpooled(slopes, winners, sides).permute(2, 0, 1), theirs.grad)
