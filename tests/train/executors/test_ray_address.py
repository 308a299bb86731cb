"""What is said where there is no Ray, or none that takes this process."""

import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from commands import complaint_of
from pipefl.errors import ArgumentError, PipeflError
from pipefl.train.sweeping.pools import pool_by_name

RUN = ("run", "demo-clustered", "--ray-address")
SWEEP = ("paper", "table2", "--quick", "--only", "k1-n1", "--sweeps-dir")


@pytest.mark.parametrize(
    ("address", "complaint"),
    [
        ("10.0.0.1", "it must be HOST:PORT, as ray start --head names it"),
        ("10.0.0.1:six", "it must be HOST:PORT"),
        (":6379", "it must be HOST:PORT"),
        ("ray://10.0.0.1:10001", "from a machine that is one of its nodes"),
        ("no-such-host.invalid:6379", "nothing answers there"),
    ],
)
def test_an_address_that_cannot_be_one_is_one_line(address: str, complaint: str) -> None:
    pytest.importorskip("ray", reason="ray is not installed")
    message = complaint_of(*RUN, address)
    assert message.startswith(f"ray_address is {address!r}; ")
    assert complaint in message


def test_an_address_at_which_nobody_answers_is_soon_found_out() -> None:
    pytest.importorskip("ray", reason="ray is not installed")
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    assert "nothing answers there: Connection refused" in complaint_of(*RUN, f"localhost:{port}")


def test_a_sweep_goes_to_the_cluster_that_is_named(tmp_path: Path) -> None:
    pytest.importorskip("ray", reason="ray is not installed")
    complaint = complaint_of(*SWEEP, tmp_path, "--ray-address", "10.0.0.1:six")
    assert complaint.startswith("ray_address is '10.0.0.1:six'; it must be HOST:PORT")
    assert list((tmp_path / "table2-quick" / "runs").iterdir()) == []


class Silent(BaseHTTPRequestHandler):
    """Answers, and writes no log."""

    def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002  # its name there
        return


@contextmanager
def web_server() -> Iterator[int]:
    """The port of a server that is no head of a cluster, on all of this machine's addresses."""
    server = HTTPServer(("", 0), Silent)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_what_answers_but_is_no_cluster_is_soon_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("ray", reason="ray is not installed")
    monkeypatch.setattr("pipefl.train.executors.ray.address._PATIENCE_S", 1)
    with web_server() as port:
        message = complaint_of(*RUN, f"localhost:{port}")
    assert "what answers there is no Ray cluster's head" in message


def test_without_ray_the_extra_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in [each for each in sys.modules if each.startswith(("ray.", "pipefl.train."))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "ray", None)
    for command in (("run", "demo-clustered"), (*SWEEP, tmp_path)):
        message = complaint_of(*command, "--executor", "ray")
        assert message == "Ray needs the package ray: pip install 'pipefl[ray]'"


def test_a_pool_that_does_not_exist_is_one_line() -> None:
    with pytest.raises(ArgumentError, match="pool is 'rya'; did you mean ray?"):
        pool_by_name("rya", 2)
    with pytest.raises(PipeflError, match="jobs is 0"):
        pool_by_name("ray", 0)
