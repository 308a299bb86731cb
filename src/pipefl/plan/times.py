"""The clients' compute times: checked once, then never changed."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pipefl.arrays import floats
from pipefl.errors import ArgumentError

_ACCEPTED = "every one must be finite and above 0 seconds"


def compute_times(compute_time_s: ArrayLike, name: str = "compute_time_s") -> NDArray[np.float64]:
    """A read-only float64 array of M ≥ 1 finite times above 0 s, or a clear error.

    A writeable array is copied, so that nobody can change it afterwards; a read-only
    float64 array is used as it is. O(M).

    >>> compute_times([3, 1, 2]).flags.writeable
    False
    >>> compute_times([3.0, float("nan")])
    Traceback (most recent call last):
        ...
    pipefl.errors.ArgumentError: compute_time_s[1] is nan; every one must be finite and \
above 0 seconds
    """
    times = _some(name, frozen_floats(name, compute_time_s))
    if not (times.min() > 0 and np.isfinite(times.max())):
        _name_the_first_bad(name, times)
    return times


def compute_times_and_sorted(
    compute_time_s: ArrayLike,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """`compute_times` with the same times in ascending order, which spares two passes.

    Paper: eq. (14), 𝒯[S_m] = τ_m.

    NaN sorts behind every number, so the two ends of the order show whether all are good.
    """
    name = "compute_time_s"
    times = _some(name, frozen_floats(name, compute_time_s))
    ordered = np.sort(times)
    if not (ordered[0] > 0 and np.isfinite(ordered[-1])):
        _name_the_first_bad(name, times)
    return times, ordered


def frozen_floats(name: str, values: ArrayLike) -> NDArray[np.float64]:
    """A read-only one-dimensional float64 array that shares nothing writeable with `values`."""
    numbers = floats(name, values)
    if numbers.ndim != 1:
        accepted = f"it must be one-dimensional, one number a client, not of shape {numbers.shape}"
        raise ArgumentError(name, values, accepted)
    if numbers.flags.writeable:
        is_new = isinstance(values, list | tuple) or np.asarray(values).dtype != np.float64
        numbers = numbers if is_new else numbers.copy()
        numbers.flags.writeable = False
    return numbers


def _some(name: str, times: NDArray[np.float64]) -> NDArray[np.float64]:
    if times.size == 0:
        raise ArgumentError(name, [], "it must hold at least one client's time")
    return times


def _name_the_first_bad(name: str, times: NDArray[np.float64]) -> None:
    bad = np.flatnonzero(~(np.isfinite(times) & (times > 0)))
    more = f" ({bad.size:,} of {times.size:,} are not)" if bad.size > 1 else ""
    raise ArgumentError(f"{name}[{bad[0]}]", times[bad[0]], _ACCEPTED + more)
