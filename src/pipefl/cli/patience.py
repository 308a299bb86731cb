"""What a terminal shows of work that takes long: silent for two seconds, and elsewhere."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Timer

SILENT_S = 2.0


@contextmanager
def patience(name: str, *, silent_s: float = SILENT_S) -> Iterator[None]:
    """A moving bar with the time so far, for work of which nobody knows how much is left."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    bar = Progress(*columns, console=Console(stderr=True), transient=True)
    bar.add_task(name, total=None)
    timer = Timer(silent_s, bar.start)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        bar.stop()


@contextmanager
def progress(
    name: str, total: int, unit: str, *, silent_s: float = SILENT_S
) -> Iterator[Callable[[float], None]]:
    """A bar with rate and time left; it is given the share that is done, from 0 to 1."""
    if not sys.stderr.isatty():
        yield lambda share: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn(f"{unit} · {{task.fields[rate]}}/s ·"),
        TimeRemainingColumn(),
    )
    bar = Progress(*columns, console=Console(stderr=True), transient=True)
    task = bar.add_task(name, total=total, rate="")
    begun = time.monotonic()

    def advance(share: float) -> None:
        elapsed = time.monotonic() - begun
        if elapsed < silent_s:
            return
        bar.start()
        done = int(share * total)
        bar.update(task, completed=done, rate=_short(done / elapsed) if elapsed else "")

    try:
        yield advance
    finally:
        bar.stop()


def _short(rate: float) -> str:
    return f"{rate:,.0f}" if rate >= 10 else f"{rate:.2g}"
