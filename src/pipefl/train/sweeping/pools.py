"""Pools by name, as executors are: where the trials of a sweep are run."""

from pipefl.errors import ArgumentError
from pipefl.settings import nearest
from pipefl.train.executors.ray.extra import naming_the_extra
from pipefl.train.sweeping.pool import ProcessPool, TrialPool

POOLS = {
    "processes": "in so many processes on this machine",
    "ray": "in as many tasks of Ray at once, on this machine or on a cluster",
}


def pool_by_name(name: str, num_jobs: int, *, ray_address: str | None = None) -> TrialPool:
    """The pool of that name, for so many trials at once."""
    match name:
        case "processes":
            return ProcessPool(num_jobs)
        case "ray":
            return _ray_pool(num_jobs, ray_address)
    accepted = f"{nearest(name, POOLS)}it must be one of {', '.join(POOLS)}"
    raise ArgumentError("pool", name, accepted)


def _ray_pool(num_jobs: int, address: str | None) -> TrialPool:
    with naming_the_extra():
        from pipefl.train.sweeping.ray_pool import RayPool
    return RayPool(num_jobs, address)
