"""Work in parts: what one of several workers is asked to do at once."""

from collections.abc import Sequence
from typing import TypeVar

from pipefl.train.work import Unit

T = TypeVar("T")


def unit_parts(units: Sequence[Unit], *, stack: int, num_workers: int) -> list[tuple[Unit, ...]]:
    """Units one by one, for whoever is free; in equal parts where clients are stacked."""
    return _parts(units, 1) if stack == 1 else equal_parts(units, num_workers)


def equal_parts(things: Sequence[T], num_workers: int) -> list[tuple[T, ...]]:
    """At most one part for each worker, all of one size but for the last.

    >>> equal_parts("abcde", 2)
    [('a', 'b', 'c'), ('d', 'e')]
    """
    return _parts(things, max(1, -(-len(things) // num_workers)))


def _parts(things: Sequence[T], size: int) -> list[tuple[T, ...]]:
    return [tuple(things[first : first + size]) for first in range(0, len(things), size)]
