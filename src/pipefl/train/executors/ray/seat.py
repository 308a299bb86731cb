"""Where a worker sits, and what its bits depend on there."""

import os
from dataclasses import dataclass
from importlib.metadata import version

import ray
import torch

import pipefl
from pipefl.train.executors.processes import WorkerError


@dataclass(frozen=True)
class Seat:
    """A process: its number, its node's address, versions, and the processor's instruction set."""

    process_id: int
    node: str
    versions: tuple[tuple[str, str], ...]
    instructions: str


def own_seat() -> Seat:
    """Where we are ourselves."""
    return Seat(
        os.getpid(),
        ray.util.get_node_ip_address(),
        (
            ("pipefl", pipefl.__version__),
            ("torch", torch.__version__),
            ("numpy", version("numpy")),
        ),
        torch.backends.cpu.get_cpu_capability(),
    )


def refuse_other_versions(theirs: Seat, mine: Seat) -> None:
    """Complain of a worker whose numbers may be others; Ray itself compares its own and Python's.

    >>> mine = Seat(1, "10.0.0.1", (("pipefl", "1.0"), ("torch", "2.7")), "AVX2")
    >>> theirs = Seat(2, "10.0.0.2", (("pipefl", "1.0"), ("torch", "2.6")), "AVX2")
    >>> refuse_other_versions(theirs, mine)
    Traceback (most recent call last):
        ...
    pipefl.train.executors.processes.WorkerError: node 10.0.0.2 has torch 2.6, and this process ...
    """
    other = dict(mine.versions)
    different = [(name, its) for name, its in theirs.versions if other[name] != its]
    if different:
        there = ", ".join(f"{name} {its}" for name, its in different)
        here = ", ".join(f"{name} {other[name]}" for name, _ in different)
        raise WorkerError(
            f"node {theirs.node} has {there}, and this process {here}: results would depend on "
            "where clients are trained; install the same versions on all nodes"
        )


def doubt(theirs: Seat, mine: Seat) -> str | None:
    """Why this worker's last bits may differ, if so: torch takes sums by the widest vectors it has.

    >>> mine = Seat(1, "10.0.0.1", (), "AVX512")
    >>> print(doubt(Seat(2, "10.0.0.2", (), "AVX2"), mine))
    node 10.0.0.2 computes with AVX2 and this one with AVX512: ...
    """
    if theirs.instructions == mine.instructions:
        return None
    return (
        f"node {theirs.node} computes with {theirs.instructions} and this one with "
        f"{mine.instructions}: the last bits of results will depend on where clients are trained; "
        f"ATEN_CPU_CAPABILITY may set all nodes to the lesser of both"
    )
