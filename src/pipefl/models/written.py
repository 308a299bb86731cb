"""Models whose gradients are written out, without a graph of what was computed."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray
from torch import Tensor

from pipefl.models.chunks import in_chunks
from pipefl.models.differentiated import Score
from pipefl.models.joint import JointTraining
from pipefl.models.layout import Layout
from pipefl.models.loss import losses_and_slopes
from pipefl.models.model import Precision
from pipefl.models.network import Network
from pipefl.models.products import fast_products


@dataclass(frozen=True, eq=False)
class WrittenModel:
    r"""A `Model` of images by a network's own gradients, for float32 on the processor.

    .. math:: w \leftarrow w + \nabla_w \big\langle s, z(w) \big\rangle, \qquad
        s = -\frac{\eta}{n}\, \frac{\partial}{\partial z} \sum_i l_i

    Legend: z the scores, l_i the losses of the n samples, η the learning rate. With
    slopes s of the scores that have the step's length in them, whatever a gradient would be
    is added to the weights as it comes out of a product of matrices, and never stored.

    `score` gives the network's scores in operations of torch; `draw` gives initial weights
    from a seed.
    """

    layout: Layout
    network: Network[Any]
    score: Score
    prepare_inputs: Callable[[NDArray[Any]], Tensor]
    draw: Callable[[int], Tensor]
    joint: JointTraining | None = None

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
        losses, slopes = losses_and_slopes(scores, targets)
        slopes.mul_(-learning_rate / targets.numel())
        self.network.backward(views, kept, slopes, views)
        return losses.mean()

    @fast_products()
    def add_gradient(
        self, weights: Tensor, inputs: Tensor, targets: Tensor, share: Tensor, out: Tensor
    ) -> Tensor:
        """Add Σ share_i ∇l_i to `out`; the losses l_i."""
        views = self.layout.views(weights)
        scores, kept = self.network.forward(views, inputs)
        losses, slopes = losses_and_slopes(scores, targets)
        slopes.mul_(share.unsqueeze(-1))
        self.network.backward(views, kept, slopes, self.layout.views(out))
        return losses

    @fast_products()
    def scores(self, weights: Tensor, inputs: Tensor) -> Tensor:
        """Scores of all classes."""
        views = self.layout.views(weights)
        return in_chunks(lambda part: self.network.forward(views, part)[0], inputs)
