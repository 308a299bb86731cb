"""How many clusters fit between the fastest and the slowest client."""

import math
import sys

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pipefl.checks import non_negative_seconds, positive_seconds
from pipefl.errors import ArgumentError
from pipefl.plan.slots import rounding_allowance_s
from pipefl.plan.times import compute_times


def max_clusters(compute_time_s: ArrayLike, upload_time_s: float, slack_s: float = 0.0) -> int:
    r"""The largest K for which the fastest client can still use the first slot.

    .. math:: K \le \Big\lfloor
        \frac{\tau_\text{max} - \tau_\text{min} + \tau_\text{com} + \Delta_\text{global}}
             {\tau_\text{com}} \Big\rfloor

    Paper: eq:techincal_K, which is θ_1 ≥ τ_min.

    Legend: τ `compute_time_s` (M values), τ_com `upload_time_s`, Δ_global `slack_s`;
    all in seconds. O(M).

    >>> max_clusters([10, 40, 70], upload_time_s=15)
    5
    """
    times, upload, slack = _checked(compute_time_s, upload_time_s, slack_s)
    return most_clusters(float(times.min()), float(times.max()), upload, slack)


def choose_num_clusters(
    compute_time_s: ArrayLike, upload_time_s: float, slack_s: float = 0.0
) -> int:
    r"""The K that the paper recommends: one less than `max_clusters`, and at least 1.

    .. math:: K = \Big\lfloor
        \frac{\tau_\text{max} - \tau_\text{min} + \Delta_\text{global}}{\tau_\text{com}}
        \Big\rfloor

    Paper: eq:choosing_K. One cluster is always possible, so where the formula gives
    0 (all clients within one upload time) the answer is 1.

    Legend as in `max_clusters`. O(M).

    >>> choose_num_clusters([10, 40, 70], upload_time_s=15)
    4
    """
    times, upload, slack = _checked(compute_time_s, upload_time_s, slack_s)
    return preferred_clusters(float(times.min()), float(times.max()), upload, slack)


def most_clusters(earliest_s: float, latest_s: float, upload_time_s: float, slack_s: float) -> int:
    """`max_clusters` from the two extreme compute times alone. Paper: eq:techincal_K."""
    return 1 + _uploads_within(earliest_s, latest_s, upload_time_s, slack_s)


def preferred_clusters(
    earliest_s: float, latest_s: float, upload_time_s: float, slack_s: float
) -> int:
    """`choose_num_clusters` from the two extreme compute times. Paper: eq:choosing_K."""
    return max(1, _uploads_within(earliest_s, latest_s, upload_time_s, slack_s))


def least_slack_s(
    earliest_s: float, latest_s: float, upload_time_s: float, num_clusters: int
) -> float:
    """The smallest Δ_global for which eq:techincal_K admits `num_clusters`, in seconds.

    >>> least_slack_s(10, 70, upload_time_s=15, num_clusters=6)
    15.0
    """
    return max(0.0, (num_clusters - 1) * float(upload_time_s) - (latest_s - earliest_s))


def typed_slack_s(slack_s: float, latest_s: float) -> float:
    """The next slack above with six digits, so that a person can type it.

    A difference of times as large as `latest_s` carries their rounding error, which
    is not rounded up.

    >>> typed_slack_s(0.12345678, latest_s=7.0), typed_slack_s(0.1000000000000005, latest_s=7.0)
    (0.123457, 0.1)
    """
    rounded = float(f"{slack_s:.6g}")
    is_enough = rounded >= slack_s - rounding_allowance_s(latest_s) / 2
    return rounded if is_enough else float(f"{slack_s * (1 + 1e-5):.6g}")


def _uploads_within(
    earliest_s: float, latest_s: float, upload_time_s: float, slack_s: float
) -> int:
    """⌊(τ_max − τ_min + Δ)/τ_com⌋, where a ratio that is whole but for rounding is whole.

    0.3/0.1 is 2.9999999999999996 in binary; the floor of what was meant is 3.
    """
    room_s = (latest_s - earliest_s) + slack_s
    if not math.isfinite(latest_s + slack_s + upload_time_s):
        accepted = f"after {latest_s:g} s of computing a round must still end at a finite time"
        raise ArgumentError("slack_s", slack_s, accepted)
    uploads = (room_s + rounding_allowance_s(latest_s + slack_s)) / upload_time_s
    return math.floor(min(uploads, sys.float_info.max))


def _checked(
    compute_time_s: ArrayLike, upload_time_s: float, slack_s: float
) -> tuple[NDArray[np.float64], float, float]:
    return (
        compute_times(compute_time_s),
        positive_seconds("upload_time_s", upload_time_s),
        non_negative_seconds("slack_s", slack_s),
    )
