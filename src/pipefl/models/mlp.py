"""The paper's multilayer perceptron."""

from dataclasses import dataclass

from torch import Tensor
from torch.nn.functional import linear, relu

from pipefl.checks import count
from pipefl.models.differentiated import DifferentiatedModel, scaled_images
from pipefl.models.joint import COMPANY, JointTraining
from pipefl.models.layout import Layout, layer
from pipefl.models.mlp_network import MlpNetwork
from pipefl.models.model import Model, Precision
from pipefl.models.written import WrittenModel


@dataclass(frozen=True, kw_only=True)
class MlpConfig:
    """Dense layers with ReLU, then the classes' scores. Paper: sec:simulations, 200 and 200.

    >>> MlpConfig().build().num_parameters
    199210
    """

    hidden: tuple[int, ...] = (200, 200)
    num_classes: int = 10
    num_features: int = 784

    def __post_init__(self) -> None:
        for place, units in enumerate(self.hidden):
            count(f"hidden[{place}]", units)
        count("num_classes", self.num_classes, minimum=2)
        count("num_features", self.num_features)

    @property
    def layout(self) -> Layout:
        """Weights, stored inputs first, and biases of each layer."""
        names = [f"hidden{place + 1}" for place in range(len(self.hidden))] + ["output"]
        inputs = (self.num_features, *self.hidden)
        outputs = (*self.hidden, self.num_classes)
        layers = zip(names, outputs, inputs, strict=True)
        return Layout(
            tuple(
                part for name, *shape in layers for part in layer(name, tuple(shape), stored=(1, 0))
            )
        )

    def build(self, precision: Precision = "fp32", device: str = "cpu") -> Model:
        """The model; its gradient is written out for float32 on the processor."""
        layout = self.layout
        if precision == "fp32" and device == "cpu":
            network = MlpNetwork()
            hidden = dict.fromkeys(range(0, 2 * len(self.hidden), 2), _as_it_is)
            joint = JointTraining(layout, network, hidden, COMPANY) if hidden else None
            return WrittenModel(layout, network, _score, scaled_images, layout.initial, joint)
        return DifferentiatedModel(layout, _score, scaled_images, layout.initial, precision, device)


def _score(views: tuple[Tensor, ...], images: Tensor) -> Tensor:
    x = images.flatten(1)
    for weight, bias in zip(views[:-2:2], views[1:-2:2], strict=True):
        x = relu(linear(x, weight, bias))
    return linear(x, views[-2], views[-1])


def _as_it_is(weight: Tensor) -> Tensor:
    return weight
