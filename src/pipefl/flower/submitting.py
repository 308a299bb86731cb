"""A Flower app run to its end, which `flwr run` does not wait for."""

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from time import sleep
from typing import Any

from pipefl.errors import PipeflError

_FLWR = (sys.executable, "-c", "from flwr.cli.app import app; app()")
_LOOK_S = 3.0


@dataclass(frozen=True)
class Ended:
    """How a run ended, by SuperLink's own account, such as `finished:failed` and why."""

    run_id: int
    status: str
    details: str

    @property
    def completed(self) -> bool:
        """Whether it came to its end."""
        return self.status == "finished:completed"


def run_to_its_end(app: Path, superlink: str | None, options: Sequence[str] = ()) -> Ended:
    """Submit an app as `flwr run` does, show its log, and say how it ended.

    `superlink` names a connection of Flower's configuration, its default one if None; `options`
    are more options of `flwr run`, such as `--run-config`.
    """
    connection = [] if superlink is None else [superlink]
    answer = _answer("run", str(app), *connection, "--format", "json", *options)
    run_id = int(answer["run-id"])
    while True:
        _show("log", str(run_id), *connection, "--stream")
        ended = _status(run_id, connection)
        if ended.status.startswith("finished"):
            return ended
        sleep(_LOOK_S)


def _status(run_id: int, connection: Sequence[str]) -> Ended:
    answer = _answer("ls", *connection, "--run-id", str(run_id), "--format", "json")
    (run,) = answer["runs"]
    details = " ".join(str(run.get("status-details", "")).split())
    return Ended(run_id, str(run["status"]), details)


def _answer(*arguments: str) -> Any:
    """What a command of Flower's says in JSON."""
    done = subprocess.run([*_FLWR, *arguments], capture_output=True, text=True, check=False)  # noqa: S603  # Flower's own
    start = done.stdout.find("{")
    try:
        answer = json.loads(done.stdout[start:]) if start >= 0 else {}
    except json.JSONDecodeError:
        answer = {}
    if done.returncode or not answer.get("success"):
        said = answer.get("error-message") or done.stderr or done.stdout or "it said nothing"
        raise PipeflError(f"flwr {arguments[0]}: {' '.join(_plain(said).split())}")
    return answer


def _show(*arguments: str) -> None:
    subprocess.run([*_FLWR, *arguments], check=False)  # noqa: S603  # Flower's own


def _plain(text: str) -> str:
    """A message without the frame that is drawn around it."""
    return "".join(" " if "─" <= sign <= "╿" else sign for sign in text)
