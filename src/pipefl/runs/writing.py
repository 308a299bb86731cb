"""Files that are there as a whole or not at all, and one line on what cannot be written."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pipefl.errors import PipeflError


class UnwritableError(PipeflError, OSError):
    """A file cannot be written, most often because the disk is full."""


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Name the file in what the system complains of while it is written."""
    try:
        yield
    except OSError as error:
        raise UnwritableError(f"{path} cannot be written: {error.strerror or error}") from error


def write_bytes_whole(path: Path, data: bytes, beside: Path) -> None:
    """Write to the file `beside`, force it to the disk, and rename it to `path`.

    So there is no instant at which `path` is there and not whole. What cannot be written is
    taken away again, since a part of it is of no use and there may be no room for it.
    """
    with writing(path):
        try:
            with beside.open("wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            beside.replace(path)
        except OSError:
            beside.unlink(missing_ok=True)
            raise
