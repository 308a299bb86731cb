"""Flower's own processes: a SuperLink and SuperNodes, on loopback or in network namespaces.

For benchmarks/narrow_link.py and the tests of real federations. Everything that is started
carries a mark in its environment, by which whatever is left of it is found and ended by its id.
Nothing looks beyond this machine.
"""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic, sleep

from narrow_network import Place

BIN = Path(sys.executable).parent
PATIENCE_S = 240.0  # for a process to come up on a busy machine
_PORT = 18000
_MARK = "PIPEFL_DEPLOYMENT"


@dataclass
class Deployment:
    """The processes of one federation; logs and Flower's own files go into `folder`."""

    folder: Path
    hub: Place = field(default_factory=Place)
    environment: Mapping[str, str] = field(default_factory=dict)
    processes: dict[str, "subprocess.Popen[bytes]"] = field(default_factory=dict)
    keys: Path | None = None
    port: int = 0
    mark: str = ""

    def __post_init__(self) -> None:
        self.port = self.port or _free_port()
        self.mark = f"{_MARK}={os.getpid()}-{self.port}"

    def start(self, name: str, place: Place, *command: object) -> None:
        """Start a process; what it prints goes to its log."""
        with (self.folder / f"{name}.log").open("ab") as log:
            self.processes[name] = subprocess.Popen(
                place.command(*command),
                stdout=log,
                stderr=subprocess.STDOUT,
                cwd=self.folder,
                env=self.env(),
                start_new_session=True,
            )

    def env(self) -> dict[str, str]:
        """Without telemetry, update checks, installations or anybody else's Flower files."""
        source = Path(__file__).parents[1] / "src"
        return {
            **os.environ,
            _MARK: self.mark.removeprefix(f"{_MARK}="),
            "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": str(source),
            "FLWR_HOME": str(self.folder / "flwr"),
            "FLWR_TELEMETRY_ENABLED": "0",
            "FLWR_DISABLE_UPDATE_CHECK": "1",
            "FLWR_SUPEREXEC_TASK_POLL_INTERVAL": "0.1",
            "RAY_USAGE_STATS_ENABLED": "0",
            "RAY_raylet_start_wait_time_s": f"{PATIENCE_S:.0f}",
            "OMP_NUM_THREADS": "1",
            "OPENBLAS_NUM_THREADS": "1",
            **self.environment,
        }

    def superlink(self, *options: object) -> None:
        """Start the SuperLink, write the connection `test` to it, and wait until it answers."""
        self._write_connection()
        self.start(
            "superlink",
            self.hub,
            BIN / "flower-superlink",
            *self._tls(),
            *("--host", self.hub.address, "--port", self.port),
            "--disable-runtime-dependency-installation",
            *options,
        )
        self._wait_for_answer()

    def supernode(self, name: str, place: Place, key: Path | None, config: str) -> None:
        """Start a SuperNode with that node configuration."""
        port = _PORT + len(self.processes) if place.namespace else _free_port()
        trust = ["--insecure"] if self.keys is None else ["--root-certificates", self._ca]
        if key is not None:
            trust += ["--auth-supernode-private-key", key]
        self.start(
            name,
            place,
            BIN / "flower-supernode",
            *trust,
            *("--superlink", f"{self.hub.address}:{self.port}"),
            *("--host", "127.0.0.1", "--port", port),
            *("--node-config", config),
        )

    def flwr(self, *words: object) -> "subprocess.CompletedProcess[str]":
        """A command of Flower's or this package's, beside the SuperLink."""
        return subprocess.run(
            self.hub.command(*words),
            cwd=self.folder,
            env=self.env(),
            capture_output=True,
            text=True,
            check=False,
            timeout=900,
        )

    def kill(self, name: str, number: signal.Signals = signal.SIGKILL) -> None:
        """End a process and what it has started."""
        process = self.processes.pop(name)
        if process.poll() is None:
            os.killpg(process.pid, number)
        try:
            process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait(timeout=10)

    def close(self) -> None:
        """End everything, and what it has started and left."""
        for name in list(self.processes):
            self.kill(name)
        until = monotonic() + 5
        while (left := _marked(self.mark)) and monotonic() < until:
            sleep(0.2)  # they notice by themselves that their parents are gone
        for number in left:
            with suppress(ProcessLookupError):
                os.kill(number, signal.SIGKILL)

    def log(self, name: str) -> str:
        """What a process has printed so far."""
        return (self.folder / f"{name}.log").read_text(errors="replace")

    @property
    def _ca(self) -> Path:
        assert self.keys is not None
        return self.keys / "ca.crt"

    def _tls(self) -> list[object]:
        if self.keys is None:
            return ["--insecure"]
        return [
            *("--ssl-certfile", self.keys / "server.crt"),
            *("--ssl-keyfile", self.keys / "server.key"),
            *("--ssl-ca-certfile", self._ca),
            "--enable-supernode-auth",
        ]

    def _write_connection(self) -> None:
        trust = "insecure = true"
        if self.keys is not None:
            trust = f'root-certificates = "{self._ca}"'
        home = self.folder / "flwr"
        home.mkdir(exist_ok=True)
        address = f'address = "{self.hub.address}:{self.port}"'
        text = f'[superlink]\ndefault = "test"\n[superlink.test]\n{address}\n{trust}\n'
        (home / "config.toml").write_text(text)

    def _wait_for_answer(self) -> None:
        probe = "import socket, sys; socket.create_connection((sys.argv[1], int(sys.argv[2])), 1)"
        until = monotonic() + PATIENCE_S
        while monotonic() < until:
            if self.processes["superlink"].poll() is not None:
                break
            command = self.hub.command(
                sys.executable, "-S", "-c", probe, self.hub.address, self.port
            )
            if subprocess.run(command, capture_output=True, check=False).returncode == 0:
                return
            sleep(0.2)
        raise RuntimeError(f"no SuperLink: {self.log('superlink')}")


@contextmanager
def deployment(folder: Path, hub: Place | None = None) -> Iterator[Deployment]:
    """Processes that end with the block."""
    made = Deployment(folder, hub or Place())
    try:
        yield made
    finally:
        made.close()


def _marked(mark: str) -> list[int]:
    """The processes that have a mark in their environment."""
    found = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        with suppress(OSError):
            if mark.encode() in path.read_bytes().split(b"\0"):
                found.append(int(path.parent.name))
    return found


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
