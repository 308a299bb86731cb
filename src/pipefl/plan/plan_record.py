"""The record of a plan, as JSON keeps it: what it holds, and whether that fits together."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pipefl.checks import non_negative_seconds, positive_seconds
from pipefl.errors import PipeflError
from pipefl.plan.times import compute_times

ARRAYS = {
    "compute_time_s": np.float64,
    "slot_time_s": np.float64,
    "capacity": np.int64,
    "relaxed_size": np.float64,
    "active": np.bool_,
    "boundary": np.int64,
    "boundary_time_s": np.float64,
}


def arrays_of_record(record: Mapping[str, Any]) -> dict[str, NDArray[Any]]:
    """The arrays of a plan's record, or an error that says which does not fit the others.

    A file that was cut short or changed by hand would otherwise put clients into wrong
    clusters. O(M log M).
    """
    arrays = {name: _array(record, name, kind) for name, kind in ARRAYS.items()}
    times = compute_times(arrays["compute_time_s"])
    positive_seconds("upload_time_s", record["upload_time_s"])
    non_negative_seconds("slack_s", record["slack_s"])
    num_clusters = arrays["slot_time_s"].size
    for name in ARRAYS:
        if name != "compute_time_s" and arrays[name].shape != (num_clusters,):
            raise _wrong(name, f"holds no {num_clusters:,} values, one for each slot")
    boundary, capacity = arrays["boundary"], arrays["capacity"]
    if num_clusters == 0 or not np.isfinite(arrays["slot_time_s"]).all():
        raise _wrong("slot_time_s", "holds no times of slots")
    if np.any(np.diff(boundary, prepend=0) < 0) or boundary[-1] != times.size:
        raise _wrong("boundary", f"does not ascend from 0 to the {times.size:,} clients")
    if np.any(boundary > capacity):
        raise _wrong("boundary", "is beyond capacity: clients would not be ready by their slots")
    if not np.array_equal(arrays["boundary_time_s"], times_at(np.sort(times), boundary)):
        raise _wrong("boundary_time_s", "is not of the clients at the boundaries")
    return arrays


def times_at(
    sorted_time_s: NDArray[np.float64], boundary: NDArray[np.int64]
) -> NDArray[np.float64]:
    """𝒯[ω_k], and 0 s where ω_k = 0. O(K).

    Paper: eq. (16), where ω_k is the place of a cluster's slowest client.

    >>> times_at(np.array([1.0, 2.0, 4.0]), np.array([0, 2, 3]))
    array([0., 2., 4.])
    """
    return np.where(boundary > 0, sorted_time_s[boundary - 1], 0.0)


def _array(record: Mapping[str, Any], name: str, kind: type[np.generic]) -> NDArray[Any]:
    try:
        return np.array(record[name], dtype=kind)
    except (TypeError, ValueError, OverflowError):
        raise _wrong(name, "is no list of numbers") from None


def _wrong(name: str, what: str) -> PipeflError:
    return PipeflError(f"not the record of a plan: {name} {what}")
