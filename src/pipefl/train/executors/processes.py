"""Work shared out among processes that stay, see the data and pass models through memory."""

import sys
import warnings
from collections.abc import Iterable, Sequence
from multiprocessing.connection import wait
from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from pipefl.checks import count
from pipefl.errors import PipeflError
from pipefl.models.catalogue import ModelSettings
from pipefl.train.algorithms.algorithm import Algorithm
from pipefl.train.executors.messages import (
    Answer,
    Failed,
    Forget,
    Judge,
    Publish,
    Setup,
    Task,
    Work,
    mapped_samples,
    shareable,
)
from pipefl.train.executors.parts import equal_parts
from pipefl.train.executors.slots import Lender
from pipefl.train.executors.worker_process import WorkerProcess, open_files
from pipefl.train.work import Judgement, Unit, UnitResult
from pipefl.train.workplace import Workplace

_MOST_DEATHS = 3  # over the same task


class WorkerError(PipeflError):
    """Something in a worker process went wrong that would go wrong again."""


class Processes:
    """An executor of worker processes with one thread each.

    The data is mapped by all of them, never sent; models and sums of replies lie in slots
    of shared memory. Which process does which unit is a matter of luck, and of no
    consequence: units are the same for any number of workers, and so is the order in which
    their sums are added up. A worker that dies is replaced, and its unit done again.
    """

    def __init__(
        self, place: Workplace, algorithm: Algorithm, model: ModelSettings, num_workers: int
    ) -> None:
        self._num_workers = count("workers", num_workers)
        self._sizes = np.diff(place.offset)
        vectors = 1 + algorithm.start(place.model.num_parameters).shape[0]
        self._num_replies = algorithm.num_replies
        rows = max(vectors, algorithm.num_replies)
        self._lender = Lender(rows, place.model.num_parameters)
        # Held here, since workers that begin later find the data through our files.
        self._data = [shareable(place.train), shareable(place.test)]
        self._setup = Setup(
            model,
            algorithm,
            place.diligence,
            mapped_samples(self._data[0]),
            place.offset,
            mapped_samples(self._data[1]),
            self._lender.slots.number,
            rows,
        )
        self._published: dict[int, Publish] = {}
        self._workers: list[WorkerProcess] = []
        try:
            self._fill_up()
        except BaseException:
            self.close()
            raise

    @property
    def process_ids(self) -> list[int]:
        """The workers' process ids."""
        return [worker.process.pid for worker in self._workers]

    def publish(self, version: int, vectors: Tensor) -> None:
        """Copy the vectors into a slot, and say so to all."""
        slot = self._lender.take()
        rows = vectors.shape[0]
        self._lender.slots.tensor(slot, rows).copy_(vectors)
        self._published[version] = Publish(version, slot, rows)
        self._tell_all(self._published[version])

    def forget(self, before: int) -> None:
        """Take the slots of older versions back."""
        old = [version for version in self._published if version < before]
        for version in old:
            self._lender.give_back(self._published.pop(version).slot)
        if old:
            self._tell_all(Forget(before))

    def work(self, units: Sequence[Unit]) -> list[UnitResult]:
        """One unit after the other to whoever is free, the heaviest first."""
        places = sorted(range(len(units)), key=lambda place: -self._num_samples(units[place]))
        tasks = [Work(units[place], self._lender.take()) for place in places]
        try:
            answers = self._done(tasks)
        except BaseException:
            for task in tasks:
                self._lender.give_back(task.slot)
            raise
        results = {
            place: UnitResult(self._lender.lent(task.slot, self._num_replies), reports)
            for place, task, reports in zip(places, tasks, answers, strict=True)
        }
        return [results[place] for place in range(len(units))]

    def judge(self, version: int, chunks: Sequence[NDArray[np.int64]]) -> list[Judgement]:
        """Chunks in as many parts as there are workers."""
        parts = equal_parts(chunks, self._num_workers)
        answers = self._done([Judge(version, part) for part in parts])
        return [judgement for answer in answers for judgement in answer]

    def close(self) -> None:
        """Close the pipes, upon which the workers end, and wait for them."""
        for worker in self._workers:
            worker.pipe.close()
        for worker in self._workers:
            worker.end()
        if self._data:
            self._lender.close()
        self._workers, self._data = [], []

    def _num_samples(self, unit: Unit) -> int:
        return sum(int(self._sizes[job.client]) for job in unit.jobs)

    def _fill_up(self) -> None:
        while len(self._workers) < self._num_workers:
            self._workers.append(self._begun())

    def _begun(self) -> WorkerProcess:
        worker = WorkerProcess("pipefl.train.executors.worker", open_files(self._setup))
        try:
            worker.send(sys.path)
            worker.send(self._setup)
            for publish in self._published.values():
                worker.send(publish)
        except BaseException:
            worker.kill()
            raise
        return worker

    def _tell_all(self, message: Publish | Forget) -> None:
        for worker in self._workers:
            worker.send(message)  # who is dead does not hear it, but is told when replaced

    def _done(self, tasks: Sequence[Task]) -> list[Any]:
        """The tasks' answers, each asked of whoever is free next."""
        self._replace_idle_dead()
        self._fill_up()
        answers: dict[int, Answer] = {}
        deaths = dict.fromkeys(range(len(tasks)), 0)
        waiting = list(reversed(range(len(tasks))))
        busy: dict[WorkerProcess, int] = {}
        try:
            while len(answers) < len(tasks):
                for worker in self._workers:
                    if waiting and worker not in busy:
                        busy[worker] = waiting.pop()
                        worker.send(tasks[busy[worker]])
                for worker in _heard(busy):
                    answer, task = worker.received(), busy.pop(worker)
                    if isinstance(answer, Failed):
                        text = f"a worker process failed: {answer.error}"
                        raise WorkerError(text) from RemoteError(answer.traceback)
                    if answer is None:
                        waiting.append(task)
                        deaths[task] += 1
                        self._replace(worker, deaths[task])
                    else:
                        answers[task] = answer
        except BaseException:
            self._abandon(busy)
            raise
        return [answers[task] for task in range(len(tasks))]

    def _replace_idle_dead(self) -> None:
        """Replace who died with nothing to do, so that no task is blamed for it."""
        for worker in [each for each in self._workers if each.process.poll() is not None]:
            self._workers.remove(worker)
            _warn(f"worker process {worker.process.pid} was {_how(worker.end())}; another begins")

    def _replace(self, dead: WorkerProcess, deaths: int) -> None:
        self._workers.remove(dead)
        how = _how(dead.end())
        if deaths == _MOST_DEATHS:
            raise WorkerError(
                f"{deaths} worker processes in a row were {how} over the same work; "
                "is there memory enough? fewer workers need less"
            )
        _warn(f"worker process {dead.process.pid} was {how}; another one does its clients again")
        self._fill_up()

    def _abandon(self, busy: Iterable[WorkerProcess]) -> None:
        """End workers whose answers nobody waits for any more; others begin when needed."""
        for worker in busy:
            self._workers.remove(worker)
            worker.kill()


class RemoteError(Exception):
    """The traceback of what went wrong in a worker process."""


def _heard(busy: Iterable[WorkerProcess]) -> list[WorkerProcess]:
    """Those that have something to say, or have died; waits until there is one."""
    of_pipe = {id(worker.pipe): worker for worker in busy}
    return [of_pipe[id(pipe)] for pipe in wait([worker.pipe for worker in busy])]


def _how(code: int) -> str:
    return f"killed by signal {-code}" if code < 0 else f"ended with code {code}"


def _warn(text: str) -> None:
    warnings.warn(text, RuntimeWarning, stacklevel=2)
