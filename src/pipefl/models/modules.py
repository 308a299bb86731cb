"""The same models as plain torch modules: for use elsewhere, and to compare with."""

from collections import OrderedDict

from torch import Tensor, nn

from pipefl.models.catalogue import ModelConfig
from pipefl.models.cnn import CnnConfig
from pipefl.models.linear import LinearConfig
from pipefl.models.lstm import LstmConfig
from pipefl.models.mlp import MlpConfig


def torch_module(config: ModelConfig) -> nn.Module:
    """The model of a config as a `torch.nn.Module` whose arrays have the same names.

    So the arrays of a finished run can be loaded into it and used without PipeFL:

    >>> import torch
    >>> config = LinearConfig()
    >>> arrays = config.layout.named(config.layout.initial(seed=0))
    >>> module = torch_module(config)
    >>> state = {name: torch.from_numpy(array) for name, array in arrays.items()}
    >>> module.load_state_dict(state, strict=False).unexpected_keys
    []

    `strict=False` because `torch.nn.LSTM` has a second bias beside each one of ours; it is 0
    and not trained. Inputs are B × 28 × 28 pixels in [0, 1], or B × L token ids.
    """
    match config:
        case CnnConfig():
            return _cnn(config)
        case MlpConfig():
            return _mlp(config)
        case LstmConfig():
            return _Lstm(config)
        case LinearConfig():
            return _Affine(config)


def _cnn(config: CnnConfig) -> nn.Module:
    (one, two), k, side = config.filters, config.kernel_size, config.sides[1]
    layers: dict[str, nn.Module] = {
        "channel": nn.Unflatten(1, (1, config.image_size)),
        "conv1": nn.Conv2d(1, one, k, padding=config.margin),
        "relu1": nn.ReLU(),
        "pool1": nn.MaxPool2d(config.pooling),
        "conv2": nn.Conv2d(one, two, k, padding=config.margin),
        "relu2": nn.ReLU(),
        "pool2": nn.MaxPool2d(config.pooling),
        "flat": nn.Flatten(),
        "dense": nn.Linear(two * side * side, config.dense),
        "relu3": nn.ReLU(),
        "output": nn.Linear(config.dense, config.num_classes),
    }
    return nn.Sequential(OrderedDict(layers))


def _mlp(config: MlpConfig) -> nn.Module:
    layers: dict[str, nn.Module] = {"flat": nn.Flatten()}
    width = config.num_features
    for place, units in enumerate(config.hidden, start=1):
        layers[f"hidden{place}"] = nn.Linear(width, units)
        layers[f"relu{place}"] = nn.ReLU()
        width = units
    layers["output"] = nn.Linear(width, config.num_classes)
    return nn.Sequential(OrderedDict(layers))


class _Affine(nn.Linear):
    def __init__(self, config: LinearConfig) -> None:
        super().__init__(config.num_features, config.num_classes)

    def forward(self, images: Tensor) -> Tensor:
        return super().forward(images.flatten(1))


class _Lstm(nn.Module):
    def __init__(self, config: LstmConfig) -> None:
        super().__init__()
        self.embedding = nn.Embedding(config.vocabulary, config.embedding)
        self.lstm = nn.LSTM(config.embedding, config.hidden, config.layers, batch_first=True)
        self.output = nn.Linear(config.hidden, config.vocabulary)
        for name, second_bias in self.lstm.named_parameters():
            if name.startswith("bias_hh"):
                second_bias.requires_grad_(False).zero_()

    def forward(self, tokens: Tensor) -> Tensor:
        hidden, _ = self.lstm(self.embedding(tokens))
        scores: Tensor = self.output(hidden)
        return scores
