"""What a task of Ray does for a sweep: one trial, in the folder that all machines see."""

import os
import sys
import time
import traceback
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ray
import torch

from pipefl.errors import PipeflError
from pipefl.models.heap import keep_freed_memory
from pipefl.runs.directory import InUseError
from pipefl.train.executors.messages import Failed
from pipefl.train.sweeping.task import Task, run_task

_TELL_EVERY_S = 0.5
_LOCK_PATIENCE_S = 120.0  # how long a file server may hold the lock of a machine that is gone


@dataclass(frozen=True)
class Surroundings:
    """What a trial finds in the program that asks for it, and has to find on its node as well.

    `mark` is a file beside the runs by which a node shows that it sees their folder.
    """

    folder: Path
    environment: dict[str, str]
    paths: tuple[str, ...]
    mark: Path

    def enter(self) -> None:
        """Make this process's surroundings the same, or say what it does not see."""
        if not self.mark.exists():
            node = ray.util.get_node_ip_address()
            raise PipeflError(
                f"node {node} does not see {self.mark.parent}: a sweep on several machines needs a "
                "folder that all of them share under the same path"
            )
        if self.folder.is_dir():
            os.chdir(self.folder)
        os.environ.update(self.environment)
        sys.path += [path for path in self.paths if path not in sys.path]
        torch.set_num_threads(1)
        keep_freed_memory()


def run_trial(task: Task, around: Surroundings, mailbox: Any) -> Failed | None:
    """Run or go on with a trial until it is over or stopped; what failed is answered."""
    line = _Line(task.config.name, mailbox)
    end_s = time.monotonic() + _LOCK_PATIENCE_S
    try:
        around.enter()
        while True:
            try:
                run_task(task, line.tell, line.is_told_to_stop)
            except InUseError:  # by a process that is gone, or will be when it notices
                if time.monotonic() > end_s:
                    raise
                time.sleep(1)
            else:
                return None
    except Exception as error:  # whatever it is, the one who asks must know
        return Failed(f"{task.config.name}: {error}", traceback.format_exc())


@dataclass
class _Line:
    """A trial's line to the mailbox, used now and then."""

    trial: str
    mailbox: Any
    used_s: float = 0.0
    stop: bool = False

    def tell(self, done: int) -> None:
        """Say how many rounds are done, if it has been silent for a while."""
        if time.monotonic() - self.used_s > _TELL_EVERY_S:
            self.stop = ray.get(self.mailbox.tell.remote(self.trial, done))
            self.used_s = time.monotonic()

    def is_told_to_stop(self) -> bool:
        """What it heard last."""
        return self.stop
