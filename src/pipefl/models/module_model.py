"""Any torch module as a model, from the dotted path of a factory."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn
from torch.func import functional_call

from pipefl.dotted_paths import blaming, factory_at, made_by
from pipefl.errors import PipeflError
from pipefl.models.differentiated import DifferentiatedModel, scaled_images, token_ids
from pipefl.models.layout import Layout, Part
from pipefl.models.model import Model, Precision
from pipefl.randomness import generator


def module_model(
    dotted_path: str,
    example_shape: tuple[int, ...],
    num_classes: int,
    *,
    precision: Precision = "fp32",
    device: str = "cpu",
) -> Model:
    """The model of `package.module:factory`, where `factory()` is a `torch.nn.Module`.

    One sample has `example_shape`: 28 × 28 pixels in [0, 1], or L token ids. The module
    takes batches of them and gives B × C scores, or B × L × C; convolutions need a channel,
    which `torch.nn.Unflatten(1, (1, 28))` adds. It is initialised as its own layers do, with
    torch's random numbers seeded for that.

    Refused are modules that change buffers as they go, such as the running means of
    batch normalisation, which are no weights and would not be averaged, and modules whose
    scores are random, such as with dropout.

    >>> shape, classes = (28, 28), 10
    >>> module_model("torch.nn:Identity", shape, classes)
    Traceback (most recent call last):
    pipefl.errors.PipeflError: torch.nn:Identity: the module has no weights to train
    """
    factory = factory_at(dotted_path, "model")
    module = _made(dotted_path, factory, seed=0).to(device)
    names = [name for name, _ in module.named_parameters()]
    if not names:
        raise PipeflError(f"{dotted_path}: the module has no weights to train")
    if any(parameter.dtype != torch.float32 for parameter in module.parameters()):
        raise PipeflError(f"{dotted_path}: the module's weights must be float32")
    is_text = len(example_shape) == 1
    example = torch.zeros(2, *example_shape, dtype=torch.int64 if is_text else torch.float32)
    _check(dotted_path, module, example.to(device), num_classes)
    layout = Layout(tuple(Part(name, tuple(p.shape), 0.0) for name, p in module.named_parameters()))

    def score(views: tuple[Tensor, ...], inputs: Tensor) -> Tensor:
        scores = functional_call(module, dict(zip(names, views, strict=True)), (inputs,))
        return _tensor(scores)

    def draw(seed: int) -> Tensor:
        fresh = _made(dotted_path, factory, seed)
        return torch.cat([parameter.detach().flatten() for parameter in fresh.parameters()])

    prepare = token_ids if is_text else scaled_images
    return DifferentiatedModel(layout, score, prepare, draw, precision, device)


def _made(dotted_path: str, factory: Callable[[], Any], seed: int) -> nn.Module:
    """What the factory makes, with random numbers that depend on the seed alone."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(int(generator(seed, "initial weights").integers(2**63)))
        module = made_by(factory, dotted_path)
    if not isinstance(module, nn.Module):
        text = f"the factory gives a {type(module).__name__}, not a torch.nn.Module"
        raise PipeflError(f"{dotted_path}: {text}")
    return module.train()


def _tensor(scores: object) -> Tensor:
    assert isinstance(scores, Tensor)  # noqa: S101  # checked on the example
    return scores


def _check(dotted_path: str, module: nn.Module, example: Tensor, num_classes: int) -> None:
    before = {name: buffer.clone() for name, buffer in module.named_buffers()}
    inputs = f"inputs of shape {tuple(example.shape)}"
    with (
        torch.random.fork_rng(devices=[]),
        torch.no_grad(),
        blaming(dotted_path, f"calling the module with {inputs}"),
    ):
        first, second = module(example), module(example)
    expected = (*example.shape[: 2 if example.dtype == torch.int64 else 1], num_classes)
    if not isinstance(first, Tensor) or first.shape != expected:
        got = tuple(first.shape) if isinstance(first, Tensor) else type(first).__name__
        text = f"from {inputs} the module gives {got}"
        raise PipeflError(f"{dotted_path}: {text}; it must give scores of shape {expected}")
    for name, buffer in module.named_buffers():
        if not torch.equal(buffer, before[name]):
            text = f"the module changes its buffer {name!r} as it goes, which is not averaged"
            raise PipeflError(f"{dotted_path}: {text}; use layers without, such as GroupNorm")
    if not torch.equal(first, second):
        text = "the module gives other scores for the same inputs when called again"
        raise PipeflError(f"{dotted_path}: {text}; use one without dropout")
