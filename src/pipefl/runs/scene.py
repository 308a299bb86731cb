"""From a run's configuration and its clients' sizes to the scene of its schedule."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pipefl.devices.availability import Availability
from pipefl.devices.jitter import Jitter
from pipefl.errors import ArgumentError, InputFileError, PipeflError
from pipefl.plan import ClusterPlan, plan_clusters
from pipefl.policies.policy import Schedule
from pipefl.policies.scene import LossSource, Scene
from pipefl.policies.schedules import schedule_by_name
from pipefl.runs.config import RunConfig
from pipefl.settings import Setting
from pipefl.wireless import ChannelState, cell_channel


def scene_of(
    config: RunConfig,
    num_samples: NDArray[np.int64],
    client_id: NDArray[np.object_],
    losses: LossSource | None = None,
) -> Scene:
    r"""Clients, their plan and the uplink, as the configuration has them.

    .. math:: \tau_m = \sigma n_m, \qquad
        \tau_\text{com} = \frac{\tau_\text{max} - \tau_\text{min}}{K}

    unless compute times come from a file, or the upload time is given. Paper:
    sec:simulations, eq:choosing_K.
    """
    times_s = _compute_time_s(config, num_samples)
    plan = _plan(config, times_s)
    return Scene(
        compute_time_s=times_s,
        upload_time_s=np.full(times_s.size, plan.upload_time_s),
        num_channels=config.num_channels,
        server_time_s=config.server_time_s,
        num_samples=num_samples,
        plan=plan,
        channel=_channel(config, times_s.size),
        losses=losses,
        availability=_availability(config, client_id),
    )


def schedule_of(config: RunConfig, scene: Scene) -> Schedule:
    """The policy and its discipline, by their names, with the configuration's settings.

    Of a policy without rounds, `server_learning_rate` is the factor on its updates.
    """
    return schedule_by_name(
        config.policy,
        scene,
        discipline=config.discipline,
        missed=config.missed,
        jitter=Jitter(config.devices.jitter) if config.devices.jitter else None,
        options=_policy_options(config),
    )


def _policy_options(config: RunConfig) -> dict[str, Setting]:
    options = dict(config.policy_options)
    name = {"rolling": "damping", "fedbuff": "server_learning_rate"}.get(config.policy)
    rate = config.server_learning_rate
    if name is None or rate is None or config.server_optimiser != "sgd":
        return options
    if name in options:
        accepted = f"it is the same as server_learning_rate, {rate:g}: give one of them"
        raise ArgumentError(f"policy_options.{name}", options[name], accepted)
    return {**options, name: rate}


def _compute_time_s(config: RunConfig, num_samples: NDArray[np.int64]) -> NDArray[np.float64]:
    path = config.devices.times_file
    if path is None:
        return np.asarray(config.devices.seconds_per_sample * num_samples, dtype=np.float64)
    from pipefl.devices.files import read_population

    times_s = read_population(Path(path)).compute_time_s
    if times_s.size != num_samples.size:
        text = f"{times_s.size:,} compute times for the {num_samples.size:,} clients of the data"
        raise InputFileError(f"{path}: {text}")
    return times_s


def _plan(config: RunConfig, times_s: NDArray[np.float64]) -> ClusterPlan:
    upload_time_s = config.upload_time_s
    if upload_time_s is None:
        parts = config.upload_clusters or config.num_clusters
        assert parts is not None  # noqa: S101  # the config has checked it
        upload_time_s = float(np.ptp(times_s)) / parts
        if upload_time_s == 0:
            raise PipeflError(
                "all clients compute for the same time, so there is no upload time that makes "
                "clusters of them; give upload_time_s"
            )
    return plan_clusters(
        times_s, upload_time_s, num_clusters=config.num_clusters, slack_s=config.slack_s
    )


def _channel(config: RunConfig, num_clients: int) -> ChannelState | None:
    radius_m = config.devices.cell_radius_m
    if radius_m is None:
        return None
    return cell_channel(num_clients, config.num_channels, radius_m, config.seed)


def _availability(config: RunConfig, client_id: NDArray[np.object_]) -> Availability | None:
    path = config.devices.availability_file
    if path is None:
        return None
    from pipefl.devices.availability_files import read_availability

    return read_availability(Path(path), client_id=client_id)
