"""Where a Ray cluster is, and whether there is one."""

import os
import socket
import subprocess
import sys

from ray._private.services import canonicalize_bootstrap_address, find_node_ids

from pipefl.errors import ArgumentError

_PATIENCE_S = 10
_PROBE = "import sys; from ray._raylet import GcsClient; GcsClient(address=sys.argv[1])"


def cluster_address(wanted: str) -> str:
    """The HOST:PORT that `wanted` means, where the head of a cluster was heard to answer.

    Ray itself would go on trying for minutes, and complain all the while.
    """
    if "://" in wanted:
        accepted = (
            "give HOST:PORT of the cluster's head, from a machine that is one of its nodes "
            "(ray start --address HOST:PORT), or submit the run to it (ray job submit)"
        )
        raise ArgumentError("ray_address", wanted, accepted)
    try:
        place = canonicalize_bootstrap_address(wanted)
    except (ValueError, ConnectionError, OSError):
        place = None
    host, _, port = (place or "").rpartition(":")
    if not host or not port.isdigit():
        accepted = 'it must be HOST:PORT, as ray start --head names it, or "auto"'
        if wanted == "auto":
            accepted = "no Ray cluster runs on this machine: ray start --head begins one"
        raise ArgumentError("ray_address", wanted, accepted)
    reason = _silence(host, int(port)) or _strangeness(f"{host}:{port}") or _distance()
    if reason:
        raise ArgumentError("ray_address", wanted, reason)
    return f"{host}:{port}"


def _silence(host: str, port: int) -> str | None:
    """Why nobody can be talked to there, if so."""
    try:
        socket.create_connection((host.strip("[]"), port), timeout=_PATIENCE_S).close()
    except OSError as error:
        reason = error.strerror or "no answer"
        return f"nothing answers there: {reason}; ray start --head says the right address"
    return None


def _strangeness(place: str) -> str | None:
    """Why whoever answers there is not a cluster's head, if so.

    It is asked by another process, which can be ended when it has waited long enough.
    """
    environment = os.environ | {"RAY_py_gcs_connect_timeout_s": str(_PATIENCE_S)}
    try:
        subprocess.run(  # noqa: S603  # our own program; the address is an argument, not a command
            [sys.executable, "-P", "-c", _PROBE, place],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=True,
            timeout=3 * _PATIENCE_S,
        )
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired):
        return (
            "what answers there is no Ray cluster's head; its port is 6379 unless chosen otherwise"
        )
    return None


def _distance() -> str | None:
    """Why this machine is none of the cluster's, if so: Ray finds its nodes by their processes."""
    if find_node_ids():
        return None
    return (
        "this machine is not one of the cluster's nodes: ray start --address HOST:PORT makes it one"
    )
