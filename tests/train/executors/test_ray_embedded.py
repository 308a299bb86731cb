"""A Ray of our own for one run: the command, in a process of its own."""

# nothing of this can be imported where ray is not installed

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

pytest.importorskip("ray", reason="ray is not installed")

from commands import pipefl_process
from pipefl.train.executors.ray.offspring import living, with_descendants

RUN = (
    "run", "demo-clustered", "--set", "model=linear", "--set", "data.num_clients=40",
    "--set", "name=small", "--set", "target_accuracy=1.0", "--set", "max_rounds=100000",
)  # fmt: skip

LOOPBACK = {"0100007F", "0000000000000000FFFF00000100007F"}
"""127.0.0.1, as it is and in IPv6, as the system writes them."""


@pytest.fixture
def temporary() -> Iterator[Path]:
    """A folder for temporary files whose path is short enough for Ray's sockets."""
    with TemporaryDirectory(prefix="t-", dir="/tmp") as folder:
        yield Path(folder)


def test_a_run_in_ray_is_quiet_stops_when_asked_and_leaves_nothing_behind(
    tmp_path: Path, temporary: Path
) -> None:
    apart = {name: value for name, value in os.environ.items() if not name.startswith("RAY_")}
    environment = {**apart, "TMPDIR": str(temporary), "RAY_ADDRESS": ""}
    process = subprocess.Popen(
        [sys.executable, "-m", "pipefl", *RUN, "--executor", "ray"],
        cwd=tmp_path,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    rounds = tmp_path / "runs" / "small" / "rounds.jsonl"
    wait_until(lambda: rounds.exists() and rounds.read_bytes() != b"", process)
    wait_until(lambda: num_workers(process.pid) == 2, process)  # rounds do not wait for both
    family = with_descendants([process.pid])
    assert list(temporary.iterdir()) != []
    assert listening(family) - LOOPBACK == set()
    process.send_signal(signal.SIGTERM)
    out, err = (stream.decode() for stream in process.communicate(timeout=120))
    assert process.returncode == 130
    assert living(family) == set()
    assert list(temporary.iterdir()) == []
    done = rounds.read_bytes().splitlines()
    begun, *progress = err.splitlines()
    assert begun == "runs/small begins: linear on mnist-subset to 1"
    assert all(line.startswith("round ") for line in progress)  # on a slow machine
    assert out.startswith("small: it was stopped, and can be resumed\n")
    shorter = (*RUN[:-1], f"max_rounds={len(done)}", "--runs-dir", "alone")
    assert pipefl_process(*shorter, folder=tmp_path).returncode == 0
    assert (tmp_path / "alone" / "small" / "rounds.jsonl").read_bytes().splitlines() == done


def wait_until(holds: Callable[[], bool], process: "subprocess.Popen[bytes]") -> None:
    end_s = time.monotonic() + 240
    while not holds():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < end_s
        time.sleep(0.05)


def num_workers(process: int) -> int:
    found = 0
    for each in with_descendants([process]):
        with suppress(OSError):  # it has ended
            title = Path(f"/proc/{each}/cmdline").read_bytes()
            found += title.startswith(b"ray::ClientWorker")
    return found


def listening(processes: set[int]) -> set[str]:
    """The addresses on which these processes wait for connections."""
    sockets = {
        path.readlink()
        for process in processes
        for path in Path(f"/proc/{process}/fd").iterdir()
        if path.is_symlink()
    }
    found = set()
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        for line in Path(table).read_text().splitlines()[1:]:
            (
                _,
                address,
                _,
                state,
                *_,
            ) = fields = line.split()
            if state == "0A" and Path(f"socket:[{fields[9]}]") in sockets:
                found.add(address.partition(":")[0])
    assert found
    return found
