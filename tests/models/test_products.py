"""Whatever library takes the products: float32's digits."""

import pytest
import torch

from pipefl.models.products import add_product, fast_products


@pytest.mark.parametrize("size", [5, 40, 300])
def test_products_have_the_digits_of_float32(size: int) -> None:
    rng = torch.Generator().manual_seed(size)
    left, right = (torch.randn(2, size, size, generator=rng) for _ in range(2))
    expected = left.double() @ right.double()
    with fast_products():
        together = torch.bmm(left, right)
        alone = torch.mm(left[0], right[0])
    for found, exact in ((together, expected), (alone, expected[0])):
        assert (found - exact).norm() / exact.norm() < 2e-6  # bfloat16 is off by 2e-3


def test_torch_is_left_as_it_was() -> None:
    setting = torch.backends.mkldnn.matmul.fp32_precision  # type: ignore[attr-defined]  # torch's
    with pytest.raises(ValueError, match="inside"), fast_products():
        raise ValueError("inside")
    assert torch.backends.mkldnn.matmul.fp32_precision == setting  # type: ignore[attr-defined]  # torch's


def test_products_are_added_to_what_is_there() -> None:
    rng = torch.Generator().manual_seed(0)
    total, left, right = (torch.randn(3, 4, 4, generator=rng) for _ in range(3))
    expected = total + left @ right
    torch.testing.assert_close(add_product(total[0].clone(), left[0], right[0]), expected[0])
    assert add_product(total, left, right) is total
    torch.testing.assert_close(total, expected)
