"""Medians of repeated timings, fresh processes, and a table of the ratios."""

import multiprocessing
import os
import platform
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import astuple, dataclass, fields
from importlib.metadata import version
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import ParamSpec, TypeVar

_GLIBC_THRESHOLDS = ("MALLOC_TRIM_THRESHOLD_", "MALLOC_MMAP_THRESHOLD_")

_PACKAGES = ("pipefl", "numpy", "scipy")

P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True)
class Row:
    """One line of the table; every number in it has its unit."""

    what: str
    measured: str
    beside: str = ""
    ratio: str = ""
    goal: str = ""


def medians_s(
    actions: Mapping[str, Callable[[], object]],
    repeats: int,
    before: Callable[[], object] = lambda: None,
) -> dict[str, float]:
    """The median time of each action in seconds.

    The actions take turns, so that a slow spell of the machine meets all of them.
    `before` runs ahead of each, and neither it nor freeing the result is timed.
    """
    taken: dict[str, list[float]] = {name: [] for name in actions}
    for repeat in range(repeats):
        for name, action in actions.items():
            progress(f"{name}, {repeat + 1} of {repeats}")
            before()
            start = perf_counter()
            result = action()
            taken[name].append(perf_counter() - start)
            del result
    progress("")
    return {name: median(seconds) for name, seconds in taken.items()}


def seconds_of(action: Callable[P, object], *args: P.args, **kwargs: P.kwargs) -> float:
    """How long one call takes."""
    start = perf_counter()
    action(*args, **kwargs)
    return perf_counter() - start


def in_fresh_process(measure: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """Call a function of a module in an interpreter of its own.

    What was measured before leaves no trace there, neither in the heap nor in the peak
    of memory, which a process inherits from the one that started it.
    """
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(max_workers=1, mp_context=spawn) as pool:
        return pool.submit(measure, *args, **kwargs).result()


@contextmanager
def keeping_freed_memory() -> Iterator[None]:
    """Let fresh processes started in this block keep what they free for the next array.

    glibc otherwise gives it back to the system, and most of the time of an operation that
    takes a few milliseconds is spent on fetching its pages again.
    """
    os.environ |= (added := dict.fromkeys(_GLIBC_THRESHOLDS, str(2**32)))
    try:
        yield
    finally:
        for name in added:
            del os.environ[name]


def progress(text: str) -> None:
    """Say what is being measured, on the terminal's last line if there is one."""
    if sys.stderr.isatty():
        print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)


def seconds(value_s: float) -> str:
    """A time with three digits and a unit that suits it."""
    for unit_s, unit in ((1.0, "s"), (1e-3, "ms")):
        if value_s >= unit_s:
            return f"{_three_digits(value_s / unit_s)} {unit}"
    return f"{_three_digits(value_s / 1e-6)} µs"


def memory(num_bytes: float) -> str:
    """An amount of memory with three digits, in GB from 1 GB on."""
    if num_bytes >= 1e9:
        return f"{_three_digits(num_bytes / 1e9)} GB"
    return f"{_three_digits(num_bytes / 1e6)} MB"


def per_second(rate: float) -> str:
    """Samples a second."""
    return f"{rate:,.0f}/s"


def times(ratio: float) -> str:
    """A ratio."""
    return f"{_three_digits(ratio)}×"


def table(rows: list[Row]) -> str:
    """The rows in columns that line up, as Markdown."""
    return columns([[field.name for field in fields(Row)], *map(astuple, rows)])


def columns(lines: Sequence[Sequence[str]]) -> str:
    """Cells in columns that line up, as Markdown; the first line is the head."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    ruled = [lines[0], ["-" * width for width in widths], *lines[1:]]
    return "\n".join("| " + " | ".join(map(str.ljust, line, widths)) + " |" for line in ruled)


def machine(*others: str) -> str:
    """Cores, instruction set, memory and the versions that the figures depend on."""
    cpu = Path("/proc/cpuinfo")
    flags = cpu.read_text(encoding="utf-8").split() if cpu.exists() else []
    vectors = next((name for name in ("avx512f", "avx2") if name in flags), platform.machine())
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30
    packages = ", ".join(f"{name} {version(name)}" for name in (*_PACKAGES, *others))
    python = platform.python_version()
    return f"{os.cpu_count()} cores ({vectors}), {memory:.0f} GiB; Python {python}, {packages}"


def _three_digits(value: float) -> str:
    return f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 100 else f"{value:,.0f}"
