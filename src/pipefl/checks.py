"""Checks of single arguments; each returns the checked value or raises `ArgumentError`."""

import math
import operator
from collections.abc import Callable, Iterable
from typing import TypeVar

import numpy as np

from pipefl.errors import ArgumentError

T = TypeVar("T")

_LARGEST = 2**63 - 1  # what arrays and files can hold


def number(name: str, value: object, accepted: str, holds: Callable[[float], bool]) -> float:
    """A finite number for which `holds` is true; `True` and `"3"` are not numbers here."""
    try:
        if isinstance(value, bool | np.bool_ | str | bytes) or getattr(value, "shape", ()) != ():
            raise TypeError
        checked = float(value)  # type: ignore[arg-type]  # the TypeError is the check
    except (TypeError, ValueError, OverflowError):
        raise ArgumentError(name, value, accepted) from None
    if not (math.isfinite(checked) and holds(checked)):
        raise ArgumentError(name, checked, accepted)
    return checked


def positive(name: str, value: object, unit: str) -> float:
    """A finite number above 0 of some unit, such as "hertz"."""
    return number(name, value, f"it must be a finite number of {unit} above 0", lambda v: v > 0)


def non_negative(name: str, value: object, unit: str) -> float:
    """A finite number of some unit, 0 or more."""
    return number(name, value, f"it must be a finite number of {unit}, 0 or more", lambda v: v >= 0)


def between(name: str, value: object, low: float, high: float) -> float:
    """A number within two bounds, both allowed."""
    accepted = f"it must be a number from {low:g} to {high:g}"
    return number(name, value, accepted, lambda v: low <= v <= high)


def positive_seconds(name: str, value: object) -> float:
    """A finite time above 0 s."""
    return positive(name, value, "seconds")


def non_negative_seconds(name: str, value: object) -> float:
    """A finite time of 0 s or more."""
    return non_negative(name, value, "seconds")


def count(name: str, value: object, minimum: int = 1, maximum: int | None = None) -> int:
    """A whole number within bounds; `4.0` and `True` are not whole numbers here."""
    bounds = f"of at least {minimum}" if maximum is None else f"from {minimum} to {maximum:,}"
    accepted = f"it must be a whole number {bounds}"
    if isinstance(value, bool):
        raise ArgumentError(name, value, accepted)
    try:
        whole = operator.index(value)  # type: ignore[arg-type]  # the TypeError is the check
    except TypeError:
        raise ArgumentError(name, value, accepted) from None
    if whole < minimum or (maximum is not None and whole > maximum):
        raise ArgumentError(name, whole, accepted)
    if whole > _LARGEST:
        raise ArgumentError(name, whole, f"it must be a whole number of at most {_LARGEST:,}")
    return whole


def several(name: str, values: object, check: Callable[[str, object], T]) -> list[T]:
    """One value or several, at least one, each checked.

    >>> several("num_channels", 4, count), several("num_channels", (1, 2), count)
    ([4], [1, 2])
    """
    given: list[object] = [values]
    if isinstance(values, Iterable) and not isinstance(values, str):
        given = list(values)
    if not given:
        raise ArgumentError(name, given, "it must hold at least one value")
    return [check(name, value) for value in given]
