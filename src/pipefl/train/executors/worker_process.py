"""A worker process as the process that began it sees it."""

import os
import subprocess
import sys
from collections.abc import Sequence
from multiprocessing.connection import Connection, Pipe
from pathlib import Path
from typing import Any

import pipefl
from pipefl.train.executors.messages import Answer, Failed, Setup


class WorkerProcess:
    """One process that runs `module` and this end of its pipe; it inherits open `files`."""

    def __init__(self, module: str, files: Sequence[int] = ()) -> None:
        self.pipe, theirs = Pipe()
        number = theirs.fileno()
        self.process = subprocess.Popen(  # noqa: S603  # this package's own command
            # -P: no file of the folder that we are in is taken for a module of Python's
            [sys.executable, "-P", "-m", module, str(number)],
            pass_fds=[*files, number],
            stdin=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C is for whoever asks for work
            env=worker_environment(),
        )
        theirs.close()

    def send(self, message: object) -> None:
        """Send a message; who is dead will be found out when its answer is waited for."""
        try:
            self.pipe.send(message)
        except (BrokenPipeError, ConnectionResetError):
            return

    def received(self) -> Answer | Failed | None:
        """The answer to a task, or None from the dead."""
        return answer_from(self.pipe)

    def end(self) -> int:
        """Close the pipe and wait for the process; its exit code."""
        self.pipe.close()
        return self.process.wait()

    def kill(self) -> None:
        """End the process whatever it is doing."""
        self.process.kill()
        self.end()


def answer_from(pipe: "Connection[Any, Any]") -> Answer | Failed | None:
    """What a worker says, or None if it died before or while it said it."""
    try:
        answer: Answer | Failed = pipe.recv()
    except (EOFError, OSError):  # OSError: in the middle of a message
        return None
    return answer


def open_files(setup: Setup) -> list[int]:
    """The numbers of the files that a worker must inherit."""
    handles = [setup.train.inputs, setup.train.targets, setup.test.inputs, setup.test.targets]
    files = [each.file for each in handles if isinstance(each.file, int) and 0 not in each.shape]
    return [*files, setup.slots_file]


def worker_environment() -> dict[str, str]:
    """The environment, with this package to be found and one thread for each worker."""
    here = str(Path(pipefl.__file__).parents[1])
    paths = [here, *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
    threads = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    return {**os.environ, **threads, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
