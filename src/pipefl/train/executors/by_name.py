"""Executors by name."""

from pipefl.errors import ArgumentError
from pipefl.models.catalogue import ModelSettings
from pipefl.settings import nearest
from pipefl.train.algorithms.algorithm import Algorithm
from pipefl.train.executors.executor import Executor
from pipefl.train.executors.processes import Processes
from pipefl.train.executors.ray.extra import naming_the_extra
from pipefl.train.executors.serial import Serial
from pipefl.train.executors.vectorised import Vectorised
from pipefl.train.workplace import Workplace

EXECUTORS = {
    "serial": "in this process, with one thread",
    "processes": "in `workers` processes of one thread each",
    "ray": "in `workers` actors of Ray, on this machine or on the cluster at `ray_address`",
    "vectorised": "all clients of a round as one batched program, for accelerators",
}


def executor_by_name(
    name: str,
    place: Workplace,
    algorithm: Algorithm,
    model: ModelSettings,
    workers: int,
    *,
    ray_address: str | None = None,
) -> Executor:
    """The executor of that name; `workers` counts the processes of those that have some."""
    match name:
        case "serial":
            return Serial(place, algorithm)
        case "processes":
            return Processes(place, algorithm, model, workers)
        case "ray":
            return _ray_actors(place, algorithm, model, workers, ray_address)
        case "vectorised":
            return Vectorised(place, algorithm)
    accepted = f"{nearest(name, EXECUTORS)}it must be one of {', '.join(EXECUTORS)}"
    raise ArgumentError("executor", name, accepted)


def _ray_actors(
    place: Workplace, algorithm: Algorithm, model: ModelSettings, workers: int, address: str | None
) -> Executor:
    with naming_the_extra():
        from pipefl.train.executors.ray.ray_actors import RayActors
    return RayActors(place, algorithm, model, workers, address)
