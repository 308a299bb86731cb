"""Named arrays in one flat vector, each stored in the order that its kernel reads it."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from pipefl.errors import PipeflError
from pipefl.randomness import generator


@dataclass(frozen=True)
class Part:
    """One array: its public name and shape, how it starts, and how it is stored.

    It starts uniform on [−`scale`, `scale`], or normal with that deviation.

    Its kernel sees it in the shape `axes` (the public one by default), stored with these
    axes in the order `stored` (the public one by default), the last one densely. So the
    weights from an image of 64 channels, 7 × 7, to 512 units are publicly 512 × 3136; with
    axes (512, 64, 7, 7) stored in the order (0, 2, 3, 1), channels are next to each other.
    """

    name: str
    shape: tuple[int, ...]
    scale: float
    normal: bool = False
    axes: tuple[int, ...] = ()
    stored: tuple[int, ...] = ()

    @property
    def size(self) -> int:
        """How many numbers it has."""
        return prod(self.shape)

    def view(self, flat: Tensor) -> Tensor:
        """The numbers of `flat` (… × size), contiguous or not, as the kernel's axes; no copy."""
        axes = self.axes or self.shape
        if not self.stored:
            return torch.unflatten(flat, -1, axes)
        inverse = sorted(range(len(axes)), key=self.stored.__getitem__)
        leading = flat.dim() - 1
        in_order = torch.unflatten(flat, -1, [axes[axis] for axis in self.stored])
        return in_order.permute(*range(leading), *(leading + axis for axis in inverse))


def layer(
    name: str,
    shape: tuple[int, ...],
    axes: tuple[int, ...] = (),
    stored: tuple[int, ...] = (),
) -> tuple[Part, Part]:
    """Weights of a layer, outputs first, and its biases: uniform within 1/√(inputs of a unit)."""
    scale = prod(shape[1:]) ** -0.5
    weight = Part(f"{name}.weight", shape, scale, axes=axes, stored=stored)
    return weight, Part(f"{name}.bias", shape[:1], scale)


@dataclass(frozen=True)
class Layout:
    """The parts of a vector of P numbers, one after the other.

    >>> layout = Layout((Part("weight", (2, 3), 0.5, stored=(1, 0)), Part("bias", (2,), 0.5)))
    >>> layout.offsets, layout.num_parameters
    ((0, 6), 8)
    >>> layout.named(torch.arange(8.0))["weight"]
    array([[0., 2., 4.],
           [1., 3., 5.]], dtype=float32)
    """

    parts: tuple[Part, ...]

    @cached_property
    def sizes(self) -> list[int]:
        """How many numbers each part has."""
        return [part.size for part in self.parts]

    @property
    def offsets(self) -> tuple[int, ...]:
        """Where each part begins."""
        return tuple(sum(self.sizes[:index]) for index in range(len(self.sizes)))

    @property
    def num_parameters(self) -> int:
        """P."""
        return sum(self.sizes)

    def views(self, weights: Tensor) -> tuple[Tensor, ...]:
        """The parts of `weights` (P, or G × P) in the shapes that kernels work on; no copies."""
        pieces = weights.split_with_sizes(self.sizes, -1)
        return tuple(part.view(piece) for part, piece in zip(self.parts, pieces, strict=True))

    def named(self, weights: Tensor) -> dict[str, NDArray[np.float32]]:
        """The public arrays, copied, from a vector."""
        views = self.views(weights.detach().cpu())
        return {
            part.name: view.reshape(part.shape).clone().numpy()
            for part, view in zip(self.parts, views, strict=True)
        }

    def flat(self, arrays: Mapping[str, NDArray[np.floating]]) -> Tensor:
        """The vector, from its public arrays."""
        names = [part.name for part in self.parts]
        if set(arrays) != set(names):
            odd = sorted(set(arrays) ^ set(names))
            raise PipeflError(
                f"the model's arrays are {', '.join(names)}; not so: {', '.join(odd)}"
            )
        weights = torch.empty(self.num_parameters)
        for part, view in zip(self.parts, self.views(weights), strict=True):
            array = np.asarray(arrays[part.name])
            if array.shape != part.shape:
                text = f"array {part.name!r} is {array.shape}; it must be {part.shape}"
                raise PipeflError(text)
            view.copy_(torch.tensor(array, dtype=torch.float32).reshape(view.shape))
        return weights

    def initial(self, seed: int) -> Tensor:
        """Random weights, drawn part by part in the public order."""
        rng = generator(seed, "initial weights")
        return self.flat({part.name: _drawn(part, rng) for part in self.parts})


def _drawn(part: Part, rng: np.random.Generator) -> NDArray[np.float64]:
    if part.normal:
        return rng.normal(0.0, part.scale, part.shape)
    return rng.uniform(-part.scale, part.scale, part.shape)
