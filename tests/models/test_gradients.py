"""Every model's arithmetic against automatic differentiation of a plain torch module."""

from collections.abc import Callable
from statistics import median

import pytest
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from model_cases import ODD, PAPER, Case, case
from pipefl.models.catalogue import ModelConfig
from pipefl.models.modules import torch_module

CONFIGS = PAPER | ODD
RATE = 0.3

each_model = pytest.mark.parametrize("config", CONFIGS.values(), ids=CONFIGS)


@pytest.mark.parametrize("num_samples", [1, 5])
@each_model
def test_a_step_goes_down_the_gradient_of_the_mean_loss(
    config: ModelConfig, num_samples: int
) -> None:
    given = in_float64(case(config, num_samples=num_samples))
    loss, gradient = by_autograd(config, given, mean_loss)
    weights = given.weights.clone()
    before = given.model.descend(weights, given.inputs, given.targets, RATE)
    assert before.shape == ()
    assert float(before) == pytest.approx(float(loss), rel=1e-12)
    torch.testing.assert_close(weights, given.weights - RATE * gradient, rtol=1e-10, atol=1e-12)


@each_model
def test_a_step_in_float32_is_as_near_as_float32_can_be(config: ModelConfig) -> None:
    def error(seed: int) -> float:
        given = case(config, num_samples=16, seed=seed)
        _, gradient = by_autograd(config, in_float64(given), mean_loss)
        weights = given.weights.clone()
        given.model.descend(weights, given.inputs, given.targets, 1.0)
        return float(((weights - given.weights).double() + gradient).norm() / gradient.norm())

    # Now and then two numbers are so alike that rounding decides which is the larger one in a
    # pooling; the gradient has a jump there, and no precision would be enough.
    assert median(error(seed) for seed in range(7)) < 1e-5


@each_model
def test_shares_of_the_samples_gradients_are_added_up(config: ModelConfig) -> None:
    given = in_float64(case(config, num_samples=6))
    share = torch.tensor([0.1, 0.0, 0.7, -0.3, 2.0, 0.5], dtype=torch.float64)
    losses, gradient = by_autograd(config, given, lambda s, t: each_loss(s, t) @ share)
    out = torch.full_like(given.weights, 3.0)
    each = given.model.add_gradient(given.weights, given.inputs, given.targets, share, out)
    assert float(each @ share) == pytest.approx(float(losses), rel=1e-12)
    torch.testing.assert_close(out, 3.0 + gradient, rtol=1e-10, atol=1e-12)


@each_model
def test_scores_are_the_modules(config: ModelConfig) -> None:
    given = in_float64(case(config, num_samples=70))
    scores = given.model.scores(given.weights, given.inputs)
    with torch.no_grad():
        expected = loaded(config, given)(given.inputs)
    torch.testing.assert_close(scores, expected, rtol=1e-10, atol=1e-12)


@each_model
def test_scores_that_others_differentiate_are_the_same(config: ModelConfig) -> None:
    given = in_float64(case(config, num_samples=5))
    views = given.model.layout.views(given.weights)
    scores = given.model.score(views, given.inputs)
    expected = given.model.scores(given.weights, given.inputs)
    torch.testing.assert_close(scores, expected, rtol=1e-10, atol=1e-12)


def test_a_sequence_of_nothing_but_padding_teaches_nothing() -> None:
    given = case(PAPER["lstm"], num_samples=3)
    weights, out = given.weights.clone(), torch.zeros_like(given.weights)
    inputs, targets = given.inputs, torch.zeros_like(given.targets)
    assert float(given.model.descend(weights, inputs, targets, RATE)) == 0
    assert (
        given.model.add_gradient(weights, inputs, targets, torch.ones(3), out).tolist() == [0.0] * 3
    )
    assert torch.equal(weights, given.weights)
    assert not out.any()


def in_float64(given: Case) -> Case:
    inputs = given.inputs.double() if given.inputs.is_floating_point() else given.inputs
    return Case(given.model, given.weights.double(), inputs, given.targets)


def loaded(config: ModelConfig, given: Case) -> nn.Module:
    """The plain module with the case's weights, in float64."""
    arrays = given.model.layout.named(given.weights.float())
    exact = given.weights.float().double()
    assert torch.equal(exact, given.weights)  # the arrays lost nothing
    module = torch_module(config)
    state = {name: torch.from_numpy(array) for name, array in arrays.items()}
    assert not module.load_state_dict(state, strict=False).unexpected_keys
    return module.double()


def by_autograd(
    config: ModelConfig, given: Case, loss: Callable[[Tensor, Tensor], Tensor]
) -> tuple[Tensor, Tensor]:
    """The loss and its gradient, as a vector of the model's layout."""
    module = loaded(config, given)
    parameters = {name: p for name, p in module.named_parameters() if p.requires_grad}
    value = loss(module(given.inputs), given.targets)
    gradients = torch.autograd.grad(value, list(parameters.values()))
    layout = given.model.layout
    gradient = torch.empty_like(given.weights)
    named = dict(zip(parameters, gradients, strict=True))
    for part, view in zip(layout.parts, layout.views(gradient), strict=True):
        view.copy_(named[part.name].reshape(view.shape))
    return value.detach(), gradient


def mean_loss(scores: Tensor, targets: Tensor) -> Tensor:
    if targets.dim() == 1:
        return cross_entropy(scores, targets)
    return cross_entropy(scores.flatten(0, 1), targets.flatten(), ignore_index=0)


def each_loss(scores: Tensor, targets: Tensor) -> Tensor:
    pairs = zip(scores, targets, strict=True)
    if targets.dim() == 1:
        return torch.stack([cross_entropy(score, target) for score, target in pairs])
    return torch.stack([cross_entropy(s, t, ignore_index=0) for s, t in pairs])
