"""N sub-channels, first come, first served."""

from heapq import heapify, heappop, heappush
from math import inf, nan

import numpy as np
from numpy.typing import NDArray

from pipefl.timeline.round import NO_CHANNEL


def serve(
    release_s: list[float], upload_time_s: list[float], num_channels: int
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.intp]]:
    r"""Starts, ends and sub-channels of uploads that are let go at given times.

    In the order of release, equal ones in the order given, each client takes the
    sub-channel that is free first, of several the lowest:

    .. math:: \text{start}_i = \max(\text{release}_i,\ \min_c \text{free}_c), \qquad
        \text{free}_c \leftarrow \text{start}_i + \text{upload}_i

    No sub-channel idles while a client that was let go waits. For equal uploads no
    other order ends sooner. A release of ∞ is never served: NaN, and sub-channel −1.
    An event at a time, O(n log n).

    >>> serve([2.0, 1.0, 1.5], [3.0, 3.0, 3.0], num_channels=2)[0]
    array([4. , 1. , 1.5])
    """
    start_s, end_s = np.full((2, len(release_s)), nan)
    channel = np.full(len(release_s), NO_CHANNEL, dtype=np.intp)
    free = [(0.0, c) for c in range(num_channels)]
    heapify(free)
    for release, i in sorted((release, i) for i, release in enumerate(release_s)):
        if release == inf:
            break
        free_s, channel[i] = heappop(free)
        start_s[i] = max(release, free_s)
        end_s[i] = start_s[i] + upload_time_s[i]
        heappush(free, (float(end_s[i]), int(channel[i])))
    return start_s, end_s, channel
