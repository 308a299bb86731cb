"""From a run's configuration to all that its training needs."""

from dataclasses import dataclass

import torch
from torch import Tensor

from pipefl.data.catalogue import load_dataset
from pipefl.data.federated import FederatedDataset
from pipefl.errors import ArgumentError, PipeflError
from pipefl.models.catalogue import ModelSettings, named_model
from pipefl.policies.fedat import FedAt
from pipefl.policies.fedbuff import FedBuff
from pipefl.policies.policy import Schedule
from pipefl.policies.rolling import Rolling
from pipefl.policies.scene import Scene
from pipefl.runs.config import RunConfig
from pipefl.runs.scene import scene_of, schedule_of
from pipefl.settings import with_settings
from pipefl.train.algorithms.algorithm import Algorithm
from pipefl.train.algorithms.catalogue import (
    algorithm_by_name,
    refuse_unfit,
    refuse_unfit_steps,
)
from pipefl.train.reported_losses import ReportedLosses
from pipefl.train.server import AddingServer, OptimiserServer, Server, TierServer
from pipefl.train.server_optimisers import server_optimiser
from pipefl.train.weighting import refuse_unknown_inclusion
from pipefl.train.workplace import Diligence, Workplace


@dataclass(frozen=True, eq=False)
class Assembly:
    """A run's parts, none of which has done anything yet.

    `losses` is what `scene.losses` is: the training tells it what clients report.
    """

    config: RunConfig
    dataset: FederatedDataset
    losses: ReportedLosses
    scene: Scene
    schedule: Schedule
    model: ModelSettings
    place: Workplace
    algorithm: Algorithm
    initial: Tensor
    server: Server


def assembled(config: RunConfig, dataset: FederatedDataset | None = None) -> Assembly:
    """The parts, each made from its own fields; what does not fit together is complained of.

    `dataset` is the one that the config names, for whoever has loaded it already.
    """
    data = load_run_dataset(config) if dataset is None else dataset
    losses = ReportedLosses(data.num_clients, data.num_classes)
    scene = scene_of(config, data.num_samples, data.client_id, losses)
    schedule = schedule_of(config, scene)
    next(schedule.steps(scene, config.seed), None)  # complains of what the policy lacks
    refuse_unknown_inclusion(schedule, scene, config.weighting)
    algorithm = algorithm_by_name(config.algorithm, config.algorithm_options)
    model = model_settings(config, data)
    place = Workplace(model.build(), data.train, data.offset, data.test, _diligence(config))
    refuse_unfit(algorithm, model)
    initial = place.model.initial(config.seed)
    server = _server(config, schedule, scene, initial)
    refuse_unfit_steps(algorithm, schedule, server)
    return Assembly(
        config=config,
        dataset=data,
        losses=losses,
        scene=scene,
        schedule=schedule,
        model=model,
        place=place,
        algorithm=algorithm,
        initial=initial,
        server=server,
    )


def load_run_dataset(config: RunConfig) -> FederatedDataset:
    """The dataset that a config names, dealt to clients by the config's seed."""
    return load_dataset(
        config.dataset,
        partition=config.data.partition,
        num_clients=config.data.num_clients,
        count=config.data.count,
        test_samples=config.data.test_samples,
        seed=config.seed,
    )


def model_settings(config: RunConfig, data: FederatedDataset) -> ModelSettings:
    """The model for this data, with the config's options."""
    _refuse_missing_device(config.device)
    shape = tuple(data.train.inputs.shape[1:])
    if ":" in config.model:
        if config.model_options:
            accepted = "a module from a dotted path takes none; make a factory with its settings"
            raise ArgumentError("model_options", config.model_options, accepted)
        return ModelSettings(
            model=config.model,
            kind=data.kind,
            num_classes=data.num_classes,
            example_shape=shape,
            precision=config.precision,
            device=config.device,
        )
    named = named_model(config.model, data.num_classes, shape)
    return ModelSettings(
        model=with_settings(named, config.model_options, section="model_options"),
        kind=data.kind,
        num_classes=data.num_classes,
        example_shape=shape,
        precision=config.precision,
        device=config.device,
    )


def _diligence(config: RunConfig) -> Diligence:
    return Diligence(
        learning_rate=config.learning_rate,
        batch_size=config.batch_size,
        local_epochs=config.local_epochs,
        largest_update=config.largest_update,
        seed=config.seed,
    )


def _server(config: RunConfig, schedule: Schedule, scene: Scene, initial: Tensor) -> Server:
    if isinstance(schedule, FedAt):
        if config.server_optimiser != "sgd" or config.server_learning_rate is not None:
            raise PipeflError(
                "fedat has a server of its own, which averages its tiers' models: leave out "
                "server_optimiser and server_learning_rate"
            )
        return TierServer(schedule, scene, initial)
    if config.server_optimiser == "sgd" and not config.server_options:
        if isinstance(schedule, Rolling | FedBuff):  # their weights hold the rate already
            return AddingServer()
        return AddingServer(_server_rate(config))
    make = server_optimiser(config.server_optimiser, _server_rate(config), config.server_options)
    return OptimiserServer(make, initial.numel())


def _server_rate(config: RunConfig) -> float:
    return 1.0 if config.server_learning_rate is None else config.server_learning_rate


def _refuse_missing_device(name: str) -> None:
    try:
        torch.ones(1, device=name).add(1).item()
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        reason = str(error).splitlines()[0].partition(". ")[0]
        raise ArgumentError("device", name, f"torch cannot use it here: {reason}") from None
