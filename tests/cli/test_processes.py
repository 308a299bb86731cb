"""The command in a process of its own, as a shell runs it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import pipefl
from commands import pipefl_process


def test_a_plan_ends_with_exit_code_0_and_an_empty_stderr() -> None:
    ran = pipefl_process("plan", "--demo", "--json")
    assert (ran.returncode, ran.stderr) == (0, "")
    assert pipefl.ClusterPlan.from_dict(json.loads(ran.stdout)["plan"]).num_clients == 1500


@pytest.mark.parametrize(
    "arguments",
    [
        ("plan", "times.csv", "-u", "1"),
        ("plan", "--demo", "-k", "50"),
        ("plan", "--demo", "--bogus"),
        ("plan", "--demo", "--html", "nowhere/plan.html"),
    ],
)
def test_a_mistake_ends_with_exit_code_2_and_one_line(
    tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    (tmp_path / "times.csv").write_text("compute_time_s\n1\nfast\n")
    ran = pipefl_process(*arguments, folder=tmp_path)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr.startswith("pipefl: error: ")
    assert len(ran.stderr.splitlines()) == 1


def test_the_installed_command_is_the_module() -> None:
    command = Path(sys.executable).with_name("pipefl")
    ran = subprocess.run(
        [str(command), "--version"], capture_output=True, text=True, check=True, timeout=60
    )
    assert ran.stdout == f"pipefl {pipefl.__version__}\n"
    assert pipefl_process("--version").stdout == ran.stdout


def test_a_terminal_without_greek_letters_is_no_error() -> None:
    environment = os.environ | {"PYTHONIOENCODING": "ascii"}
    ran = pipefl_process("explain", "--capacity", "3,8", environment=environment)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.startswith("K = 2, M = 8, ?1 = 3\n")


def test_a_reader_that_stops_early_is_no_traceback() -> None:
    more_than_a_pipe_holds = ["plan", "even:1:2", "-u", "0.1", "--num-clients", "20000", "--json"]
    command = [sys.executable, "-m", "pipefl", *more_than_a_pipe_holds]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        running.stdout.read(1)
        running.stdout.close()
        assert b"Traceback" not in running.stderr.read()


def test_a_model_of_ones_own_is_found_in_the_folder_that_one_is_in(tmp_path: Path) -> None:
    layers = "nn.Flatten(), nn.Linear(784, 10)"
    own = f"from torch import nn\n\ndef net():\n    return nn.Sequential({layers})\n"
    (tmp_path / "my_net.py").write_text(own)
    settings = ["model=my_net:net", "target_accuracy=0.3", "data.num_clients=20", "max_rounds=2"]
    changes = [part for setting in settings for part in ("--set", setting)]
    # -P: as the installed command, which does not look there by itself
    line = [sys.executable, "-P", "-m", "pipefl", "run", "demo-clustered", *changes]
    ran = subprocess.run(
        line, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False
    )
    assert ran.returncode == 0, ran.stderr
    assert "files: runs/demo-clustered" in ran.stdout
