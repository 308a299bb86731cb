"""What a model with its gradient written out consists of."""

from typing import Any, Protocol, TypeVar

from torch import Tensor

K = TypeVar("K")


class Network(Protocol[K]):
    """From inputs to scores, and from the scores' slopes back to the weights.

    Views are `Layout.views`; those of dense layers may be `Factored` instead. Networks that
    can train clients side by side take arrays with another axis for them in front.
    """

    def forward(self, views: tuple[Any, ...], inputs: Tensor) -> tuple[Tensor, K]:
        """The scores, and what `backward` needs."""
        ...

    def backward(
        self, views: tuple[Any, ...], kept: K, slopes: Tensor, into: tuple[Any, ...]
    ) -> None:
        """Add the weights' slopes to `into`, which may be the very `views`."""
        ...
