"""Logistic regression: scores that are linear in the pixels."""

from dataclasses import dataclass

from torch import Tensor
from torch.nn.functional import linear

from pipefl.checks import count
from pipefl.models.differentiated import DifferentiatedModel, scaled_images
from pipefl.models.layout import Layout, Part
from pipefl.models.model import Model, Precision


@dataclass(frozen=True, kw_only=True)
class LinearConfig:
    """One dense layer, without and with biases a convex problem, so that it starts at 0.

    >>> LinearConfig().build().num_parameters
    7850
    """

    num_classes: int = 10
    num_features: int = 784

    def __post_init__(self) -> None:
        count("num_classes", self.num_classes, minimum=2)
        count("num_features", self.num_features)

    @property
    def layout(self) -> Layout:
        """`weight` C × d and `bias` C."""
        shape = (self.num_classes, self.num_features)
        return Layout((Part("weight", shape, 0.0), Part("bias", shape[:1], 0.0)))

    def build(self, precision: Precision = "fp32", device: str = "cpu") -> Model:
        """The model."""
        layout = self.layout
        return DifferentiatedModel(layout, _score, scaled_images, layout.initial, precision, device)


def _score(views: tuple[Tensor, ...], images: Tensor) -> Tensor:
    weight, bias = views
    return linear(images.flatten(1), weight, bias)
