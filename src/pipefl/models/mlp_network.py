"""The multilayer perceptron's scores and gradient, written out."""

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from pipefl.models.factors import below, learn, sums

Views = tuple[Any, ...]  # tensors, but that weights may be `Factored`


@dataclass(frozen=True)
class MlpNetwork:
    r"""Dense layers with ReLU between them, for one client or G of them side by side.

    .. math:: h_0 = x, \qquad h_l = \max(0, W_l h_{l-1} + b_l), \qquad z = W_L h_{L-1} + b_L

    A client's layers are small, so that much of a step's time would go by between products;
    with another axis for clients in front, one call does the products of all of them.
    """

    def forward(self, views: Views, images: Tensor) -> tuple[Tensor, list[Tensor]]:
        """… × B × C scores; the layers' inputs are kept."""
        inputs = [images.flatten(-2)]
        for weight, bias in zip(views[:-2:2], views[1:-2:2], strict=True):
            inputs.append(sums(weight, bias, inputs[-1]).relu_())
        return sums(views[-2], views[-1], inputs[-1]), inputs

    def backward(
        self,
        views: Views,
        kept: list[Tensor],
        slopes: Tensor,
        into: Views,
    ) -> None:
        """Add the gradient; each layer's input slopes are taken before its weights change."""
        for place in range(len(kept) - 1, -1, -1):
            of_inputs = slopes
            if place:
                of_inputs = below(views[2 * place], slopes)
                of_inputs = torch.ops.aten.threshold_backward(of_inputs, kept[place], 0)
            learn(into[2 * place], slopes, kept[place])
            into[2 * place + 1].add_(slopes.sum(-2))
            slopes = of_inputs
