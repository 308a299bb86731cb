"""What comes of a call to an actor: its answer, an error of its own, or the news of its end."""

from typing import Any

import ray
from ray.exceptions import (
    NodeDiedError,
    ObjectLostError,
    OutOfMemoryError,
    RayActorError,
    RayError,
    WorkerCrashedError,
)

from pipefl.train.executors.messages import Failed
from pipefl.train.executors.processes import RemoteError, WorkerError

LOST = (RayActorError, ObjectLostError, NodeDiedError, WorkerCrashedError, OutOfMemoryError)
"""What Ray raises where a process or a node is gone, whatever it was doing."""


def answer_of(ref: Any) -> Any:
    """An actor's answer; what went wrong in its own code is raised as a `WorkerError`."""
    try:
        answer = ray.get(ref)
    except LOST:
        raise
    except RayError as error:
        raise WorkerError(f"Ray: {' '.join(str(error).split())}") from error
    if isinstance(answer, Failed):
        raise WorkerError(answer.error) from RemoteError(answer.traceback)
    return answer
