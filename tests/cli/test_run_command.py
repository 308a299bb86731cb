import json
import os
import pty
import re
import signal
import subprocess
import sys
import termios
import time
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import pipefl
from commands import complaint_of, pipefl_process
from commands import pipefl as command
from pipefl.recipes.catalogue import RECIPES

# A linear model learns in a moment; everything else is as in the demo.
SMALL = (
    "run", "demo-clustered", "--set", "model=linear", "--set", "target_accuracy=0.6",
    "--set", "data.num_clients=40", "--set", "name=small",
)  # fmt: skip


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_a_run_says_what_it_came_to_and_where_its_files_are() -> None:
    ran = command(*SMALL)
    assert ran.code == 0
    assert "small: the target accuracy was reached" in ran.out
    assert re.search(r"\d+ rounds, .* on the simulated clock, best accuracy 0\.[6-9]", ran.out)
    assert "files: runs/small" in ran.out
    assert "runs/small begins: linear on mnist-subset to 0.6" in ran.err
    assert Path("runs/small/rounds.jsonl").is_file()


def test_what_the_command_runs_is_what_python_runs() -> None:
    assert command(*SMALL).code == 0
    overrides = {"model": "linear", "target_accuracy": 0.6, "data.num_clients": 40}
    result = pipefl.run("demo-clustered", overrides=overrides, runs_dir="others")
    mine, theirs = (Path(each) / "rounds.jsonl" for each in ("runs/small", result.path))
    assert mine.read_bytes() == theirs.read_bytes()
    assert isinstance(result.history, pl.DataFrame)
    assert result.history["accuracy"].max() == result.best_accuracy
    assert result.rounds_to_target == result.num_rounds
    assert result.seconds_to_target == result.history["clock_s"][-1]


def test_a_config_file_runs_again_what_was_run() -> None:
    assert command(*SMALL).code == 0
    ran = command("run", "runs/small/config.toml", "--runs-dir", "again")
    assert ran.code == 0
    first, second = (Path(each, "small/rounds.jsonl").read_bytes() for each in ("runs", "again"))
    assert first == second


def test_a_run_is_gone_on_with_or_complained_of() -> None:
    assert command(*SMALL, "--set", "max_rounds=2").code == 0
    assert "runs/small holds a run already; go on with it by --resume" in complaint_of(
        *SMALL, "--set", "max_rounds=2"
    )
    ran = command(*SMALL, "--set", "max_rounds=2", "--resume")
    assert ran.code == 0
    assert "goes on after round 2" in ran.err


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("run", "mnist-cn-k4"), "recipe is 'mnist-cn-k4'; did you mean mnist-cnn"),
        (("run", "mnist-cnn-k0"), "recipe is 'mnist-cnn-k0'"),
        (("run", "none.toml"), "none.toml: there is no such config file"),
        (("run", "demo-clustered", "--set", "seed"), "it must have the form name=value"),
        (("run", "demo-clustered", "--set", "seeed=3"), "did you mean seed"),
        (("run", "demo-clustered", "--set", "max_rounds=0"), "max_rounds is 0"),
        (("run", "demo-clustered", "--set", "num_clusters=0"), "num_clusters is 0; it must"),
        (("run", "demo-clustered", "--executor", "gpu"), "executor is 'gpu'"),
        (("run", "demo-clustered", "--workers", "0"), "workers is 0"),
        (("run", "demo-clustered", "--log", "paper"), "--log is 'paper'; it must be one of"),
        (("run", "demo", "--set", "name=x"), "the demo names its two runs itself"),
    ],
)
def test_a_mistake_is_one_line(arguments: tuple[str, ...], complaint: str) -> None:
    assert complaint in complaint_of(*arguments)


def test_missing_data_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PIPEFL_DATA", str(tmp_path / "empty"))
    assert "pipefl data get mnist" in complaint_of("run", "mnist-cnn")
    assert not Path("runs/mnist-cnn-k4-n1").exists()


