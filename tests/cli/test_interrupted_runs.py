"""`pipefl run` as its users see it fall: killed, stopped by Ctrl-C, out of disk space."""

import os
import random
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from commands import pipefl

ROUNDS = 60

# State of every kind: the model, the server's optimiser, what clients keep, what a policy knows.
RUN = (
    "run", "demo-clustered", "--set", "model=linear", "--set", "name=small",
    "--set", "data.num_clients=40", "--set", "data.test_samples=300",
    "--set", "algorithm=scaffold", "--set", "server_optimiser=fedadam",
    "--set", "server_learning_rate=0.05", "--set", "policy=oort", "--set", "discipline=fifo",
    "--set", "devices.jitter=0.3", "--set", f"max_rounds={ROUNDS}", "--set", "target_accuracy=1.0",
    "--set", "checkpoint_every=7",
)  # fmt: skip


@dataclass(frozen=True)
class Started:
    """A run in a process, and a process group, of its own."""

    process: "subprocess.Popen[str]"
    rounds: Path

    def wait_for_rounds(self, num_rounds: int) -> None:
        """Until so many rounds are on disk; the run must not end before."""
        end_s = time.monotonic() + 300
        while not self.rounds.exists() or self.rounds.read_bytes().count(b"\n") < num_rounds:
            assert self.process.poll() is None, self.process.communicate()
            assert time.monotonic() < end_s, "the run does not get on"
            time.sleep(0.002)

    def end(self, number: signal.Signals) -> str:
        """Send a signal to the group, as a terminal does; what was printed."""
        os.killpg(self.process.pid, number)
        out, err = self.process.communicate(timeout=300)
        assert "Traceback" not in err
        return out


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., Started]]:
    """Begins `pipefl` with some arguments; what is left when the test ends is killed."""
    begun: list[Started] = []

    def begin(*arguments: str) -> Started:
        process = subprocess.Popen(
            [sys.executable, "-m", "pipefl", *arguments],
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        begun.append(Started(process, tmp_path / "runs/small/rounds.jsonl"))
        return begun[-1]

    yield begin
    for run in begun:
        run.process.kill()
        run.process.communicate()


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    folder = tmp_path_factory.mktemp("undisturbed")
    ran = pipefl(*RUN, "--runs-dir", folder / "runs")
    assert (ran.code, "max_rounds were done" in ran.out) == (0, True)
    return bits(folder)


def bits(folder: Path) -> dict[str, bytes]:
    """The records, and the last checkpoint, in which is all that a run remembers."""
    run = folder / "runs" / "small"
    newest = max((run / "checkpoints").iterdir())
    return {"rounds.jsonl": (run / "rounds.jsonl").read_bytes(), newest.name: newest.read_bytes()}


def children_of(process_id: int) -> list[int]:
    path = Path(f"/proc/{process_id}/task/{process_id}/children")
    return [int(each) for each in path.read_text().split()]


def wait_until_ended(process_ids: list[int]) -> None:
    end_s = time.monotonic() + 60
    while not all(map(has_ended, process_ids)):
        assert time.monotonic() < end_s, f"of the processes {process_ids} some are left"
        time.sleep(0.01)


def has_ended(process_id: int) -> bool:
    """Whether it is gone, or a zombie of whose end nobody wants to know."""
    try:
        stat = Path(f"/proc/{process_id}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return True
    return stat.rpartition(")")[2].split()[0] in "ZX"


def test_a_run_ends_with_the_same_bits_however_it_is_interrupted(
    start: Callable[..., Started], tmp_path: Path, undisturbed: dict[str, bytes]
) -> None:
    """Killed twice, with and without processes of its own, then stopped by Ctrl-C."""
    draw = random.Random()  # noqa: S311  # any instant must do, and none needs to be seen again
    done = 0
    for workers in (0, 2):
        options = ["--workers", str(workers)] if workers else []
        run = start(*RUN, "--resume", *options)
        run.wait_for_rounds(draw.randint(done + 1, done + 15))
        time.sleep(draw.uniform(0, 0.02))
        children = children_of(run.process.pid)
        assert len(children) == workers
        run.end(signal.SIGKILL)
        assert run.process.returncode == -signal.SIGKILL
        wait_until_ended(children)
        done = run.rounds.read_bytes().count(b"\n")
        assert done < ROUNDS
    run = start(*RUN, "--resume", "--workers", "2")
    run.wait_for_rounds(done + 3)
    out = run.end(signal.SIGINT)
    assert run.process.returncode == 130
    done = run.rounds.read_bytes().count(b"\n")
    assert f"{done} rounds" in out
    go_on = re.search(r"^  go on: pipefl (.*)$", out, re.M)
    assert go_on is not None
    last = start(*shlex.split(go_on[1]))
    out, err = last.process.communicate(timeout=300)
    assert last.process.returncode == 0, err
    assert f"goes on after round {done}:" in err
    assert "max_rounds were done" in out
    assert bits(tmp_path) == undisturbed


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk on which there is room for the run, and little more."""
    disk = tmp_path / "disk"
    disk.mkdir()
    if os.geteuid() != 0:
        pytest.skip("only root can make a small disk")
    mounted = subprocess.run(
        ["/bin/mount", "-t", "tmpfs", "-o", "size=4500k", "tmpfs", disk],
        capture_output=True,
        text=True,
        check=False,
    )
    if mounted.returncode:
        pytest.skip(f"a small disk cannot be made here: {mounted.stderr.strip()}")
    try:
        yield disk
    finally:
        subprocess.run(["/bin/umount", disk], check=True)


def test_a_full_disk_stops_a_run_with_one_line_and_nothing_is_lost(
    small_disk: Path, undisturbed: dict[str, bytes]
) -> None:
    ballast, folder = small_disk / "ballast", small_disk / "runs"
    ballast.write_bytes(bytes(3500 * 1024))
    ran = pipefl(*RUN, "--runs-dir", folder)
    assert ran.code == 2
    line = ran.err.splitlines()[-1]
    assert "cannot be written: No space left on device; what was recorded before is kept" in line
    assert list((folder / "small" / "checkpoints").glob(".part")) == []
    ballast.unlink()
    assert pipefl(*RUN, "--runs-dir", folder, "--resume").code == 0
    assert bits(small_disk) == undisturbed
