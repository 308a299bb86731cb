"""The processes that an embedded Ray consists of, to wait for their end; all by Linux's /proc."""

import os
import signal
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

_PATIENCE_S = 10.0
_GLANCE_S = 0.02

_PROC = Path("/proc")


def naming(folder: Path) -> set[int]:
    """The living processes that have the folder in their command line."""
    return {number for number in _parents() if os.fsencode(folder) in _command_line(number)}


def with_descendants(roots: Iterable[int]) -> set[int]:
    """These processes, and all that they have begun."""
    parents = _parents()
    found = set(roots)
    while more := {number for number, parent in parents.items() if parent in found} - found:
        found |= more
    return found


def living(processes: Iterable[int]) -> set[int]:
    """Those that have not ended yet."""
    return set(processes) & _parents().keys()


def wait_for_end(processes: Iterable[int]) -> None:
    """Return when they have ended, or have been told to for so long that they are stuck."""
    left, end_s = set(processes), time.monotonic() + _PATIENCE_S
    while (left := living(left)) and time.monotonic() < end_s:
        time.sleep(_GLANCE_S)


def kill(processes: Iterable[int]) -> None:
    """End them whatever they are doing, and wait for it."""
    for process in processes:
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
    wait_for_end(processes)


def _command_line(process: int) -> bytes:
    try:
        return (_PROC / str(process) / "cmdline").read_bytes()
    except OSError:  # it has ended meanwhile
        return b""


def _parents() -> dict[int, int]:
    """Each living process's parent."""
    found = {}
    for path in _PROC.glob("[0-9]*/stat"):
        try:
            after_name = path.read_text(encoding="ascii", errors="replace").rpartition(")")[2]
        except OSError:  # as above
            continue
        state, parent, *_ = after_name.split()
        if state != "Z":  # ended, though nobody has taken notice
            found[int(path.parent.name)] = int(parent)
    return found
