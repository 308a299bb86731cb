"""Whatever library takes the products: float32's digits, and the same bits in any company."""

import pytest
import torch

from pipefl.models.products import add_products, fast_products


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
    assert torch.backends.mkldnn.matmul.fp32_precision == setting  # type: ignore[attr-defined]


@pytest.mark.parametrize("inputs", [1, 9, 30, 257])
@pytest.mark.parametrize("outputs", [1, 5, 40])
def test_a_product_is_the_same_alone_and_beside_others(inputs: int, outputs: int) -> None:
    rng = torch.Generator().manual_seed(inputs)
    total = torch.randn(8, 16, outputs, generator=rng)
    left = torch.randn(8, 16, inputs, generator=rng)
    right = torch.randn(8, outputs, inputs, generator=rng).mT
    with fast_products():
        together = add_products(total.clone(), left, right)
        for number in range(1, 8):
            some = add_products(total[:number].clone(), left[:number], right[:number])
            assert torch.equal(some, together[:number])
    torch.testing.assert_close(together, total + left @ right, rtol=1e-4, atol=1e-4)
