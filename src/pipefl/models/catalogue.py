"""Models by name."""

from dataclasses import dataclass

from pipefl.errors import ArgumentError
from pipefl.models.cnn import CnnConfig
from pipefl.models.linear import LinearConfig
from pipefl.models.lstm import LstmConfig
from pipefl.models.mlp import MlpConfig
from pipefl.models.model import Model, Precision
from pipefl.models.module_model import module_model

ModelConfig = CnnConfig | MlpConfig | LstmConfig | LinearConfig

MODELS = {
    "cnn": "two convolutions of 32 and 64 5 × 5 filters, a dense layer of 512 (images)",
    "mlp": "two dense layers of 200 (images)",
    "linear": "logistic regression (images)",
    "lstm": "an embedding in 8 dimensions, two LSTM layers of 256 (text)",
}


@dataclass(frozen=True, kw_only=True)
class ModelSettings:
    """What `build_model` takes, in a form that other processes can be sent."""

    model: str | ModelConfig
    kind: str = "images"
    num_classes: int = 10
    example_shape: tuple[int, ...] = (28, 28)
    precision: Precision = "fp32"
    device: str = "cpu"

    def build(self) -> Model:
        """The model."""
        return build_model(
            self.model,
            kind=self.kind,
            num_classes=self.num_classes,
            example_shape=self.example_shape,
            precision=self.precision,
            device=self.device,
        )


def build_model(
    model: str | ModelConfig,
    *,
    kind: str = "images",
    num_classes: int = 10,
    example_shape: tuple[int, ...] = (28, 28),
    precision: Precision = "fp32",
    device: str = "cpu",
) -> Model:
    """A model by its name in `MODELS`, from its config, or from `package.module:factory`.

    `kind`, `num_classes` and `example_shape` (one sample's) are the dataset's; they are
    built into a model that is named, and a config must agree with them.

    >>> build_model("lstm", kind="text", num_classes=90, example_shape=(80,)).num_parameters
    820522
    """
    if isinstance(model, str) and ":" in model:
        return module_model(model, example_shape, num_classes, precision=precision, device=device)
    config = named_model(model, num_classes, example_shape) if isinstance(model, str) else model
    is_text = isinstance(config, LstmConfig)
    if is_text != (kind == "text"):
        accepted = f"it is a model of {'text' if is_text else 'images'}, and the data are {kind}"
        raise ArgumentError("model", model, accepted)
    own = config.vocabulary if isinstance(config, LstmConfig) else config.num_classes
    if own != num_classes:
        accepted = f"it has {own} classes, and the data have {num_classes}"
        raise ArgumentError("model", model, accepted)
    return config.build(precision, device)


def named_model(name: str, num_classes: int, example_shape: tuple[int, ...]) -> ModelConfig:
    """The config of a model in `MODELS`, for data of this shape and so many classes."""
    pixels = 1
    for side in example_shape:
        pixels *= side
    match name:
        case "cnn":
            return CnnConfig(num_classes=num_classes, image_size=example_shape[0])
        case "mlp":
            return MlpConfig(num_classes=num_classes, num_features=pixels)
        case "linear":
            return LinearConfig(num_classes=num_classes, num_features=pixels)
        case "lstm":
            return LstmConfig(vocabulary=num_classes)
    accepted = f"it must be one of {', '.join(MODELS)}, or package.module:factory"
    raise ArgumentError("model", name, accepted)
