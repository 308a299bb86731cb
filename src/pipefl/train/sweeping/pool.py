"""Worker processes for the trials of a sweep."""

import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from multiprocessing.connection import wait
from typing import Any, Protocol

from pipefl.checks import count
from pipefl.errors import PipeflError
from pipefl.sweeps.trial import Trial
from pipefl.train.executors.messages import Failed
from pipefl.train.executors.worker_process import WorkerProcess
from pipefl.train.sweeping.task import Task

_MOST_DEATHS = 3  # over the same trial


@dataclass(frozen=True)
class News:
    """A trial has done so many rounds, or it `is_over` for now."""

    trial: Trial
    done: int
    is_over: bool


class TrialPool(Protocol):
    """Whoever runs trials side by side."""

    @property
    def num_free(self) -> int:
        """How many more trials may be started now."""
        ...

    def start(self, trial: Trial, task: Task) -> None:
        """Begin a trial."""
        ...

    def news(self, timeout_s: float) -> Iterable[News]:
        """What has been heard since, waiting no longer than that if it is nothing."""
        ...

    def close(self) -> None:
        """Stop all trials after the rounds that they are in, and wait for that."""
        ...


class ProcessPool:
    """Worker processes on this machine, one torch thread each.

    A worker that dies is replaced, and its trial gone on with from its last checkpoint,
    which leads to the same bits.
    """

    def __init__(self, num_workers: int) -> None:
        self._num_workers = count("jobs", num_workers)
        self._free: list[WorkerProcess] = []
        self._busy: dict[WorkerProcess, tuple[Trial, Task]] = {}
        self._deaths: dict[Trial, int] = {}

    @property
    def num_free(self) -> int:
        """Workers without a trial, begun or not."""
        return self._num_workers - len(self._busy)

    def start(self, trial: Trial, task: Task) -> None:
        """Give the trial to a free worker, a new one if there is none yet."""
        worker = self._free.pop() if self._free else _begun()
        self._busy[worker] = (trial, task)
        worker.send(task)

    def news(self, timeout_s: float) -> Iterable[News]:
        """Rounds done, trials over; a worker's death is warned of and made good."""
        of_pipe = {id(worker.pipe): worker for worker in self._busy}
        heard = wait([worker.pipe for worker in self._busy], timeout_s)
        return [news for pipe in heard for news in self._hear(of_pipe[id(pipe)])]

    def close(self) -> None:
        """Close the pipes, upon which the workers stop after their rounds."""
        workers = [*self._free, *self._busy]
        for worker in workers:
            worker.pipe.close()
        for worker in workers:
            worker.end()
        self._free, self._busy = [], {}

    def _hear(self, worker: WorkerProcess) -> list[News]:
        trial, task = self._busy[worker]
        try:
            said: Any = worker.pipe.recv()
        except (EOFError, OSError):
            self._replace(worker, trial, task)
            return []
        if isinstance(said, int):
            return [News(trial, said, is_over=False)]
        del self._busy[worker]
        self._free.append(worker)
        if isinstance(said, Failed):
            raise PipeflError(said.error) from RuntimeError(said.traceback)
        return [News(trial, 0, is_over=True)]

    def _replace(self, dead: WorkerProcess, trial: Trial, task: Task) -> None:
        del self._busy[dead]
        code = dead.end()
        self._deaths[trial] = self._deaths.get(trial, 0) + 1
        if self._deaths[trial] == _MOST_DEATHS:
            raise PipeflError(
                f"{_MOST_DEATHS} worker processes ended (the last with code {code}) over the "
                f"trial {trial.name}; is there memory enough? fewer jobs need less"
            )
        text = f"a worker process ended with code {code}; another one goes on with {trial.name}"
        warnings.warn(text, RuntimeWarning, stacklevel=2)
        self.start(trial, task)


def _begun() -> WorkerProcess:
    return WorkerProcess("pipefl.train.sweeping.worker")
