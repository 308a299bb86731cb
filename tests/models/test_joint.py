"""Clients that are trained together, against each by itself and against dense weights."""

import dataclasses
from collections.abc import Iterator

import numpy as np
import pytest
import torch
from torch import Tensor

from model_cases import ODD, PAPER, Case, case
from pipefl.models.catalogue import ModelConfig
from pipefl.models.factors import Factored, below, learn, sums
from pipefl.models.joint import JointTraining, Lessons
from pipefl.models.model import Model

RATE = 0.3
COUNTS = np.array([[4, 4, 4, 2], [4, 3, 1, 0], [2, 0, 0, 0]])  # steps × clients
CONFIGS = {
    name: config for name, config in (PAPER | ODD).items() if config.build().joint is not None
}

each_model = pytest.mark.parametrize("config", CONFIGS.values(), ids=CONFIGS)


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def test_the_papers_image_models_train_clients_together() -> None:
    assert {"cnn", "mlp"} <= CONFIGS.keys()


def joint_of(model: Model) -> JointTraining:
    assert model.joint is not None
    return model.joint


def lessons_of(given: Case) -> Lessons:
    shape = (*COUNTS.shape, COUNTS.max())
    inputs = given.inputs.view(*shape, *given.inputs.shape[1:])
    return Lessons(inputs, given.targets.view(shape), COUNTS, RATE)


def given_case(config: ModelConfig, *, exact: bool) -> Case:
    given = case(config, num_samples=COUNTS.size * int(COUNTS.max()))
    if not exact:
        return given
    return Case(given.model, given.weights.double(), given.inputs.double(), given.targets)


def alone(given: Case, lessons: Lessons, client: int) -> tuple[Tensor, float]:
    """One client's change by steps on weights of its own, and its mean loss."""
    weights, loss = given.weights.clone(), 0.0
    for inputs, targets, counts in lessons.steps():
        size = int(counts[client])
        if size:
            part = (inputs[client, :size], targets[client, :size])
            loss += size * float(given.model.descend(weights, *part, RATE))
    return weights - given.weights, loss / int(COUNTS[:, client].sum())


@each_model
def test_a_sum_of_changes_is_that_of_clients_with_weights_of_their_own(config: ModelConfig) -> None:
    given = given_case(config, exact=True)
    lessons = lessons_of(given)
    change = joint_of(given.model).train(given.weights, lessons)
    each = [alone(given, lessons, client) for client in range(4)]
    assert change.loss == pytest.approx([loss for _, loss in each], rel=1e-12)
    for shares in ({0: 2.0, 1: 0.5, 2: 1.0, 3: 3.0}, {2: 0.7}, {3: 1.0, 1: -2.0}):
        expected = torch.stack([share * each[client][0] for client, share in shares.items()])
        torch.testing.assert_close(change.sum(shares), expected.sum(0), rtol=1e-9, atol=1e-12)


@each_model
def test_norms_are_known_without_the_changes(config: ModelConfig) -> None:
    given = given_case(config, exact=True)
    lessons = lessons_of(given)
    change = joint_of(given.model).train(given.weights, lessons)
    for client in range(4):
        norm = float(alone(given, lessons, client)[0].norm())
        assert change.norm(client) == pytest.approx(norm, rel=1e-9)
        for factor in (1.001, 3.0, 1e6):
            assert change.norm_is_at_most(client, factor * norm)
        assert not change.norm_is_at_most(client, 0.999 * norm)


@each_model
def test_what_lies_in_samples_that_do_not_count_changes_no_bit(config: ModelConfig) -> None:
    given = given_case(config, exact=False)
    lessons = lessons_of(given)
    shares = dict.fromkeys(range(4), 1.0)
    first = joint_of(given.model).train(given.weights, lessons)
    for step, client in np.argwhere(COUNTS.max() > COUNTS).tolist():
        lessons.inputs[step, client, COUNTS[step, client] :] = given.inputs[0]
        lessons.targets[step, client, COUNTS[step, client] :] = given.targets[0]
    second = joint_of(given.model).train(given.weights, lessons)
    assert second.loss == first.loss
    assert torch.equal(second.sum(shares), first.sum(shares))


@each_model
def test_who_is_not_finite_does_not_touch_the_others(config: ModelConfig) -> None:
    given = given_case(config, exact=False)
    lessons = lessons_of(given)
    clean = joint_of(given.model).train(given.weights, lessons).sum({0: 1.0, 3: 2.0})
    lessons.inputs[0, 1] = torch.nan
    change = joint_of(given.model).train(given.weights, lessons)
    assert [change.norm_is_at_most(client, 1e30) for client in range(4)] == [
        True,
        False,
        True,
        True,
    ]
    assert not np.isfinite(change.norm(1))
    assert torch.equal(change.sum({0: 1.0, 3: 2.0}), clean)


@each_model
def test_it_does_not_matter_where_in_memory_the_samples_begin(config: ModelConfig) -> None:
    """Which differs from process to process."""
    given = given_case(config, exact=False)
    lessons, joint, shares = lessons_of(given), joint_of(given.model), {0: 1.0, 1: 2.0, 3: 0.5}
    expected = joint.train(given.weights, lessons)
    for shift in (1, 4, 7):  # numbers of 4 bytes
        room = torch.empty(lessons.inputs.numel() + shift)
        moved = room[shift:].view_as(lessons.inputs).copy_(lessons.inputs)
        found = joint.train(given.weights, dataclasses.replace(lessons, inputs=moved))
        assert found.loss == expected.loss
        assert torch.equal(found.sum(shares), expected.sum(shares))


@each_model
def test_the_start_is_only_read(config: ModelConfig) -> None:
    given = given_case(config, exact=False)
    before = given.weights.clone()
    change = joint_of(given.model).train(given.weights, lessons_of(given))
    change.sum({0: 1.0})
    assert torch.equal(given.weights, before)


@pytest.mark.parametrize("num_clients", [None, 3])
def test_factors_stand_for_the_weights_that_they_are_of(num_clients: int | None) -> None:
    rng = torch.Generator().manual_seed(0)
    leading = () if num_clients is None else (num_clients,)

    def random(*shape: int) -> Tensor:
        return torch.randn(*shape, dtype=torch.float64, generator=rng)

    start = random(5, 7)
    factored = Factored(start, 12, num_clients)
    weights, bias = start.expand(*leading, 5, 7).clone(), random(*leading, 5)
    for active in (3, 3, 2):  # the last client is let go
        inputs, slopes = random(*leading, 4, 7)[:active], random(*leading, 4, 5)[:active]
        if num_clients is None:
            inputs, slopes = random(4, 7), random(4, 5)
        own, own_bias = (
            (weights, bias) if num_clients is None else (weights[:active], bias[:active])
        )
        for dense in (factored, own):
            torch.testing.assert_close(
                sums(dense, own_bias, inputs), inputs @ own.mT + own_bias.unsqueeze(-2)
            )
            torch.testing.assert_close(below(dense, slopes), slopes @ own)
            learn(dense, slopes, inputs)  # of `own` it changes `weights`
    if num_clients is not None:
        a, h = factored.of_client(0, 12)
        torch.testing.assert_close(start + a.mT @ h, weights[0])


def test_a_change_of_a_norm_that_float32_cannot_hold_is_refused_as_large() -> None:
    given = given_case(PAPER["mlp"], exact=False)
    change = joint_of(given.model).train(given.weights, lessons_of(given))
    slopes, inputs = change.factors[0][0]
    slopes.fill_(1e20)
    inputs.fill_(1e12)
    assert not change.norm_is_at_most(0, 1e6)
    assert change.norm(0) > 1e32
