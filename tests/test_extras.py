"""What is said where `pip install pipefl` was run without an extra that is asked for."""

import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from pipefl.extras import EXTRA_OF

PYPROJECT = Path(__file__).parents[1] / "pyproject.toml"
ABSENT = """
import sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {packages!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Absent())
sys.argv = ["pipefl", *{arguments!r}]
"""
COMMAND = "import runpy; runpy.run_module('pipefl', run_name='__main__')"


def ran_without_extras(code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Python code, run where none of the extras' packages can be imported."""
    start = ABSENT.format(packages=set(EXTRA_OF), arguments=arguments)
    command = [sys.executable, "-c", start + code]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def test_every_extra_brings_the_package_that_it_is_named_for() -> None:
    extras = tomllib.loads(PYPROJECT.read_text())["project"]["optional-dependencies"]
    distributions = packages_distributions()
    for package, extra in EXTRA_OF.items():
        names = {package, *distributions.get(package, ())}
        required = " ".join(extras[extra]).replace("_", "-")
        assert any(name.replace("_", "-") in required for name in names), package


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ("run", "mnist-cnn"),
            "pipefl run needs the package pydantic: pip install 'pipefl[train]'",
        ),
        (("recipes",), "pipefl recipes needs the package pydantic: pip install 'pipefl[train]'"),
    ],
)
def test_a_verb_says_in_one_line_what_to_install(arguments: tuple[str, ...], said: str) -> None:
    ran = ran_without_extras(COMMAND, *arguments)
    assert (ran.returncode, ran.stdout, ran.stderr) == (2, "", f"pipefl: error: {said}\n")


def test_a_public_name_says_what_to_install() -> None:
    ran = ran_without_extras("import pipefl; pipefl.run")
    said = "pipefl.run needs the package pydantic: pip install 'pipefl[train]'"
    assert ran.stderr.splitlines()[-1] == f"pipefl.extras.MissingExtraError: {said}"


@pytest.mark.parametrize(
    "arguments",
    [("plan", "--demo"), ("timeline", "--demo", "--rounds", "5", "-p", "rolling"), ("--help",)],
)
def test_the_planner_and_the_clock_need_no_extra(arguments: tuple[str, ...]) -> None:
    ran = ran_without_extras(COMMAND, *arguments)
    assert (ran.returncode, ran.stderr) == (0, "")
