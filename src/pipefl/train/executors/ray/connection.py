"""A connection to Ray: to a cluster by its address, or to processes of our own on this machine."""

import logging
import os
import shutil
import tempfile
from pathlib import Path

import ray

from pipefl.errors import ArgumentError, PipeflError
from pipefl.train.executors.ray.address import cluster_address
from pipefl.train.executors.ray.offspring import kill, naming, wait_for_end, with_descendants
from pipefl.train.executors.ray.quiet import on_loopback, show_messages, unnoticed
from pipefl.train.executors.worker_process import worker_environment

_LEAST_STORE_BYTES = 80 << 20  # Ray takes no less than 75 MiB
_LONGEST_FOLDER = 40  # letters: Ray's sockets lie below it, and a socket's path has to be short


class Connection:
    """What this process has of Ray, and its end.

    An embedded Ray keeps its files in `folder`, which goes with it. Whoever was connected
    before us stays connected.
    """

    def __init__(self, *, is_ours: bool, folder: Path | None = None) -> None:
        self._is_ours = is_ours
        self._folder = folder
        if is_ours:
            show_messages(False)

    def close(self) -> None:
        """Leave the cluster, or end what was begun here and wait until it is gone."""
        if self._is_ours:
            processes = set() if self._folder is None else with_descendants(naming(self._folder))
            ray.shutdown()
            wait_for_end(processes)
            show_messages(True)
            self._is_ours = False
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)


def connect(address: str | None, *, num_cpus: int, store_bytes: int) -> Connection:
    """Connect to the cluster at `address`, "auto" for the one that this machine is a node of.

    None is what the environment's RAY_ADDRESS says, or else a Ray of our own on this machine,
    with so many CPUs for its workers and memory for so many bytes of objects. A process that
    is connected already stays so, and if it names an address, it has to be that one.
    """
    if ray.is_initialized():
        _refuse_second(address)
        return Connection(is_ours=False)
    wanted = address or os.environ.get("RAY_ADDRESS") or "local"
    if wanted != "local":
        _join(wanted)
        return Connection(is_ours=True)
    try:
        return _embedded(num_cpus, store_bytes)
    except PipeflError:  # Ray waits half a minute for itself, which a busy machine may exceed
        return _embedded(num_cpus, store_bytes)


def _embedded(num_cpus: int, store_bytes: int) -> Connection:
    folder = _short_folder()
    try:
        _begin(folder, num_cpus, store_bytes)
    except BaseException:
        ray.shutdown()
        kill(with_descendants(naming(folder)))
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return Connection(is_ours=True, folder=folder)


def _begin(folder: Path, num_cpus: int, store_bytes: int) -> None:
    try:
        with unnoticed(worker_environment()), on_loopback():
            ray.init(
                "local",
                num_cpus=num_cpus,
                num_gpus=0,
                object_store_memory=_granted(store_bytes),
                include_dashboard=False,
                log_to_driver=False,
                logging_level=logging.CRITICAL,
                _temp_dir=str(folder),
            )
    except Exception as error:  # of many kinds
        raise PipeflError(f"Ray did not start on this machine: {_one_line(error)}") from error


def _join(wanted: str) -> None:
    place = cluster_address(wanted)
    try:
        with unnoticed({}):
            ray.init(place, log_to_driver=False, logging_level=logging.CRITICAL)
    except Exception as error:  # as above; other versions of Ray and Python are among them
        ray.shutdown()
        text = f"the Ray cluster there refuses this process: {_one_line(error)}"
        raise ArgumentError("ray_address", wanted, text) from error


def _refuse_second(address: str | None) -> None:
    here = ray.get_runtime_context().gcs_address
    if address not in (None, "auto", here):
        accepted = f"this process is connected to the Ray cluster at {here} already"
        raise ArgumentError("ray_address", address, accepted)


def _granted(store_bytes: int) -> int:
    """What of this much memory can be had; beyond that Ray puts objects into files."""
    shared = Path("/dev/shm")  # noqa: S108  # where Ray keeps its objects on Linux
    free = shutil.disk_usage(shared).free if shared.is_dir() else store_bytes
    return max(min(store_bytes, int(0.9 * free)), _LEAST_STORE_BYTES)


def _short_folder() -> Path:
    usual = tempfile.gettempdir()
    above = usual if len(usual) <= _LONGEST_FOLDER else "/tmp"  # noqa: S108  # mkdtemp is safe there
    return Path(tempfile.mkdtemp(prefix="pipefl-ray-", dir=above))


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())
