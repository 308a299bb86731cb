"""Work in parts: what one of several workers is asked to do at once."""

from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


def equal_parts(things: Sequence[T], num_workers: int) -> list[tuple[T, ...]]:
    """At most one part for each worker, all of one size but for the last.

    >>> equal_parts("abcde", 2)
    [('a', 'b', 'c'), ('d', 'e')]
    """
    size = max(1, -(-len(things) // num_workers))
    return [tuple(things[first : first + size]) for first in range(0, len(things), size)]
