"""Ctrl-C that waits for the end of a round."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def stop_after_round() -> Iterator[Callable[[], bool]]:
    """A function that says whether Ctrl-C or a request to end has come; a second one ends at once.

    Only a program's main thread hears signals; in others the function says no.
    """
    asked = threading.Event()

    def hear(number: int, frame: FrameType | None) -> None:
        if asked.is_set():
            raise KeyboardInterrupt
        asked.set()

    if threading.current_thread() is not threading.main_thread():
        yield asked.is_set
        return
    before = {number: signal.signal(number, hear) for number in _SIGNALS}
    try:
        yield asked.is_set
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
