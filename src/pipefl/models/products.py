"""Products of float32 matrices by whichever of torch's two libraries has the better kernels."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

import torch
from torch import Tensor

# Multiplied by 1, it comes out as it is in float32, and as 256 where factors are rounded to bf16.
_TELLTALE = 257.0


@contextmanager
def fast_products() -> Iterator[None]:
    """Have products of float32 matrices taken by oneDNN in this block, where it does so exactly.

    torch takes them with MKL, which has no kernels for the wide registers of AMD's
    processors and reaches half of what oneDNN does there. torch asks oneDNN only when it
    may round factors to bfloat16; but oneDNN makes use of that only on processors with
    matrix units for bfloat16, and elsewhere computes in float32 all the same. So it is
    tried out once, and where factors are rounded everything stays with MKL.
    """
    if not _is_exact():
        yield
        return
    with _onednn():
        yield


def add_product(total: Tensor, left: Tensor, right: Tensor) -> Tensor:
    """Add the product of two matrices to `total`, or those of each of G pairs side by side."""
    return total.addmm_(left, right) if total.dim() == 2 else total.baddbmm_(left, right)


@contextmanager
def _onednn() -> Iterator[None]:
    setting: Any = getattr(torch.backends.mkldnn, "matmul", None)
    before = setting.fp32_precision
    setting.fp32_precision = "bf16"
    try:
        yield
    finally:
        setting.fp32_precision = before


@lru_cache(maxsize=1)
def _is_exact() -> bool:
    if not hasattr(torch.backends.mkldnn, "matmul"):  # before torch 2.9
        return False
    with _onednn():
        return all(_keeps_all_digits(size) for size in (16, 64, 256, 1024))


def _keeps_all_digits(size: int) -> bool:
    telltale = torch.full((size, size), _TELLTALE)
    several = torch.bmm(telltale.expand(2, size, size), torch.eye(size).expand(2, size, size))
    products = (torch.mm(telltale, torch.eye(size)), *several)
    return all(torch.equal(product, telltale) for product in products)
