"""What makes runs repeatable to the bit: no result depends on company, place or process."""

import subprocess
import sys
from collections.abc import Iterator

import pytest
import torch
from torch import Tensor

import model_digest
from model_cases import ODD, PAPER, case, random_weights
from pipefl.models.catalogue import ModelConfig
from pipefl.models.model import Precision

CONFIGS = PAPER | ODD

each_model = pytest.mark.parametrize("config", CONFIGS.values(), ids=CONFIGS)
each_precision = pytest.mark.parametrize("precision", ["fp32", "bf16"])


@each_precision
@each_model
def test_scores_do_not_depend_on_a_samples_company_nor_on_its_place(
    config: ModelConfig, precision: Precision
) -> None:
    given = case(config, num_samples=150, precision=precision)
    scores = given.model.scores(given.weights, given.inputs)
    assert scores.shape[0] == 150
    assert scores.dtype == torch.float32
    order = torch.randperm(150, generator=torch.Generator().manual_seed(1))
    shuffled = given.model.scores(given.weights, given.inputs[order])
    assert torch.equal(shuffled, scores[order])
    for part in (slice(1), slice(7, 9), slice(60, 131), slice(149, 150)):
        assert torch.equal(given.model.scores(given.weights, given.inputs[part]), scores[part])


@each_precision
@each_model
def test_a_client_is_the_same_in_every_stack_and_place(
    config: ModelConfig, precision: Precision
) -> None:
    given = case(config, num_samples=5 * 16, precision=precision)
    rows = torch.stack([random_weights(given.model, seed) for seed in range(5)])
    inputs = given.inputs.view(5, 16, *given.inputs.shape[1:])
    targets = given.targets.view(5, 16, *given.targets.shape[1:])
    counts = torch.tensor([16, 3, 16, 1, 9])

    def after(members: list[int]) -> tuple[Tensor, Tensor]:
        weights = rows[members].clone()
        step = (weights, inputs[members], targets[members], counts[members], 0.1)
        losses = given.model.descend_stack(*step)
        return weights, losses

    together, losses = after([0, 1, 2, 3, 4])
    for members in ([0], [1], [3], [4, 2], [3, 0, 1], [2, 2, 4, 4, 0]):
        some, some_losses = after(members)
        assert torch.equal(some, together[members])
        assert torch.equal(some_losses, losses[members])


@each_model
def test_what_lies_in_samples_that_do_not_count_changes_no_bit(config: ModelConfig) -> None:
    given = case(config, num_samples=12)
    inputs = given.inputs.view(2, 6, *given.inputs.shape[1:])
    targets = given.targets.view(2, 6, *given.targets.shape[1:])
    counts = torch.tensor([2, 5])
    weights = given.weights.repeat(2, 1)
    losses = given.model.descend_stack(weights, inputs, targets, counts, 0.1)
    for g, count in enumerate(counts.tolist()):
        inputs[g, count:] = inputs[1 - g, 0]
        targets[g, count:] = targets[1 - g, 0]
    again = given.weights.repeat(2, 1)
    assert torch.equal(given.model.descend_stack(again, inputs, targets, counts, 0.1), losses)
    assert torch.equal(again, weights)


@pytest.mark.parametrize("name", PAPER)
def test_another_process_gets_the_same_bits(name: str) -> None:
    command = [sys.executable, model_digest.__file__, name]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    assert done.stdout.strip() == model_digest.digest(name)


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)
