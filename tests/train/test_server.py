"""The server's step by formulas, and its memory through a checkpoint."""

import re
from itertools import islice

import numpy as np
import pytest
import torch
from torch import Tensor

from hand import five_clients
from pipefl.errors import ArgumentError
from pipefl.policies.fedat import FedAt
from pipefl.policies.step import Step
from pipefl.train.server import AddingServer, ModelOf, OptimiserServer, Server, TierServer
from pipefl.train.server_optimisers import _kinds, server_optimiser

SIZE = 7
SCENE = five_clients()
FEDAT = FedAt(num_tiers=2)
STEPS = list(islice(FEDAT.steps(SCENE), 12))
TORCHS = sorted(set(_kinds()) - {"yogi"})


def updates(num: int) -> list[Tensor]:
    rng = np.random.default_rng(0)
    return [torch.from_numpy(rng.normal(0, 1, SIZE)).float() for _ in range(num)]


def optimiser_server(name: str, rate: float = 0.1, **settings: float) -> OptimiserServer:
    return OptimiserServer(server_optimiser(name, rate, settings), SIZE)


def trajectory(server: Server, models: list[Tensor], first: int, last: int) -> list[Tensor]:
    """Models with those after steps `first` to `last` added."""
    models = list(models)
    for index in range(first, last):
        step: Step = STEPS[index]
        model_of: ModelOf = models.__getitem__
        models.append(server.stepped(models[index], updates(12)[index], step, model_of))
    return models


START = torch.linspace(-1, 1, SIZE)


def test_adding_adds() -> None:
    models = trajectory(AddingServer(0.5), [START], 0, 2)
    one, two = updates(2)
    assert torch.equal(models[1], START + 0.5 * one)
    assert torch.equal(models[2], models[1] + 0.5 * two)
    assert torch.equal(START, torch.linspace(-1, 1, SIZE))


def test_fedavgm_is_momentum() -> None:
    models = trajectory(optimiser_server("fedavgm", 0.5), [START], 0, 5)
    model, velocity = START.double(), torch.zeros(SIZE).double()
    for update, found in zip(updates(5), models[1:], strict=True):
        velocity = 0.9 * velocity - update.double()
        model = model - 0.5 * velocity
        torch.testing.assert_close(found.double(), model, rtol=1e-5, atol=1e-6)


def test_fedadam_is_adam_from_the_negated_update() -> None:
    models = trajectory(optimiser_server("fedadam", 0.1), [START], 0, 5)
    model, first, second = START.double(), torch.zeros(SIZE), torch.zeros(SIZE)
    for t, (update, found) in enumerate(zip(updates(5), models[1:], strict=True), start=1):
        gradient = -update.double()
        first = 0.9 * first + 0.1 * gradient
        second = 0.99 * second + 0.01 * gradient**2
        mean, square = first / (1 - 0.9**t), second / (1 - 0.99**t)
        model = model - 0.1 * mean / (square.sqrt() + 1e-3)
        torch.testing.assert_close(found.double(), model, rtol=1e-5, atol=1e-6)


def test_fedyogi_is_yogi() -> None:
    models = trajectory(optimiser_server("fedyogi", 0.1, beta2=0.95), [START], 0, 9)
    model, first, second = START.double(), torch.zeros(SIZE), torch.full((SIZE,), 1e-6)
    for update, found in zip(updates(9), models[1:], strict=True):
        gradient = -update.double()
        first = 0.9 * first + 0.1 * gradient
        second = second - 0.05 * gradient**2 * torch.sign(second - gradient**2)
        model = model - 0.1 * first / (second.sqrt() + 1e-3)
        torch.testing.assert_close(found.double(), model, rtol=1e-5, atol=1e-6)


def test_fedadagrad_adds_squares_up() -> None:
    models = trajectory(optimiser_server("fedadagrad", 0.1), [START], 0, 4)
    model, squares = START.double(), torch.zeros(SIZE)
    for update, found in zip(updates(4), models[1:], strict=True):
        squares = squares + update.double() ** 2
        model = model + 0.1 * update.double() / (squares.sqrt() + 1e-3)
        torch.testing.assert_close(found.double(), model, rtol=1e-5, atol=1e-6)


