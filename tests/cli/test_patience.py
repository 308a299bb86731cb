from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path

import pytest

from pipefl.cli.app import run
from pipefl.cli.patience import patience, progress


class Terminal(StringIO):
    """A stream that says that somebody is looking."""

    def isatty(self) -> bool:
        return True


@pytest.fixture(params=[StringIO, Terminal])
def stream(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> StringIO:
    monkeypatch.setenv("TERM", "xterm")
    made: StringIO = request.param()
    return made


def test_a_bar_tells_count_rate_and_time_left_on_a_terminal_only(stream: StringIO) -> None:
    with redirect_stderr(stream), progress("rolling", 400, "rounds", silent_s=0.0) as advance:
        for share in (0.25, 0.5, 0.75):
            advance(share)
    shown = stream.getvalue()
    if not stream.isatty():
        assert shown == ""
        return
    for part in ("rolling", "/400", "rounds", "/s"):
        assert part in shown


@pytest.mark.parametrize("name", ["progress", "patience"])
def test_what_is_quick_shows_nothing(stream: StringIO, name: str) -> None:
    with redirect_stderr(stream):
        if name == "patience":
            with patience("preparing"):
                pass
        else:
            with progress("rolling", 400, "rounds") as advance:
                advance(1.0)
    assert stream.getvalue() == ""


def test_waiting_is_shown_and_taken_away_when_the_work_fails(stream: StringIO) -> None:
    with redirect_stderr(stream):
        with pytest.raises(ZeroDivisionError), progress("x", 9, "steps", silent_s=0.0) as advance:
            advance(1 / 0)
        with pytest.raises(ZeroDivisionError), patience("preparing rolling"):
            _ = 1 / 0
    assert "preparing" not in stream.getvalue()


class AtOnce:
    """A timer for which the two seconds are over as soon as it starts."""

    def __init__(self, interval: float, function: Callable[[], object]) -> None:
        self.start = function

    def cancel(self) -> None:
        pass

    def join(self) -> None:
        pass


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        ("plan even:1:7 -u 1", "drawing clients"),
        ("plan phones.csv -u 1", "reading clients"),
        ("plan phones.csv -u 1", "planning"),
        ("sweep phones.csv -u 1", "planning"),
        ("recommend phones.csv -u 1 --smallest-spread", "planning"),
    ],
)
def test_what_takes_long_with_many_clients_is_shown(
    command: str, shown: str, stream: StringIO, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("pipefl.cli.patience.Timer", AtOnce)
    Path("phones.csv").write_text("compute_time_s\n1\n2\n4\n", encoding="utf-8")
    with redirect_stdout(StringIO()), redirect_stderr(stream):
        assert run(command.split()) == 0
    assert (shown in stream.getvalue()) == stream.isatty()
