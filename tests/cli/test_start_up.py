"""What a fresh process imports, which is what starting it costs."""

import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = {"torch", "flwr", "numpy", "polars", "scipy", "altair", "ray", "pandas"}
AT_EXIT = "import atexit, sys; atexit.register(lambda: print(*sys.modules, file=sys.stderr)); "
RUN = "sys.argv = {arguments!r}; import runpy; runpy.run_module('pipefl', run_name='__main__')"


def imported_by(code: str) -> set[str]:
    """The top-level packages that a fresh process has imported when it ends."""
    command = [sys.executable, "-c", AT_EXIT + code]
    ran = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    return {name.partition(".")[0] for name in ran.stderr.splitlines()[-1].split()}


def imported_by_command(*arguments: str) -> set[str]:
    return imported_by(RUN.format(arguments=["pipefl", *arguments]))


def test_importing_pipefl_imports_nothing_heavy() -> None:
    imported = imported_by("import pipefl; dir(pipefl); pipefl.__version__")
    assert "pipefl" in imported
    assert imported & HEAVY == set()


@pytest.mark.parametrize("arguments", [("--help",), ("plan", "--help"), ("--version",)])
def test_asking_for_help_imports_nothing_heavy(arguments: tuple[str, ...]) -> None:
    imported = imported_by_command(*arguments)
    assert "typer" in imported
    assert imported & HEAVY == set()


def test_planning_draws_no_charts_and_trains_nothing() -> None:
    imported = imported_by_command("plan", "--demo")
    assert "numpy" in imported
    assert imported & {"altair", "vl_convert", "jinja2", "torch", "flwr", "ray"} == set()


def test_reading_runs_takes_no_torch(recorded: Path) -> None:
    runs, sweep = recorded / "runs", recorded / "sweep"
    listed = imported_by_command("runs", "--runs-dir", str(runs))
    assert "pydantic" in listed
    assert listed & {"torch", "flwr", "ray", "altair", "vl_convert"} == set()
    composing = (
        "from pathlib import Path; from pipefl.report.run_page import run_page; "
        "from pipefl.report.run_view import run_view; from pipefl.report.sweep_page import "
        "sweep_page; from pipefl.report.sweep_view import sweep_view; "
        f"run_page(run_view(Path({str(runs / 'full')!r}))); "
        f"sweep_page(sweep_view(Path({str(sweep)!r})))"
    )
    imported = imported_by(composing)
    assert "altair" in imported
    assert imported & {"torch", "flwr", "ray"} == set()
