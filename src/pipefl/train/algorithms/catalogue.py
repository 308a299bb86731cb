"""Algorithms by name, and what they cannot be put together with."""

from collections.abc import Mapping
from dataclasses import is_dataclass
from typing import cast

from pipefl.dotted_paths import factory_at, made_by
from pipefl.errors import ArgumentError, PipeflError
from pipefl.models.catalogue import ModelSettings
from pipefl.models.linear import LinearConfig
from pipefl.policies.policy import Schedule
from pipefl.policies.rounds import RoundSchedule
from pipefl.settings import Settings, nearest, with_settings
from pipefl.train.algorithms.algorithm import Algorithm
from pipefl.train.algorithms.cocoa import Cocoa
from pipefl.train.algorithms.fedprox import FedProx
from pipefl.train.algorithms.full_gradient import FullGradient
from pipefl.train.algorithms.local_sgd import LocalSgd
from pipefl.train.algorithms.scaffold import Scaffold
from pipefl.train.server import AddingServer, Server

_PARTS = ("name", "num_replies", "additive", "start", "work", "own_share", "after")
_NOT_SET = ("name", "num_replies", "additive")  # fields that are what the algorithm is

ALGORITHMS: Mapping[str, Algorithm] = {
    algorithm.name: algorithm
    for algorithm in (LocalSgd(), FullGradient(), FedProx(), Scaffold(), Cocoa())
}


def algorithm_by_name(name: str, options: Settings) -> Algorithm:
    """The algorithm of that name, with its own settings by the names of its fields.

    One that is not in `ALGORITHMS` is named by `package.module:factory`, where `factory()` is
    an `Algorithm`, and a frozen dataclass as they are.

    >>> algorithm_by_name("fedprox", {"proximal": 1}).proximal
    1.0
    """
    found = _own(name) if ":" in name else _named(name)
    return with_settings(found, options, section="algorithm_options", hidden=_NOT_SET)


def _named(name: str) -> Algorithm:
    if name not in ALGORITHMS:
        names = f"{', '.join(ALGORITHMS)}, or package.module:factory"
        raise ArgumentError(
            "algorithm", name, f"{nearest(name, ALGORITHMS)}the algorithms are {names}"
        )
    return ALGORITHMS[name]


def _own(dotted_path: str) -> Algorithm:
    """What a user's factory makes, once it has all that an algorithm has."""
    made = made_by(factory_at(dotted_path, "algorithm"), dotted_path)
    lacks = [part for part in _PARTS if not hasattr(made, part)]
    if lacks:
        text = f"the factory gives a {type(made).__name__}, which has no {', '.join(lacks)}"
        raise PipeflError(f"{dotted_path}: {text}; see docs/models-and-algorithms.md")
    if not is_dataclass(made):
        raise PipeflError(
            f"{dotted_path}: the factory gives no dataclass, whose fields are settings"
        )
    return cast("Algorithm", made)


def refuse_unfit(algorithm: Algorithm, model: ModelSettings) -> None:
    """Complain of an algorithm that cannot train this model."""
    if isinstance(algorithm, Cocoa) and not _is_linear(model):
        given = model.model if isinstance(model.model, str) else type(model.model).__name__
        accepted = f'{algorithm.name} trains linear models only: take model "linear"'
        raise ArgumentError("model", given, accepted)


def refuse_unfit_steps(algorithm: Algorithm, schedule: Schedule, server: Server) -> None:
    """Complain of an algorithm whose updates must be added up as they are, if they will not be."""
    if not algorithm.additive:
        return
    wanted = f"{algorithm.name} needs rounds whose updates are added up as they are"
    if not isinstance(schedule, RoundSchedule):
        raise PipeflError(f"{wanted}, and {schedule.name!r} has none; take a policy with rounds")
    if schedule.missed == "carry":
        raise PipeflError(f'{wanted} and belong to it: missed must be "drop" or "next-slot"')
    if server != AddingServer():
        raise PipeflError(
            f"{wanted}: server_optimiser must be sgd, and server_learning_rate 1 or left out"
        )


def _is_linear(model: ModelSettings) -> bool:
    return model.model == "linear" or isinstance(model.model, LinearConfig)
