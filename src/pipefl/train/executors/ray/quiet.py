"""Ray without a word: no reports home, no messages of its own, no doors open to the network."""

import os
import signal
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import ray._private.worker as ray_worker
from ray._private import ray_constants

_SAY_NOTHING = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",  # a tip about accelerators, which nobody asks for
}


@contextmanager
def unnoticed(environment: Mapping[str, str]) -> Iterator[None]:
    """Connect to Ray in here: signals and environment are afterwards what they were.

    Ray takes SIGTERM for itself, and hands the environment to the processes that it begins.
    """
    changes = {**environment, **_SAY_NOTHING}
    before = {name: os.environ.get(name) for name in changes}
    on_sigterm = signal.getsignal(signal.SIGTERM)
    os.environ.update(changes)
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value
        if threading.current_thread() is threading.main_thread() and on_sigterm is not None:
            signal.signal(signal.SIGTERM, on_sigterm)


@contextmanager
def on_loopback() -> Iterator[None]:
    """Begin a Ray in here that listens on the loopback interface: it runs whatever it is sent.

    That is what Ray does by itself where it knows no clusters, as on macOS.
    """
    before = ray_constants.ENABLE_RAY_CLUSTER
    ray_constants.ENABLE_RAY_CLUSTER = False
    try:
        yield
    finally:
        ray_constants.ENABLE_RAY_CLUSTER = before


def show_messages(wanted: bool) -> None:
    """Whether Ray prints what it notices, such as a worker's end with the log of its node.

    Its switch for breakpoints; whoever asks for `log_to_driver=False` is spared less.
    """
    ray_worker._worker_logs_enabled = wanted
