"""The paper's convolutional model."""

from dataclasses import dataclass
from typing import Literal, get_args

from torch import Tensor
from torch.nn.functional import conv2d, linear, max_pool2d, relu

from pipefl.checks import count
from pipefl.errors import ArgumentError
from pipefl.models.cnn_network import CnnNetwork, flat_dense
from pipefl.models.differentiated import DifferentiatedModel, scaled_images
from pipefl.models.joint import JointTraining
from pipefl.models.layout import Layout, layer
from pipefl.models.model import Model, Precision
from pipefl.models.toom_cook import LARGEST_KERNEL
from pipefl.models.written import WrittenModel

_DENSE = 4  # the place of the dense layer's weights among the parts

Padding = Literal["same", "valid"]


@dataclass(frozen=True, kw_only=True)
class CnnConfig:
    r"""Two convolutions with ReLU and max pooling, a dense layer with ReLU, the classes' scores.

    Paper: sec:simulations, "two-layer CNN with 32 and 64 5 × 5 filters". What it leaves open
    is as in McMahan et al. (2017), who have 1,663,370 weights: images padded with zeros so
    that convolutions keep their size (`padding` "same", or "valid" for none), maxima of
    2 × 2 pixels (`pooling`), a dense layer of 512 units (`dense`).

    >>> CnnConfig().build().num_parameters
    1663370
    """

    filters: tuple[int, int] = (32, 64)
    kernel_size: int = 5
    padding: Padding = "same"
    pooling: int = 2
    dense: int = 512
    num_classes: int = 10
    image_size: int = 28

    def __post_init__(self) -> None:
        for place, filters in enumerate(self.filters):
            count(f"filters[{place}]", filters)
        if len(self.filters) != 2:
            raise ArgumentError("filters", self.filters, "it must be two numbers of filters")
        count("kernel_size", self.kernel_size)
        count("pooling", self.pooling)
        count("dense", self.dense)
        count("num_classes", self.num_classes, minimum=2)
        count("image_size", self.image_size)
        if self.padding not in get_args(Padding):
            raise ArgumentError("padding", self.padding, 'it must be "same" or "valid"')
        if self.padding == "same" and self.kernel_size % 2 == 0:
            accepted = 'it must be odd where padding is "same"'
            raise ArgumentError("kernel_size", self.kernel_size, accepted)
        if self.sides[1] < 1:
            accepted = "nothing is left of the image after both convolutions and poolings"
            raise ArgumentError("image_size", self.image_size, accepted)

    @property
    def margin(self) -> int:
        """Rows of zeros on each side of an image."""
        return self.kernel_size // 2 if self.padding == "same" else 0

    @property
    def sides(self) -> tuple[int, int]:
        """The side of an image after the first and the second pooling."""
        loss = self.kernel_size - 1 - 2 * self.margin
        first = (self.image_size - loss) // self.pooling
        return first, (first - loss) // self.pooling

    @property
    def layout(self) -> Layout:
        """Eight arrays; filters are stored last, the dense layer with channels last."""
        one, two = self.filters
        k, side, last, filters_last = self.kernel_size, self.sides[1], (0, 2, 3, 1), (2, 3, 1, 0)
        flat = two * side * side
        return Layout(
            (
                *layer("conv1", (one, 1, k, k), stored=filters_last),
                *layer("conv2", (two, one, k, k), stored=filters_last),
                *layer("dense", (self.dense, flat), (self.dense, two, side, side), last),
                *layer("output", (self.num_classes, self.dense)),
            )
        )

    def build(self, precision: Precision = "fp32", device: str = "cpu") -> Model:
        """The model; its gradient is written out for float32 on the processor."""
        layout = self.layout
        if precision == "fp32" and device == "cpu" and self.kernel_size <= LARGEST_KERNEL:
            network = CnnNetwork(self.kernel_size, self.margin, self.pooling)
            joint = JointTraining(layout, network, {_DENSE: flat_dense})
            return WrittenModel(layout, network, self._score, scaled_images, layout.initial, joint)
        return DifferentiatedModel(
            layout, self._score, scaled_images, layout.initial, precision, device
        )

    def _score(self, views: tuple[Tensor, ...], images: Tensor) -> Tensor:
        conv1, bias1, conv2, bias2, dense, dense_bias, output, output_bias = views
        x = images.unsqueeze(1)
        x = max_pool2d(relu(conv2d(x, conv1, bias1, padding=self.margin)), self.pooling)
        x = max_pool2d(relu(conv2d(x, conv2, bias2, padding=self.margin)), self.pooling)
        x = relu(linear(x.flatten(1), dense.flatten(1), dense_bias))
        return linear(x, output, output_bias)
