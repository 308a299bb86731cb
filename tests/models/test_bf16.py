"""Products in bfloat16: 8 binary digits, so an error of some tenths of a percent."""

import pytest
import torch

from model_cases import PAPER, case


@pytest.mark.parametrize("name", PAPER)
def test_gradients_and_scores_are_near_those_of_float32(name: str) -> None:
    exact = case(PAPER[name], num_samples=16)
    rough = case(PAPER[name], num_samples=16, precision="bf16").model
    weights, rough_weights = exact.weights.clone(), exact.weights.clone()
    loss = exact.model.descend(weights, exact.inputs, exact.targets, 1.0)
    rough_loss = rough.descend(rough_weights, exact.inputs, exact.targets, 1.0)
    assert rough_weights.dtype == torch.float32
    assert float(rough_loss) == pytest.approx(float(loss), rel=0.02)
    step, rough_step = weights - exact.weights, rough_weights - exact.weights
    assert 1e-5 < (rough_step - step).norm() / step.norm() < 0.1
    scores = exact.model.scores(exact.weights, exact.inputs)
    rough_scores = rough.scores(exact.weights, exact.inputs)
    assert (rough_scores - scores).norm() / scores.norm() < 0.03


@pytest.mark.parametrize("name", ["cnn", "lstm"])
def test_training_goes_down_as_far(name: str) -> None:
    exact = case(PAPER[name], num_samples=16)
    rough = case(PAPER[name], num_samples=16, precision="bf16").model
    ends = []
    for model in (exact.model, rough):
        weights = exact.weights.clone()
        losses = [
            float(model.descend(weights, exact.inputs, exact.targets, 0.1)) for _ in range(12)
        ]
        assert losses[-1] < losses[0]
        ends.append(losses[-1])
    assert ends[1] == pytest.approx(ends[0], rel=0.1)
