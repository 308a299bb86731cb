"""A worker process: `python -m pipefl.train.executors.worker FILE-NUMBER`.

It has no part in the program that began it but one end of a pipe. When the other end is
gone, whatever became of it, the worker ends.
"""

import pickle
import sys
import traceback
from multiprocessing.connection import Connection
from typing import Any

import torch

from pipefl.models.heap import keep_freed_memory
from pipefl.train.executors.messages import (
    Answer,
    Failed,
    Forget,
    Judge,
    Publish,
    Setup,
    Task,
    Work,
)
from pipefl.train.executors.serial import Serial
from pipefl.train.executors.slots import Slots


class Worker:
    """Does the units that it is told to do, with one thread."""

    def __init__(self, setup: Setup) -> None:
        place = setup.workplace()
        self._slots = Slots(setup.slots_file, setup.slot_rows, place.model.num_parameters)
        self._serial = Serial(place, setup.algorithm)

    def hear(self, message: Publish | Forget) -> None:
        """What needs no answer."""
        if isinstance(message, Publish):
            vectors = self._slots.tensor(message.slot, message.rows)
            self._serial.publish(message.version, vectors)
        else:
            self._serial.forget(message.before)

    def answer(self, task: Task) -> Answer:
        """What does."""
        if isinstance(task, Judge):
            return self._serial.judge(task.version, task.chunks)
        (result,) = self._serial.work([task.unit])
        self._slots.tensor(task.slot, result.sums.shape[0]).copy_(result.sums)
        return result.reports


def serve(pipe: "Connection[Any, Any]") -> None:
    """Answer until the other end of the pipe is gone."""
    try:
        sys.path[:] = pipe.recv()
        worker = _begun(pipe)
        while True:
            message = pipe.recv()
            if isinstance(message, Work | Judge):
                pipe.send(worker if isinstance(worker, Failed) else _answered(worker, message))
            elif isinstance(worker, Worker):
                worker.hear(message)
    except (EOFError, ConnectionError):
        return


def _begun(pipe: "Connection[Any, Any]") -> Worker | Failed:
    """The worker that the first message sets up, or what is answered in its place."""
    message = pipe.recv_bytes()
    try:
        return Worker(pickle.loads(message))  # noqa: S301  # from the process that began us
    except Exception as error:  # whatever it is, the one who asks must know
        return _failed(error)


def _answered(worker: Worker, task: Task) -> Answer | Failed:
    try:
        return worker.answer(task)
    except Exception as error:  # as above
        return _failed(error)


def _failed(error: Exception) -> Failed:
    return Failed(f"{type(error).__name__}: {error}", traceback.format_exc())


def main() -> None:
    """Begin with the pipe whose number is the first argument."""
    torch.set_num_threads(1)
    keep_freed_memory()
    serve(Connection(int(sys.argv[1])))


if __name__ == "__main__":
    main()
