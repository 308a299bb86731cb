"""Models whose gradients are written out, without a graph of what was computed."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

import torch
from numpy.typing import NDArray
from torch import Tensor

from pipefl.models.chunks import in_chunks
from pipefl.models.differentiated import Score
from pipefl.models.layout import Layout
from pipefl.models.loss import PADDING, losses_and_slopes
from pipefl.models.model import Precision
from pipefl.models.products import fast_products

K = TypeVar("K")


class Network(Protocol[K]):
    """From inputs to scores, and from the scores' slopes back to the weights.

    Views are `Layout.views`. Networks that can be stacked take arrays with another axis for
    G clients in front, and compute the same for each.
    """

    def forward(self, views: tuple[Tensor, ...], inputs: Tensor) -> tuple[Tensor, K]:
        """The scores, and what `backward` needs."""
        ...

    def backward(
        self, views: tuple[Tensor, ...], kept: K, slopes: Tensor, into: tuple[Tensor, ...]
    ) -> None:
        """Add the weights' slopes to `into`, which may be the very `views`."""
        ...


@dataclass(frozen=True, eq=False)
class WrittenModel(Generic[K]):
    r"""A `Model` by a network's own gradients, for float32 on the processor.

    .. math:: w \leftarrow w + \nabla_w \big\langle s, z(w) \big\rangle, \qquad
        s = -\frac{\eta}{n}\, \frac{\partial}{\partial z} \sum_i l_i

    Legend: z the scores, l_i the losses of the n samples or tokens, η the learning rate. With
    slopes s of the scores that have the step's length in them, whatever a gradient would be
    is added to the weights as it comes out of a product of matrices, and never stored.

    `score` gives the network's scores in operations of torch; `draw` gives initial weights
    from a seed.
    """

    layout: Layout
    network: Network[K]
    score: Score
    prepare_inputs: Callable[[NDArray[Any]], Tensor]
    draw: Callable[[int], Tensor]
    is_text: bool = False
    stack: int = 1

    @property
    def num_parameters(self) -> int:
        """P."""
        return self.layout.num_parameters

    @property
    def precision(self) -> Precision:
        """Always float32."""
        return "fp32"

    def initial(self, seed: int) -> Tensor:
        """P weights to begin with."""
        return self.draw(seed)

    def prepare(self, inputs: NDArray[Any]) -> Tensor:
        """Inputs as the network takes them."""
        return self.prepare_inputs(inputs)

    @fast_products()
    def descend(
        self, weights: Tensor, inputs: Tensor, targets: Tensor, learning_rate: float
    ) -> Tensor:
        """One step in place, and the loss from before it."""
        views = self.layout.views(weights)
        scores, kept = self.network.forward(views, inputs)
        losses, slopes = losses_and_slopes(scores, targets, skip_padding=self.is_text)
        number = max(1, int((targets != PADDING).sum())) if self.is_text else targets.numel()
        slopes.mul_(-learning_rate / number)
        self.network.backward(views, kept, slopes, views)
        return losses.sum().div_(number)

    @fast_products()
    def descend_stack(
        self,
        weights: Tensor,
        inputs: Tensor,
        targets: Tensor,
        counts: Tensor,
        learning_rate: float,
    ) -> Tensor:
        """One step for each of G clients, together or one after the other."""
        if self.stack > 1:
            return self._together(weights, inputs, targets, counts, learning_rate)
        losses = [
            self.descend(row, inputs[g, :count], targets[g, :count], learning_rate)
            for g, (row, count) in enumerate(zip(weights, counts.tolist(), strict=True))
        ]
        return torch.stack(losses)

    @fast_products()
    def add_gradient(
        self, weights: Tensor, inputs: Tensor, targets: Tensor, share: Tensor, out: Tensor
    ) -> Tensor:
        """Add Σ share_i ∇l_i to `out`; the losses l_i."""
        views = self.layout.views(weights)
        scores, kept = self.network.forward(views, inputs)
        losses, slopes = losses_and_slopes(scores, targets, skip_padding=self.is_text)
        if self.is_text:
            number = (targets != PADDING).sum(1).clamp_(min=1)
            losses = losses.sum(1).div_(number)
            share = (share / number).unsqueeze(1)
        slopes.mul_(share.unsqueeze(-1))
        self.network.backward(views, kept, slopes, self.layout.views(out))
        return losses

    @fast_products()
    def scores(self, weights: Tensor, inputs: Tensor) -> Tensor:
        """Scores of all classes."""
        views = self.layout.views(weights)
        return in_chunks(lambda part: self.network.forward(views, part)[0], inputs)

    def _together(
        self,
        weights: Tensor,
        inputs: Tensor,
        targets: Tensor,
        counts: Tensor,
        learning_rate: float,
    ) -> Tensor:
        """All G clients in every product of matrices; slopes of what does not count are 0."""
        views = self.layout.views(weights)
        scores, kept = self.network.forward(views, inputs)
        losses, slopes = losses_and_slopes(scores, targets, skip_padding=False)
        places = torch.arange(targets.shape[1])
        share = (places < counts.unsqueeze(1)).to(losses.dtype).div_(counts.unsqueeze(1))
        slopes.mul_(share.unsqueeze(-1).mul(-learning_rate))
        self.network.backward(views, kept, slopes, views)
        return losses.mul_(share).sum(1)
