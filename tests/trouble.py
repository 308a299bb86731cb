"""Local work in the course of which processes die or complain, for tests of executors."""

import os
import signal
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor

from pipefl.train.algorithms.algorithm import Sent
from pipefl.train.algorithms.local_sgd import LocalSgd
from pipefl.train.work import Unit, UnitResult
from pipefl.train.workplace import Workplace


@dataclass(frozen=True)
class Trouble:
    """What `local-sgd` does, unless a note in `folder` says that a client is in for trouble.

    Every client's work is noted in the file `worked` before it is begun.
    """

    folder: Path
    name: str = "trouble"
    num_replies: int = 1
    additive: bool = False

    def kill_at(self, client: int, times: int = 1) -> None:
        """The next so many processes that work on this client's samples are killed."""
        self._note("kill", client).write_text(str(times))

    def fail_at(self, client: int) -> None:
        """Whoever works on this client's samples raises an error."""
        self._note("fail", client).touch()

    def worked(self) -> list[int]:
        """Whose work was begun, each as often as it was, and forget it."""
        path = self.folder / "worked"
        clients = [int(line) for line in path.read_text().splitlines()]
        path.unlink()
        return clients

    def start(self, num_parameters: int) -> Tensor:
        return torch.zeros(0, num_parameters)

    def work(self, place: Workplace, units: Sequence[Unit], sent: Sent) -> list[UnitResult]:
        for client in (job.client for unit in units for job in unit.jobs):
            self._meet(client)
        return LocalSgd().work(place, units, sent)

    def own_share(self, num_samples: int, all_samples: int) -> tuple[float, ...]:
        return ()

    def after(self, vectors: Tensor, sums: Tensor) -> Tensor:
        return vectors

    def _meet(self, client: int) -> None:
        with (self.folder / "worked").open("a") as file:
            file.write(f"{client}\n")
        note = self._note("kill", client)
        times = int(note.read_text()) if note.exists() else 0
        if times:
            note.write_text(str(times - 1))
            os.kill(os.getpid(), signal.SIGKILL)
        if self._note("fail", client).exists():
            raise ValueError(f"client {client} is out of luck")

    def _note(self, what: str, client: int) -> Path:
        return self.folder / f"{what}-{client}"
