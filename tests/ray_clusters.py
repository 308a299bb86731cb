"""Ray clusters on the loopback interface, and what the end of one leaves behind."""

import gc
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from subprocess import Popen
from typing import Any

import pytest

from pipefl.train.executors.ray.offspring import naming, wait_for_end, with_descendants

# Ray leaves files and processes to the garbage collector, which complains of them.
RAY_LEAVES_FILES = pytest.mark.filterwarnings("ignore:unclosed file <_io:ResourceWarning")
RAY_LEAVES_PROCESSES = pytest.mark.filterwarnings("ignore:subprocess .* still run:ResourceWarning")


@dataclass
class TwoNodes:
    """A cluster whose nodes are processes here; each of them has four CPUs on paper."""

    cluster: Any
    other: Any = field(init=False)

    def __post_init__(self) -> None:
        self.other = self.add()

    @property
    def address(self) -> str:
        """HOST:PORT of the head."""
        return str(self.cluster.address)

    @property
    def both(self) -> tuple[Any, Any]:
        """The head and the other node."""
        return self.cluster.head_node, self.other

    def add(self, **settings: object) -> Any:
        """One more node."""
        return self.cluster.add_node(num_cpus=4, **settings)

    def processes(self) -> set[int]:
        """All processes of both nodes that are not their own machinery."""
        return with_descendants(_raylet(node).pid for node in self.both)

    def on(self, node: Any, processes: list[int]) -> list[int]:
        """Those of the processes that belong to a node."""
        return sorted(with_descendants([_raylet(node).pid]) & set(processes))

    def lose(self, node: Any) -> None:
        """End a node as its power does, with all that runs there."""
        raylet = _raylet(node).pid
        running = with_descendants([raylet])
        self.cluster.remove_node(node, allow_graceful=False)
        for process in running - {raylet}:
            try:
                os.kill(process, 9)
            except ProcessLookupError:
                continue


def _raylet(node: Any) -> "Popen[bytes]":
    """The process that begins a node's workers."""
    process: Popen[bytes] = node.all_processes["raylet"][0].process
    return process


@contextmanager
def two_nodes() -> Iterator[TwoNodes]:
    """A cluster that no other program on this machine meets, and all of it gone afterwards."""
    pytest.importorskip("ray", reason="ray is not installed")
    folder = tempfile.mkdtemp(prefix="ray-", dir="/tmp")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_TMPDIR", folder)
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        patch.delenv("RAY_ADDRESS", raising=False)
        from ray.cluster_utils import Cluster

        head = {"num_cpus": 4, "include_dashboard": False}
        cluster = Cluster(initialize_head=True, head_node_args=head)
        try:
            yield TwoNodes(cluster)
        finally:
            ours = with_descendants(naming(Path(folder)))
            cluster.shutdown()
            wait_for_end(ours)
            shutil.rmtree(folder, ignore_errors=True)
            gc.collect()
