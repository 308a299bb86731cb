"""A network of namespaces in which many nodes share one narrow way to a hub.

For benchmarks/narrow_link.py and the tests of real federations. The namespaces carry the id of
the process that made them, the machine's own network is not touched, and nothing is left behind.
"""

import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass
class Place:
    """Where processes run: in a namespace, or on loopback if it has no name."""

    namespace: str | None = None
    address: str = "127.0.0.1"

    def command(self, *words: object) -> list[str]:
        """A command, in that place."""
        inside = ["ip", "netns", "exec", self.namespace] if self.namespace else []
        return [*inside, *map(str, words)]


def why_no_namespaces() -> str | None:
    """Why there can be no narrow link on this machine; None if there can."""
    if os.geteuid() != 0:
        return "network namespaces need root"
    missing = [tool for tool in ("ip", "tc") if shutil.which(tool) is None]
    if missing:
        return f"no {', '.join(missing)} (iproute2)"
    name = f"pf{os.getpid()}t"
    tried = _ip("netns", "add", name)
    if tried.returncode:
        return f"network namespaces cannot be made here: {tried.stderr.strip()}"
    shaped = subprocess.run(
        _tbf(["ip", "netns", "exec", name, "tc"], "lo", 1_000_000),
        capture_output=True,
        text=True,
        check=False,
    )
    _ip("netns", "del", name)
    return f"tc tbf: {shaped.stderr.strip()}" if shaped.returncode else None


@contextmanager
def network(num_nodes: int, uplink_bits_per_s: int) -> Iterator[tuple[Place, list[Place]]]:
    """A hub and nodes around a bridge, over which all nodes share a narrow way to the hub.

    Each is a namespace of its own, and so is the bridge; the way back is as fast as it can be.
    """
    base = f"pf{os.getpid()}"
    switch, names = f"{base}sw", [f"{base}hub", *(f"{base}n{i}" for i in range(num_nodes))]
    made: list[str] = []
    try:
        for name in (switch, *names):
            _must(_ip("netns", "add", name))
            made.append(name)
            _must(_ip("-n", name, "link", "set", "lo", "up"))
        _must(_ip("-n", switch, "link", "add", "bridge", "type", "bridge"))
        _must(_ip("-n", switch, "link", "set", "bridge", "up"))
        places = [_joined(switch, name, i) for i, name in enumerate(names)]
        inside = ["ip", "netns", "exec", switch, "tc"]
        _must(
            subprocess.run(
                _tbf(inside, "port0", uplink_bits_per_s),
                capture_output=True,
                text=True,
                check=False,
            )
        )
        yield places[0], places[1:]
    finally:
        for name in made:
            _ip("netns", "del", name)


def uplink_bytes(hub: Place) -> int:
    """How many bytes have gone over the narrow way so far."""
    assert hub.namespace is not None
    switch = hub.namespace.removesuffix("hub") + "sw"
    done = _ip("netns", "exec", switch, "cat", "/sys/class/net/port0/statistics/tx_bytes")
    return int(done.stdout)


def _joined(switch: str, name: str, number: int) -> Place:
    port, address = f"port{number}", f"10.77.0.{number + 1}"
    _must(_ip("-n", switch, "link", "add", port, "type", "veth", "peer", "eth0", "netns", name))
    _must(_ip("-n", switch, "link", "set", port, "master", "bridge", "up"))
    _must(_ip("-n", name, "addr", "add", f"{address}/24", "dev", "eth0"))
    _must(_ip("-n", name, "link", "set", "eth0", "up"))
    return Place(name, address)


def _tbf(tc: Sequence[str], device: str, bits_per_s: int) -> list[str]:
    shape = ["rate", f"{bits_per_s}bit", "burst", "16kb", "latency", "500ms"]
    return [*tc, "qdisc", "add", "dev", device, "root", "tbf", *shape]


def _ip(*words: str) -> "subprocess.CompletedProcess[str]":
    command = [shutil.which("ip") or "ip", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def _must(done: "subprocess.CompletedProcess[str]") -> None:
    if done.returncode:
        raise RuntimeError(f"{' '.join(done.args)}: {done.stderr.strip()}")
