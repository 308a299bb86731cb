"""One process at a time writes to a dataset's folder."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pipefl.data.sources import Say


@contextmanager
def locked(folder: Path, say: Say) -> Iterator[None]:
    """Have the folder to oneself, after whoever has it now.

    The lock goes with the process, however it ends. Its file stays: removing it could take the
    lock from under somebody who waits.
    """
    folder.mkdir(parents=True, exist_ok=True)
    number = os.open(folder / ".lock", os.O_RDWR | os.O_CREAT, 0o644)
    try:
        try:
            fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say(f"another process is fetching files into {folder}; waiting for it")
            fcntl.flock(number, fcntl.LOCK_EX)
        yield
    finally:
        os.close(number)
