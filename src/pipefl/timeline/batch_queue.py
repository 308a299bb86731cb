"""N sub-channels, first come, first served, for many rounds side by side."""

import numpy as np
from numpy.typing import NDArray


def serve_all(
    release_s: NDArray[np.float64],
    upload_time_s: float | NDArray[np.float64],
    num_channels: int,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Starts and ends of n × R uploads, R rounds of n; the same floats as `queue.serve`.

    `release_s` may be ∞ (never served: NaN). `upload_time_s` is one time or n × R.
    """
    order = np.argsort(release_s, axis=0, kind="stable")
    sorted_s = np.take_along_axis(release_s, order, axis=0)
    if isinstance(upload_time_s, float):
        starts = starts_of_equal_uploads(sorted_s, upload_time_s, num_channels)
        ends = starts + upload_time_s
    else:
        uploads = np.take_along_axis(upload_time_s, order, axis=0)
        starts = _starts_of_unequal_uploads(sorted_s, uploads, num_channels)
        ends = starts + uploads
    start_s, end_s = np.empty((2, *release_s.shape))
    np.put_along_axis(start_s, order, starts, axis=0)
    np.put_along_axis(end_s, order, ends, axis=0)
    never = np.isinf(release_s)
    start_s[never] = end_s[never] = np.nan
    return start_s, end_s


def starts_of_equal_uploads(
    sorted_release_s: NDArray[np.float64], upload_time_s: float, num_channels: int
) -> NDArray[np.float64]:
    r"""Starts of uploads that all take the same time.

    .. math:: \text{start}_i = \max(\text{release}_i,\ \text{start}_{i-N} + \tau_\text{com})

    Sub-channels become free in the order in which they were taken, so the i-th client
    takes the one that the (i − N)-th had. `sorted_release_s` is n × R and ascends along
    the first axis. 2 n array operations.
    """
    start_s = sorted_release_s.copy()
    free_s = np.empty(sorted_release_s.shape[1:])
    for i in range(num_channels, start_s.shape[0]):
        np.add(start_s[i - num_channels], upload_time_s, out=free_s)
        np.maximum(start_s[i], free_s, out=start_s[i])
    return start_s


def _starts_of_unequal_uploads(
    sorted_release_s: NDArray[np.float64], upload_time_s: NDArray[np.float64], num_channels: int
) -> NDArray[np.float64]:
    """Starts where each upload takes its own time: the sub-channel that is free first."""
    num_clients, num_rounds = sorted_release_s.shape
    free_s = np.zeros((num_channels, num_rounds))
    every = np.arange(num_rounds)
    start_s = np.empty_like(sorted_release_s)
    for i in range(num_clients):
        first = free_s.argmin(axis=0)
        start_s[i] = np.maximum(sorted_release_s[i], free_s[first, every])
        free_s[first, every] = start_s[i] + upload_time_s[i]
    return start_s
