"""Trials in worker processes, which may be killed."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from pipefl.errors import PipeflError
from pipefl.sweeps.directory import SweepDirectory
from pipefl.sweeps.results import sweep_results
from pipefl.sweeps.trial import Trial, trial_config
from pipefl.train.sweeping.engine import run_sweep
from pipefl.train.sweeping.pool import ProcessPool
from pipefl.train.sweeping.task import Task
from small_runs import bits, ran
from small_sweeps import UNIFORM, HerePool, begun, small_sweep

SWEEP = small_sweep(cells=(UNIFORM,), grids={"learning_rate": (0.1, 0.2)})


@contextmanager
def pool_of(num_workers: int) -> Iterator[ProcessPool]:
    pool = ProcessPool(num_workers)
    try:
        yield pool
    finally:
        pool.close()


def records_of(directory: SweepDirectory) -> dict[str, bytes]:
    return {path.parent.name: path.read_bytes() for path in directory.runs_path.rglob("*.jsonl")}


def until(condition: object, process: "subprocess.Popen[bytes] | None" = None) -> None:
    end_s = time.monotonic() + 180
    while not condition():  # type: ignore[operator]  # a function
        assert process is None or process.poll() is None
        assert time.monotonic() < end_s
        time.sleep(0.01)


def hear_the_end(pool: ProcessPool, *, kill: bool = False) -> None:
    """Wait until a trial is over, or whatever comes instead of that."""
    while not any(news.is_over for news in pool.news(0.5)):
        for worker in pool._busy if kill else ():
            worker.process.kill()


def test_a_worker_that_is_killed_is_replaced_and_its_trial_gone_on_with(tmp_path: Path) -> None:
    cell = small_sweep().cell("k1-n2")
    base = SWEEP.base.model_copy(update={"target_accuracy": 1.0, "max_rounds": 100})
    sweep = SWEEP.model_copy(update={"base": base})
    trial = Trial("k1-n2", (0.1,), 0)
    config = trial_config(sweep, cell, trial).model_copy(update={"checkpoint_every": 10})
    whole = ran(config, tmp_path / "whole")
    with pool_of(1) as pool:
        pool.start(trial, Task(config, tmp_path / "pool", None))
        (worker,) = pool._busy
        records = tmp_path / "pool" / trial.name / "rounds.jsonl"
        until(lambda: records.exists() and records.read_bytes().count(b"\n") > 25)
        worker.process.kill()
        text = f"ended with code -9; another one goes on with {trial.name}"
        with pytest.warns(RuntimeWarning, match=text):
            hear_the_end(pool)
        assert pool.num_free == 1
    assert records.read_bytes() == bits(whole)[0]


def test_a_trial_that_nobody_survives_ends_the_sweep(tmp_path: Path) -> None:
    cell = SWEEP.cells[0]
    trial = Trial("k1-n2", (0.1,), 0)
    base = SWEEP.base.model_copy(update={"target_accuracy": 1.0, "max_rounds": 10**6})
    config = trial_config(SWEEP.model_copy(update={"base": base}), cell, trial)
    with pool_of(1) as pool:
        pool.start(trial, Task(config, tmp_path, None))
        text = "3 worker processes ended .* fewer jobs need less"
        with pytest.warns(RuntimeWarning, match="another"), pytest.raises(PipeflError, match=text):
            hear_the_end(pool, kill=True)


def test_a_sweep_that_is_killed_outright_ends_with_the_same_bits(tmp_path: Path) -> None:
    whole = begun(SWEEP, tmp_path / "whole")
    assert run_sweep(whole, HerePool())
    directory = begun(SWEEP, tmp_path / "killed")
    code = (
        "from pathlib import Path; from pipefl.sweeps.directory import SweepDirectory; "
        "from pipefl.train.sweeping.engine import run_sweep; "
        "from pipefl.train.sweeping.pool import ProcessPool; "
        f"run_sweep(SweepDirectory(Path({str(directory.path)!r})), ProcessPool(2))"
    )
    process = subprocess.Popen([sys.executable, "-c", code])
    until(lambda: sum(r.count(b"\n") for r in records_of(directory).values()) > 4, process)
    process.send_signal(signal.SIGKILL)
    process.wait()
    until(lambda: not _locked(directory))  # its workers stop after the rounds that they are in
    assert run_sweep(directory, HerePool())
    assert records_of(directory).keys() == records_of(whole).keys()
    for mine, theirs in zip(sweep_results(directory), sweep_results(whole), strict=True):
        assert (mine.point, mine.rounds, mine.seconds) == (
            theirs.point,
            theirs.rounds,
            theirs.seconds,
        )
    for name in [f"k1-n2-at-{rate:g}-s{s}" for rate in (0.1, 0.2) for s in (0, 1)]:
        first, second = records_of(directory)[name], records_of(whole)[name]
        assert first.startswith(second) or second.startswith(first)  # as far as both were worth it


def _locked(directory: SweepDirectory) -> bool:
    """Whether a worker is still at work on one of the runs."""
    try:
        for path in directory.runs_path.iterdir():
            with SweepDirectory(path).locked():
                pass
    except PipeflError:
        return True
    return False


def test_what_goes_wrong_in_a_worker_is_said_here(tmp_path: Path) -> None:
    config = trial_config(SWEEP, SWEEP.cells[0], Trial("k1-n2", (0.1,), 0))
    broken = config.model_copy(update={"algorithm": "none"})
    with pool_of(1) as pool:
        pool.start(Trial("k1-n2", (0.1,), 0), Task(broken, tmp_path, None))
        text = re.escape("k1-n2-at-0.1-s0: algorithm is 'none'")
        with pytest.raises(PipeflError, match=text):
            hear_the_end(pool)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may mount the small disk that is filled")
def test_a_full_disk_stops_the_sweep_and_loses_nothing(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=160k", "none", str(disk)],  # noqa: S607  # where it is differs
        check=False,
        capture_output=True,
    )
    if mounted.returncode:
        pytest.skip("no disk can be mounted here")
    try:
        directory = begun(SWEEP, disk)
        with pool_of(1) as pool, pytest.raises(PipeflError, match="No space left on device"):
            run_sweep(directory, pool)
        before = records_of(directory)
        assert any(before.values())
        subprocess.run(
            ["mount", "-o", "remount,size=20m", str(disk)],  # noqa: S607  # where it is differs
            check=True,
        )
        assert run_sweep(directory, HerePool())
        after = records_of(directory)
        for name, records in before.items():
            whole = records[: records.rfind(b"\n") + 1]  # the last line may be torn
            assert after[name].startswith(whole)
    finally:
        subprocess.run(["umount", str(disk)], check=True)  # noqa: S607  # where it is differs
