"""The command `pipefl`, run as its users run it."""

import re
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

import pytest

from pipefl.cli.app import run

_COLOURS = re.compile(r"\x1b\[[0-9;]*m")  # which some CI services switch on


@dataclass(frozen=True)
class Ran:
    """A finished command: its exit code and what it printed."""

    code: int
    out: str
    err: str


def pipefl(*arguments: object) -> Ran:
    """Run `pipefl` with these arguments in this process."""
    out, err = StringIO(), StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
        patch.setenv("COLUMNS", "120")
        code = run([str(each) for each in arguments])
    return Ran(code, _COLOURS.sub("", out.getvalue()), err.getvalue())


def output_of(*arguments: object) -> str:
    """What a command prints that must succeed and complain of nothing."""
    ran = pipefl(*arguments)
    assert (ran.code, ran.err) == (0, "")
    return ran.out


def complaint_of(*arguments: object) -> str:
    """The one line of a command that must fail, without its `pipefl: error: `."""
    ran = pipefl(*arguments)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("pipefl: error: ")
    assert ran.err.endswith("\n")
    assert len(ran.err.splitlines()) == 1
    return ran.err.removeprefix("pipefl: error: ").rstrip("\n")


def pipefl_process(
    *arguments: object, folder: Path | None = None, environment: dict[str, str] | None = None
) -> "subprocess.CompletedProcess[str]":
    """Run `pipefl` in a process of its own."""
    command = [sys.executable, "-m", "pipefl", *map(str, arguments)]
    return subprocess.run(
        command,
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        timeout=60,
    )
