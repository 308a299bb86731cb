"""Models of several shapes with batches for them, for the tests of what all models promise."""

from dataclasses import dataclass

import torch
from torch import Tensor

from pipefl.models.catalogue import ModelConfig
from pipefl.models.cnn import CnnConfig
from pipefl.models.linear import LinearConfig
from pipefl.models.lstm import LstmConfig
from pipefl.models.mlp import MlpConfig
from pipefl.models.model import Model, Precision
from pipefl.randomness import generator

PAPER: dict[str, ModelConfig] = {
    "cnn": CnnConfig(),
    "mlp": MlpConfig(),
    "lstm": LstmConfig(),
    "linear": LinearConfig(),
}

ODD: dict[str, ModelConfig] = {
    "cnn without padding": CnnConfig(
        filters=(3, 5), kernel_size=4, padding="valid", pooling=3, dense=7, num_classes=4
    ),
    "cnn without pooling": CnnConfig(
        filters=(2, 3), kernel_size=3, pooling=1, dense=6, num_classes=3, image_size=7
    ),
    "cnn of pixels": CnnConfig(filters=(1, 1), kernel_size=1, dense=1, num_classes=2, image_size=9),
    "mlp of one layer": MlpConfig(hidden=(5,), num_classes=3, num_features=49),
    "mlp of three layers": MlpConfig(hidden=(8, 1, 6), num_classes=4),
    "linear of two classes": LinearConfig(num_classes=2, num_features=9),
    "lstm of one layer": LstmConfig(vocabulary=7, embedding=3, hidden=5, layers=1),
    "lstm of three layers": LstmConfig(vocabulary=11, embedding=4, hidden=3, layers=3),
}

LENGTH = 12  # of a sequence


@dataclass(frozen=True)
class Case:
    """A model with weights, and B samples prepared for it."""

    model: Model
    weights: Tensor
    inputs: Tensor
    targets: Tensor


def case(
    config: ModelConfig, num_samples: int, seed: int = 0, precision: Precision = "fp32"
) -> Case:
    """Random weights and samples; texts are of all lengths from 1 to 12 tokens."""
    model = config.build(precision)
    rng = generator(seed, "case")
    if isinstance(config, LstmConfig):
        text = rng.integers(1, config.vocabulary, (num_samples, LENGTH + 1))
        lengths = rng.integers(1, LENGTH + 1, num_samples)
        for row, length in zip(text, lengths, strict=True):
            row[length:] = 0
        raw, targets = text[:, :-1], torch.from_numpy(text[:, 1:].copy())
        targets[:, 0] = 1  # so that each has at least one token
    else:
        features = config.image_size**2 if isinstance(config, CnnConfig) else config.num_features
        side = round(features**0.5)
        raw = rng.integers(256, size=(num_samples, side, side))
        targets = torch.from_numpy(rng.integers(config.num_classes, size=num_samples))
    return Case(model, random_weights(model, seed), model.prepare(raw), targets)


def random_weights(model: Model, seed: int) -> Tensor:
    """Initial weights and some noise, since a linear model begins with zeros."""
    noise = generator(seed, "noise").normal(0.0, 0.02, model.num_parameters)
    return model.initial(seed) + torch.from_numpy(noise).float()
