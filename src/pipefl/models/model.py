"""What a model is to training: arithmetic on one flat vector of weights."""

from typing import Any, Literal, Protocol

from numpy.typing import NDArray
from torch import Tensor

from pipefl.models.joint import JointTraining
from pipefl.models.layout import Layout

Precision = Literal["fp32", "bf16"]


class Model(Protocol):
    """A loss, its gradient and its scores, for weights in one vector of P float32 numbers.

    A batch has B samples; targets are B classes, or for text B × L token ids, where 0 is
    padding that counts for nothing. The loss of a batch is its mean cross entropy: over
    the images, or over the tokens that are not padding.

    Everything is deterministic: with one torch thread the same arguments give the same
    bits in every process.
    """

    @property
    def num_parameters(self) -> int:
        """P."""
        ...

    @property
    def joint(self) -> JointTraining | None:
        """A faster way to train clients that begin with the same weights, if there is one."""
        ...

    @property
    def layout(self) -> Layout:
        """Where in the vector which named array is."""
        ...

    @property
    def precision(self) -> Precision:
        """Whether products are taken in bfloat16."""
        ...

    def score(self, views: tuple[Tensor, ...], inputs: Tensor, /) -> Tensor:
        """Scores from the weights' views (`Layout.views`) and prepared inputs.

        In operations of torch, so that others can differentiate it, and with `torch.func.vmap`
        for many clients at once.
        """
        ...

    def initial(self, seed: int) -> Tensor:
        """P weights to begin with, which depend on the seed alone."""
        ...

    def prepare(self, inputs: NDArray[Any]) -> Tensor:
        """What the other methods take as inputs: images in [0, 1], or token ids as int64."""
        ...

    def descend(
        self, weights: Tensor, inputs: Tensor, targets: Tensor, learning_rate: float
    ) -> Tensor:
        """One step w ← w − η ∇F(w) in place, and F(w) from before it, a tensor of no axes."""
        ...

    def add_gradient(
        self, weights: Tensor, inputs: Tensor, targets: Tensor, share: Tensor, out: Tensor
    ) -> Tensor:
        """Add Σ share_i ∇l_i to `out` (P), and return the B losses l_i.

        The loss of a text sequence is the mean over its own tokens that are not padding.
        """
        ...

    def scores(self, weights: Tensor, inputs: Tensor) -> Tensor:
        """B × C scores of the classes (logits), or B × L × C.

        A sample's bits do not depend on the samples beside it nor on its place among them.
        """
        ...