def test_sgd_with_rate_1_is_adding() -> None:
    with_sgd = trajectory(optimiser_server("sgd", 1.0), [START], 0, 4)
    assert all(map(torch.equal, with_sgd, trajectory(AddingServer(), [START], 0, 4)))


def test_a_tier_has_a_model_of_its_own() -> None:
    """Two tiers: the fast one steps first, and is weighed by how often the slow one did."""
    tiers = [int(FEDAT.tier_of(SCENE)[step.client[0]]) for step in STEPS]
    assert tiers[:4] == [0, 1, 0, 0]
    models = trajectory(TierServer(FEDAT, SCENE, START), [START], 0, 12)
    own, num = [START.double(), START.double()], np.zeros(2)
    for step, tier, update, found in zip(STEPS, tiers, updates(12), models[1:], strict=True):
        own[tier] = models[int(step.version[0])].double() + update.double()
        num[tier] += 1
        fast, slow = num[::-1] / num.sum()
        expected = fast * own[0] + slow * own[1]
        torch.testing.assert_close(found.double(), expected, rtol=1e-5, atol=1e-6)
    assert torch.equal(models[1], START)  # the slow tier has not stepped: the fast weighs 0


def _servers() -> dict[str, Server]:
    named: dict[str, Server] = {name: optimiser_server(name) for name in TORCHS}
    named |= {name: optimiser_server(name) for name in ("yogi", "fedavgm", "fedadam", "fedyogi")}
    named["sgd with momentum"] = optimiser_server("sgd", momentum=0.5, nesterov=True)
    named["amsgrad"] = optimiser_server("adam", amsgrad=True)
    return named | {"adding": AddingServer(2.0), "tiers": TierServer(FEDAT, SCENE, START)}


def test_all_of_torchs_optimisers_are_there() -> None:
    assert {"sgd", "adam", "adamw", "adagrad", "adadelta", "rmsprop", "nadam"} <= set(TORCHS)


@pytest.mark.parametrize("name", _servers())
def test_a_restored_server_goes_on_with_the_same_bits(name: str) -> None:
    whole = trajectory(_servers()[name], [START], 0, 12)
    assert not torch.equal(whole[-1], whole[3])
    for stop in (0, 1, 5):
        first, second = _servers()[name], _servers()[name]
        models = trajectory(first, [START], 0, stop)
        state = {key: tensor.numpy().copy() for key, tensor in first.state().items()}
        trajectory(first, models, stop, 12)  # what was taken is a copy
        if stop != 1:
            trajectory(second, [START * 2], 0, 3)  # what it knew before is gone
        second.restore({key: torch.from_numpy(array) for key, array in state.items()})
        models = trajectory(second, models, stop, 12)
        assert all(map(torch.equal, models, whole))


def test_a_step_does_not_change_models_that_others_hold() -> None:
    server = optimiser_server("adam")
    models = trajectory(server, [START], 0, 3)
    before = [model.clone() for model in models]
    trajectory(server, models, 3, 6)
    assert all(map(torch.equal, models, before))


@pytest.mark.parametrize(
    ("name", "settings", "message"),
    [
        ("adm", {}, "server_optimiser is 'adm'; did you mean adam? it must be one of fedavgm"),
        ("lbfgs", {}, "server_optimiser is 'lbfgs'; it must be one of fedavgm"),
        (
            "adam",
            {"epz": 0.5},
            "server_options is 'epz'; did you mean eps? Adam takes beta1, beta2",
        ),
        ("sgd", {"lr": 0.5}, "server_options is 'lr'; SGD takes momentum"),
        ("adam", {"beta1": 1.5}, "Invalid beta parameter at index 0: 1.5"),
        ("sgd", {"momentum": -1.0}, "Invalid momentum value: -1.0"),
        ("fedyogi", {"beta2": 1.5}, "beta2 is 1.5; it must be a number from 0 to 1"),
    ],
)
def test_what_no_optimiser_takes_is_refused(
    name: str, settings: dict[str, float], message: str
) -> None:
    with pytest.raises(ArgumentError, match=re.escape(message)):
        server_optimiser(name, 0.1, settings)([torch.zeros(2)])
