"""Algorithms by name, and what they cannot be put together with."""

import re
from pathlib import Path

import pytest
import torch

from hand import five_clients
from own_algorithms import Clipped
from pipefl.errors import PipeflError
from pipefl.models.catalogue import ModelSettings
from pipefl.models.linear import LinearConfig
from pipefl.models.mlp import MlpConfig
from pipefl.policies.fedat import FedAt
from pipefl.policies.fedbuff import FedBuff
from pipefl.policies.policy import Schedule
from pipefl.policies.rolling import Rolling
from pipefl.policies.rounds import RoundSchedule
from pipefl.policies.uniform import Uniform
from pipefl.settings import Settings
from pipefl.train.algorithms.catalogue import (
    ALGORITHMS,
    algorithm_by_name,
    refuse_unfit,
    refuse_unfit_steps,
)
from pipefl.train.algorithms.cocoa import Cocoa
from pipefl.train.server import AddingServer, OptimiserServer, Server, TierServer
from pipefl.train.server_optimisers import server_optimiser
from small_runs import bits, ran, small

ROUNDS = RoundSchedule(Uniform(), "fifo")


def test_names_are_the_algorithms_own() -> None:
    assert list(ALGORITHMS) == ["local-sgd", "full-gradient", "fedprox", "scaffold", "cocoa"]
    for name in ALGORITHMS:
        assert algorithm_by_name(name, {}).name == name


def test_settings_are_fields() -> None:
    options: Settings = {"regularisation": 1, "loss": "hinge"}
    assert algorithm_by_name("cocoa", options) == Cocoa(regularisation=1.0, loss="hinge")


def test_an_algorithm_of_ones_own_is_named_by_its_factory() -> None:
    assert algorithm_by_name("own_algorithms:Clipped", {"longest": 2}) == Clipped(longest=2.0)


def test_it_trains_with_the_same_bits_in_any_process(tmp_path: Path) -> None:
    name = "own_algorithms:Clipped"
    config = small(algorithm=name, algorithm_options={"longest": 0.5}, max_rounds=3)
    serial = ran(config, tmp_path / "serial")
    processes = config.model_copy(update={"executor": "processes"})
    assert bits(serial) == bits(ran(processes, tmp_path / "processes"))
    free = ran(config.model_copy(update={"algorithm_options": {"longest": 9.0}}), tmp_path / "free")
    assert bits(free) != bits(serial)
    plain = {"algorithm": "local-sgd", "algorithm_options": {}}
    assert bits(free) == bits(ran(config.model_copy(update=plain), tmp_path / "plain"))


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("fedprx", {}, "algorithm is 'fedprx'; did you mean fedprox? the algorithms are local-sgd"),
        ("fedprox", {"mu": 1.0}, "algorithm_options is 'mu'; the settings there are: proximal"),
        ("fedprox", {"proximal": -1.0}, "proximal is -1.0; it must be"),
        ("fedprox", {"num_replies": 2}, "algorithm_options is 'num_replies'; "),
        ("local-sgd", {"name": "x"}, "algorithm_options is 'name'; the settings there are: none"),
        ("cocoa", {"loss": "huber"}, "algorithm_options.loss is 'huber'; it must be one of log"),
        ("cocoa", {"regularisation": 0.0}, "regularisation is 0.0; it must be"),
        (
            "own_algorithms:Clippd",
            {},
            "algorithm is 'own_algorithms:Clippd'; it must be the dotted",
        ),
        ("own_algorithms:Clipped", {"size": 1}, "the settings there are: longest"),
        ("own_algorithms:Half", {}, "gives a Half, which has no additive, start, own_share, after"),
        ("own_algorithms:Plain", {}, "own_algorithms:Plain: the factory gives no dataclass"),
        (
            "own_algorithms:needy",
            {},
            "own_algorithms:needy: calling the factory without arguments fails with TypeError: ",
        ),
    ],
)
def test_what_there_is_not_is_refused(name: str, options: Settings, message: str) -> None:
    with pytest.raises(PipeflError, match=re.escape(message)):
        algorithm_by_name(name, options)


def test_a_mistake_in_the_users_file_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "unfinished_algorithm.py").write_text("algorithm = (\n")
    with pytest.raises(PipeflError, match="^unfinished_algorithm:made: importing it fails with Sy"):
        algorithm_by_name("unfinished_algorithm:made", {})


@pytest.mark.parametrize(
    ("model", "named"),
    [("cnn", "'cnn'"), (MlpConfig(hidden=()), "'MlpConfig'"), ("some.module:linear", "'some.mod")],
)
def test_the_dual_method_needs_a_linear_model(model: str | MlpConfig, named: str) -> None:
    with pytest.raises(PipeflError, match=f"model is {named}.*cocoa trains linear models only"):
        refuse_unfit(Cocoa(), ModelSettings(model=model))
    for other in set(ALGORITHMS) - {"cocoa"}:
        refuse_unfit(ALGORITHMS[other], ModelSettings(model=model))


def test_linear_models_are_trained_by_all() -> None:
    for algorithm in ALGORITHMS.values():
        refuse_unfit(algorithm, ModelSettings(model="linear"))
        refuse_unfit(algorithm, ModelSettings(model=LinearConfig(num_classes=3)))


@pytest.mark.parametrize(
    ("schedule", "server", "message"),
    [
        (Rolling(in_flight=2), AddingServer(), "'rolling' has none; take a policy with rounds"),
        (FedBuff(2), AddingServer(), "'fedbuff' has none"),
        (FedAt(2), TierServer(FedAt(2), five_clients(), torch.zeros(3)), "'fedat' has none"),
        (ROUNDS, AddingServer(0.5), "server_learning_rate 1 or left out"),
        (ROUNDS, OptimiserServer(server_optimiser("adam", 1.0, {}), 3), "must be sgd"),
        (RoundSchedule(Uniform(), "slots", "carry"), AddingServer(), 'missed must be "drop"'),
    ],
)
def test_sums_must_be_added_up_as_they_are(
    schedule: Schedule, server: Server, message: str
) -> None:
    with pytest.raises(PipeflError, match=f"^cocoa needs rounds whose updates .*{message}"):
        refuse_unfit_steps(Cocoa(), schedule, server)
    for other in set(ALGORITHMS) - {"cocoa"}:
        refuse_unfit_steps(ALGORITHMS[other], schedule, server)
    refuse_unfit_steps(Cocoa(), ROUNDS, AddingServer())