@pytest.mark.parametrize("columns", [40, 200])
def test_recipes_are_listed_with_what_they_are(
    columns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    out = pipefl_process("recipes").stdout
    rows = re.findall(r"^([a-z]\S*) {2,}\S", out, re.M)
    assert rows == ["recipe", "demo", *RECIPES]
    assert "-kK and -nN" in out
    assert "table III: the CNN on federated EMNIST to 97 %" in " ".join(out.split())


def test_a_warning_is_one_line() -> None:
    fields = ("target_accuracy=1.0", "max_rounds=4", "checkpoint_every=2")
    changes = [part for field in fields for part in ("--set", field)]
    assert command(*SMALL, *changes).code == 0
    newest = max(Path("runs/small/checkpoints").iterdir())
    newest.write_bytes(newest.read_bytes()[:-1])
    first, second = pipefl_process(*SMALL, *changes, "--resume").stderr.splitlines()
    text = f"{newest} is damaged (its checksum is another); trying the one before"
    assert first == f"pipefl: warning: {text}"
    assert second.startswith("runs/small goes on after round 2:")


def test_a_demo_that_is_stopped_is_gone_on_with_as_a_whole(tmp_path: Path) -> None:
    changes = ("model=linear", "target_accuracy=1.0", "max_rounds=1000000", "seed=2")
    settings = [part for text in changes for part in ("--set", text)]
    line = [sys.executable, "-m", "pipefl", "run", "demo", *settings]
    process = subprocess.Popen(line, stdout=subprocess.PIPE, cwd=tmp_path, text=True)
    wait_for_a_round(tmp_path / "runs/demo-conventional", process)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 130
    assert out.endswith(f"  go on: pipefl run demo {' '.join(settings)} --runs-dir runs --resume\n")
    assert not (tmp_path / "runs/demo-clustered").exists()


def test_the_demo_compares_both_halves_in_rounds_and_in_seconds() -> None:
    changes = ("--set", "model=linear", "--set", "target_accuracy=0.5")
    ran = command("run", "demo", *changes, "--set", "data.num_clients=40")
    assert ran.code == 0
    table = ran.out[ran.out.index("against the first") :]
    for name in ("demo-conventional", "demo-clustered"):
        assert re.search(rf"{name} +50 % +\d+ +[\d.]+ (s|min).* [\d.]+×", table)
    chart = Path("runs/demo.png")
    assert str(chart) in ran.out
    assert chart.read_bytes().startswith(b"\x89PNG")


def long_run(folder: Path, *options: str, **streams: int) -> "subprocess.Popen[bytes]":
    """A run that takes far longer than anybody waits, in a process of its own."""
    arguments = [*SMALL, "--set", "target_accuracy=1.0", "--set", "max_rounds=1000000"]
    line = [sys.executable, "-m", "pipefl", *arguments, *options]
    return subprocess.Popen(line, cwd=folder, **streams)  # type: ignore[call-overload, no-any-return]  # numbers of open files


def wait_for_a_round(run: Path, process: "subprocess.Popen[Any]") -> None:
    path, end_s = run / "rounds.jsonl", time.monotonic() + 60
    while not path.exists() or not path.read_bytes().count(b"\n"):
        assert process.poll() is None
        assert time.monotonic() < end_s
        os.sched_yield()


def test_a_request_to_end_stops_after_the_round_and_says_how_to_go_on(tmp_path: Path) -> None:
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    process = long_run(tmp_path, "--log", "tensorboard", **streams)
    wait_for_a_round(tmp_path / "runs/small", process)
    process.send_signal(signal.SIGTERM)
    out, err = (stream.decode() for stream in process.communicate(timeout=60))
    assert process.returncode == 130
    assert "Traceback" not in err
    assert "small: it was stopped, and can be resumed" in out
    go_on = re.search(r"go on: pipefl (.*)", out)
    assert go_on is not None
    assert "--log tensorboard" in go_on[1]
    done = len(Path("runs/small/rounds.jsonl").read_bytes().splitlines())
    shorter = Path("runs/small/config.toml")
    shorter.write_text(shorter.read_text().replace("1000000", str(done + 2)))
    ran = command(*go_on[1].split())
    assert ran.code == 0
    assert f"goes on after round {done:,}" in ran.err
    assert len(Path("runs/small/rounds.jsonl").read_bytes().splitlines()) == done + 2


def test_a_terminal_sees_a_line_that_changes(tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (24, 100))
    process = long_run(tmp_path, stdout=theirs, stderr=theirs)
    os.close(theirs)
    seen, end_s = b"", time.monotonic() + 30
    while not re.search(rb"round [\d,]+/1,000,000 .*simulated .*rounds/s", seen):
        assert time.monotonic() < end_s, seen
        seen += os.read(ours, 4096)
    process.kill()
    process.wait()
    os.close(ours)


def test_tensorboard_and_mlflow_get_every_round(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MLFLOW_TRACKING_URI", Path("ml").absolute().as_uri())
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    assert command(*SMALL, "--log", "tensorboard", "--log", "mlflow").code == 0
    records = [json.loads(x) for x in Path("runs/small/rounds.jsonl").read_text().splitlines()]
    from tensorboard.backend.event_processing.event_accumulator import (  # type: ignore[import-untyped]  # it comes without types
        EventAccumulator,
    )

    events = EventAccumulator("runs/tensorboard/small")
    events.Reload()
    written = [(each.step, each.value) for each in events.Scalars("clock_s")]
    assert [step for step, _ in written] == [each["round"] for each in records]
    assert written[-1][1] == pytest.approx(records[-1]["clock_s"])
    metrics = list(Path("ml").rglob("metrics/clock_s"))
    assert len(metrics) == 1
    assert len(metrics[0].read_text().splitlines()) == len(records)
