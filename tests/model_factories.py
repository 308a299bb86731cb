"""Torch modules that users might bring, for `package.module:factory`."""

import torch
from torch import Tensor, nn


def small_images() -> nn.Module:
    """Two layers; it asks for 28 × 28 pixels and gives 10 scores."""
    return nn.Sequential(nn.Flatten(), nn.Linear(784, 12), nn.Tanh(), nn.Linear(12, 10))


class Text(nn.Module):
    """A gated recurrent unit over 20 token ids."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(20, 4)
        self.recurrent = nn.GRU(4, 6, batch_first=True)
        self.output = nn.Linear(6, 20)

    def forward(self, tokens: Tensor) -> Tensor:
        scores: Tensor = self.output(self.recurrent(self.embedding(tokens))[0])
        return scores


def with_batch_norm() -> nn.Module:
    """A module with running means, which are no weights."""
    return nn.Sequential(nn.Flatten(), nn.Linear(784, 10), nn.BatchNorm1d(10))


def with_dropout() -> nn.Module:
    """A module whose scores are random."""
    return nn.Sequential(nn.Flatten(), nn.Linear(784, 10), nn.Dropout(0.5))


def of_seven_classes() -> nn.Module:
    """A module with too few scores."""
    return nn.Sequential(nn.Flatten(), nn.Linear(784, 7))


def in_float64() -> nn.Module:
    """A module of another precision."""
    return small_images().double()


class Pair(nn.Module):
    """A module that gives two tensors."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(1))

    def forward(self, images: Tensor) -> tuple[Tensor, Tensor]:
        return images, images


def no_module() -> str:
    """Not a module."""
    return "a module"


def without_a_channel() -> nn.Module:
    """A module that wants inputs of another shape."""
    return nn.Sequential(nn.Conv2d(1, 2, 5), nn.Flatten(), nn.Linear(2 * 24 * 24, 10))


def of_a_size(size: int) -> nn.Module:
    """A factory that wants an argument."""
    return nn.Sequential(nn.Flatten(), nn.Linear(784, size))


not_a_factory = 3
