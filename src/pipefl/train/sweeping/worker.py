"""A process that runs trials: `python -m pipefl.train.sweeping.worker FILE-NUMBER`.

When the other end of its pipe is gone, it stops after the round that it is in; what it has
done is on disk.
"""

import sys
import time
import traceback
from multiprocessing.connection import Connection
from typing import Any

import torch

from pipefl.models.heap import keep_freed_memory
from pipefl.train.executors.messages import Failed
from pipefl.train.sweeping.task import Task, run_task

_TELL_EVERY_S = 0.5


def serve(pipe: "Connection[Any, Any]") -> None:
    """Run one task after the other: numbers of rounds on the way, then None, or what failed."""
    try:
        while True:
            pipe.send(_answer(pipe, pipe.recv()))
    except (EOFError, ConnectionError):
        return


def _answer(pipe: "Connection[Any, Any]", task: Task) -> Failed | None:
    told_s = 0.0

    def tell(done: int) -> None:
        nonlocal told_s
        if time.monotonic() - told_s > _TELL_EVERY_S:
            told_s = time.monotonic()
            pipe.send(done)

    try:
        run_task(task, tell, stop=pipe.poll)  # nothing comes meanwhile but the end
    except (EOFError, ConnectionError):
        raise
    except Exception as error:  # whatever it is, the one who asks must know
        return Failed(f"{task.config.name}: {error}", traceback.format_exc())
    return None


def main() -> None:
    """Begin with the pipe whose number is the first argument."""
    torch.set_num_threads(1)
    keep_freed_memory()
    serve(Connection(int(sys.argv[1])))


if __name__ == "__main__":
    main()
