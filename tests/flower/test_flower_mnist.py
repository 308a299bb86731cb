"""The example app, in Flower's simulation."""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import mkdtemp

import pytest

import deployments
import small_federations as small
from pipefl.runs.directory import RunDirectory

APP = Path(__file__).parents[2] / "examples" / "flower-mnist"


@pytest.fixture
def short_folder() -> Iterator[Path]:
    """A private place for Ray, whose sockets' names must not be long."""
    folder = mkdtemp(prefix="r")
    yield Path(folder)
    shutil.rmtree(folder, ignore_errors=True)


def test_the_app_learns_in_a_simulation(tmp_path: Path, short_folder: Path) -> None:
    with deployments.deployment(tmp_path) as deployment:
        deployment.environment = {"RAY_TMPDIR": str(short_folder)}
        deployment.superlink("--simulation")
        settings = (
            f'run-dir="{tmp_path / "run"}" num-clients=3 min-clients=3 num-rounds=2 '
            'model="linear" num-clusters=2 upload-time-s=0.2 guard-s=0.2 '
            "extra-seconds-per-sample=0.001 local-epochs=8"
        )
        command = [deployments.BIN / "python", "-m", "pipefl", "federate", APP, "test"]
        federation = "num-supernodes=3 client-resources-num-cpus=1 init-args-num-cpus=1"
        done = deployment.flwr(
            *command, "--run-config", settings, "--federation-config", federation
        )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "finished:completed" in done.stdout
    assert len(small.rounds_of(tmp_path / "run")) == 2
    config = RunDirectory(tmp_path / "run").config()
    assert (config.dataset, config.model, config.executor) == ("mnist-subset", "linear", "flower")
    accuracy = [record.accuracy for record in small.rounds_of(tmp_path / "run")]
    assert accuracy[-1] is not None
    assert accuracy[-1] > 0.4


def _made(folder: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, str(APP / "make_keys.py"), str(folder), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_keys_are_their_owners_alone_and_never_written_over(tmp_path: Path) -> None:
    keys = tmp_path / "keys"
    assert _made(keys, "2", "127.0.0.1", "localhost").returncode == 0
    secret = [path for path in keys.iterdir() if path.suffix in ("", ".key")]
    assert sorted(path.name for path in secret) == ["node-0", "node-1", "server.key"]
    assert {path.stat().st_mode & 0o777 for path in secret} == {0o600}
    before = {path: path.read_bytes() for path in keys.iterdir()}
    again = _made(keys, "2", "127.0.0.1")
    assert again.returncode == 2
    assert "is there already; choose another folder" in again.stderr
    assert {path: path.read_bytes() for path in keys.iterdir()} == before


def test_a_certificate_is_signed_by_the_authority_beside_it(tmp_path: Path) -> None:
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("no openssl to check with")
    keys = tmp_path / "keys"
    _made(keys, "1", "10.0.0.1", "fl.example.org")
    verify = [openssl, "verify", "-CAfile", str(keys / "ca.crt"), "-verify_ip", "10.0.0.1"]
    checked = subprocess.run(
        [*verify, str(keys / "server.crt")], capture_output=True, text=True, check=False
    )
    assert checked.returncode == 0, checked.stderr
    other = [openssl, "verify", "-CAfile", str(keys / "ca.crt"), "-verify_ip", "10.0.0.2"]
    elsewhere = subprocess.run(
        [*other, str(keys / "server.crt")], capture_output=True, text=True, check=False
    )
    assert elsewhere.returncode
