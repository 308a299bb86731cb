"""Checks of arrays of numbers; each returns the checked array or raises `ArgumentError`."""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pipefl.errors import ArgumentError

Floats = NDArray[np.float64]
Elementwise = Callable[[Floats], NDArray[np.bool_]]


def floats(name: str, values: ArrayLike) -> Floats:
    """An array of any shape as float64; texts, truths, dates and masked entries are no numbers.

    A float64 array comes back as it is, not copied.
    """
    if np.ma.is_masked(values):
        raise ArgumentError(name, values, "none of its entries may be masked")
    try:
        array = np.asarray(values)
        if array.dtype.kind not in "iufO":
            raise TypeError(array.dtype)
        return array.astype(np.float64, copy=False)
    except (TypeError, ValueError, OverflowError):
        shown = values.tolist() if isinstance(values, np.ndarray) else values
        raise ArgumentError(name, shown, "it must be an array of numbers") from None


def numbers(name: str, values: ArrayLike, accepted: str, holds: Elementwise) -> Floats:
    """An array of any shape whose elements are finite and hold; the first that does not is named.

    >>> numbers("snr", [1.0, -2.0], "every SNR must be 0 or more", lambda v: v >= 0)
    Traceback (most recent call last):
        ...
    pipefl.errors.ArgumentError: snr[1] is -2.0; every SNR must be 0 or more
    """
    array = floats(name, values)
    bad = np.argwhere(~(np.isfinite(array) & holds(array)))
    if len(bad):
        index = ", ".join(map(str, bad[0]))
        shown = f"{name}[{index}]" if index else name
        raise ArgumentError(shown, array[tuple(bad[0])], accepted)
    return array
