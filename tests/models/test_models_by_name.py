import pickle

import numpy as np
import pytest
import torch

from pipefl.errors import ArgumentError
from pipefl.models.catalogue import MODELS, ModelConfig, ModelSettings, build_model
from pipefl.models.cnn import CnnConfig
from pipefl.models.linear import LinearConfig
from pipefl.models.lstm import LstmConfig
from pipefl.models.mlp import MlpConfig

IMAGES = np.zeros((2, 28, 28), np.uint8)


@pytest.mark.parametrize(
    ("name", "num_parameters"),
    [
        # Filters, biases and the dense layers of 3136 and 512 inputs.
        ("cnn", 32 * 26 + 64 * (32 * 25 + 1) + 512 * 3137 + 10 * 513),
        ("mlp", 200 * 785 + 200 * 201 + 10 * 201),
        ("linear", 7850),
    ],
)
def test_models_of_images_by_name(name: str, num_parameters: int) -> None:
    settings = ModelSettings(model=name)
    model = pickle.loads(pickle.dumps(settings)).build()  # noqa: S301  # our own bytes
    assert model.num_parameters == num_parameters
    weights = model.initial(seed=0)
    assert model.scores(weights, model.prepare(IMAGES)).shape == (2, 10)


def test_the_model_of_text_by_name() -> None:
    model = ModelSettings(model="lstm", kind="text", num_classes=90, example_shape=(80,)).build()
    gates = 4 * 256
    layers = gates * (8 + 256 + 1) + gates * (256 + 256 + 1)
    assert model.num_parameters == 90 * 8 + layers + 90 * 257
    tokens = model.prepare(np.ones((2, 80), np.uint8))
    assert model.scores(model.initial(seed=0), tokens).shape == (2, 80, 90)


def test_every_name_of_the_catalogue_is_built() -> None:
    for name in MODELS:
        kind, classes, shape = ("text", 90, (80,)) if name == "lstm" else ("images", 10, (28, 28))
        model = build_model(name, kind=kind, num_classes=classes, example_shape=shape)
        assert model.initial(0).shape == (model.num_parameters,)


def test_what_does_not_fit_together_is_refused() -> None:
    with pytest.raises(ArgumentError, match="model is 'vgg'; it must be one of cnn, mlp"):
        build_model("vgg")
    with pytest.raises(ArgumentError, match="it is a model of images, and the data are text"):
        build_model("cnn", kind="text", num_classes=90, example_shape=(80,))
    with pytest.raises(ArgumentError, match="it is a model of text, and the data are images"):
        build_model("lstm")
    with pytest.raises(ArgumentError, match="it has 10 classes, and the data have 26"):
        build_model(CnnConfig(), num_classes=26)


@pytest.mark.parametrize(
    ("config", "settings", "message"),
    [
        (CnnConfig, {"kernel_size": 4}, "kernel_size is 4; it must be odd"),
        (CnnConfig, {"padding": "full"}, "padding is 'full'; it must be \"same\" or"),
        (CnnConfig, {"filters": (1, 2, 3)}, "filters is .*; it must be two numbers"),
        (CnnConfig, {"filters": (0, 2)}, r"filters\[0\] is 0"),
        (CnnConfig, {"image_size": 3}, "image_size is 3; nothing is left of the image"),
        (CnnConfig, {"padding": "valid", "image_size": 13}, "nothing is left of the image"),
        (CnnConfig, {"dense": 0}, "dense is 0"),
        (MlpConfig, {"hidden": (200, 0)}, r"hidden\[1\] is 0"),
        (MlpConfig, {"num_classes": 1}, "num_classes is 1"),
        (LstmConfig, {"layers": 0}, "layers is 0"),
        (LstmConfig, {"vocabulary": 1}, "vocabulary is 1"),
        (LinearConfig, {"num_features": 0}, "num_features is 0"),
    ],
)
def test_configs_that_cannot_be_are_refused(
    config: type[ModelConfig], settings: dict[str, object], message: str
) -> None:
    with pytest.raises(ArgumentError, match=message):
        config(**settings)  # type: ignore[arg-type]  # wrong values are the point


def test_images_are_prepared_as_float32_from_0_to_1() -> None:
    prepared = CnnConfig().build().prepare(np.array([[[0, 255, 51]]], np.uint8))
    assert prepared.dtype == torch.float32
    assert prepared.flatten().tolist() == pytest.approx([0.0, 1.0, 0.2])
