"""Any model whose scores torch can differentiate."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from pipefl.models.chunks import in_chunks
from pipefl.models.layout import Layout
from pipefl.models.loss import batch_loss, sample_losses
from pipefl.models.model import Precision
from pipefl.models.products import fast_products

_LARGE = 100_000  # weights; oneDNN takes longer to begin a product than small ones take

Score = Callable[[tuple[Tensor, ...], Tensor], Tensor]
"""From the weights' views (`Layout.views`) and prepared inputs to scores."""


def scaled_images(inputs: NDArray[Any]) -> Tensor:
    """Images of 0 to 255 as float32 in [0, 1]."""
    return torch.from_numpy(inputs.astype(np.float32)).div_(255.0)


def token_ids(inputs: NDArray[Any]) -> Tensor:
    """Token ids as int64."""
    return torch.from_numpy(inputs.astype(np.int64))


@dataclass(frozen=True, eq=False)
class DifferentiatedModel:
    """A `Model` by automatic differentiation of `score`, on any device.

    With `precision` bf16, products are taken in bfloat16 and added up in float32
    (`torch.autocast`); weights and gradients stay float32. Weights may live on another
    device than the computation.

    `draw` gives initial weights from a seed. Clients are trained one by one.
    `quick`, if there is one, gives the scores of `score` by some call of torch that cannot be
    batched over clients.
    """

    layout: Layout
    score: Score
    prepare_inputs: Callable[[NDArray[Any]], Tensor]
    draw: Callable[[int], Tensor]
    precision: Precision = "fp32"
    device: str = "cpu"
    joint: None = None
    quick: Score | None = None

    @property
    def num_parameters(self) -> int:
        """P."""
        return self.layout.num_parameters

    def initial(self, seed: int) -> Tensor:
        """P weights to begin with."""
        return self.draw(seed)

    def prepare(self, inputs: NDArray[Any]) -> Tensor:
        """Inputs as the model takes them, on its device."""
        return self.prepare_inputs(inputs).to(self.device)

    def descend(
        self, weights: Tensor, inputs: Tensor, targets: Tensor, learning_rate: float
    ) -> Tensor:
        """One step in place, and the loss from before it."""
        leaves = self._leaves(weights)
        with self._products():
            loss = batch_loss(self._scores(leaves, inputs), targets.to(self.device))
            gradients = torch.autograd.grad(loss, leaves)
        for view, gradient in zip(self.layout.views(weights), gradients, strict=True):
            view.sub_(gradient.to(view.device), alpha=learning_rate)
        return loss.detach()

    def add_gradient(
        self, weights: Tensor, inputs: Tensor, targets: Tensor, share: Tensor, out: Tensor
    ) -> Tensor:
        """Add Σ share_i ∇l_i to `out`; the losses l_i."""
        leaves = self._leaves(weights)
        with self._products():
            losses = sample_losses(self._scores(leaves, inputs), targets.to(self.device))
            gradients = torch.autograd.grad(losses.dot(share.to(losses.device)), leaves)
        for view, gradient in zip(self.layout.views(out), gradients, strict=True):
            view.add_(gradient.to(view.device))
        return losses.detach()

    def scores(self, weights: Tensor, inputs: Tensor) -> Tensor:
        """Scores of all classes."""
        views = tuple(view.to(self.device) for view in self.layout.views(weights))
        with torch.no_grad(), self._products():
            return in_chunks(lambda part: self._scores(views, part), inputs)

    def _leaves(self, weights: Tensor) -> tuple[Tensor, ...]:
        views = self.layout.views(weights.detach())
        return tuple(view.detach().to(self.device).requires_grad_() for view in views)

    def _scores(self, views: tuple[Tensor, ...], inputs: Tensor) -> Tensor:
        with self._casting():
            scores = (self.quick or self.score)(views, inputs)
        return scores.float() if scores.dtype == torch.bfloat16 else scores

    def _products(self) -> AbstractContextManager[None]:
        return fast_products() if self.num_parameters >= _LARGE else nullcontext()

    def _casting(self) -> AbstractContextManager[Any]:
        kind = torch.device(self.device).type
        return torch.autocast(kind, torch.bfloat16, enabled=self.precision == "bf16")
