"""What makes runs repeatable to the bit: no result depends on company, place or process."""

import subprocess
import sys
from collections.abc import Iterator

import pytest
import torch

import model_digest
from model_cases import ODD, PAPER, case
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
