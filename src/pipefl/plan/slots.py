"""When each cluster may transmit."""

import numpy as np
from numpy.typing import NDArray

# How many units of least precision of the last slot two times may differ by and
# still be one time: eq:setting_theta rounds up to three times, its inputs once each.
_ROUNDING_ULPS = 8


def slot_times(
    latest_compute_time_s: float, upload_time_s: float, num_clusters: int, slack_s: float = 0.0
) -> NDArray[np.float64]:
    r"""The K slots, one upload apart, the last one as late as the slowest client needs.

    .. math:: \theta_k = \tau_\text{max} + \Delta_\text{global} - (K - k)\,\tau_\text{com}

    Paper: eq:setting_theta, which meets eq:constraint2 with equality.

    Legend: θ_k slot time, τ_max `latest_compute_time_s`, τ_com `upload_time_s`,
    Δ_global `slack_s`, K `num_clusters`; all times in seconds. O(K).

    >>> slot_times(7.0, upload_time_s=1.5, num_clusters=4)
    array([2.5, 4. , 5.5, 7. ])
    """
    slots_to_wait = np.arange(num_clusters - 1, -1, -1, dtype=np.float64)
    slots_to_wait *= -upload_time_s
    slots_to_wait += latest_compute_time_s + slack_s
    return slots_to_wait


def rounding_allowance_s(latest_slot_s: float) -> float:
    """How far a slot may lie from its exact value because numbers are stored in binary.

    Three clients of 0.1 s a sample take 0.30000000000000004 s, and a slot that is
    meant to lie at 0.3 s may come out an ulp lower. A whole group of equal clients
    must not miss its slot for that, so times closer than this count as equal.
    """
    return _ROUNDING_ULPS * float(np.spacing(latest_slot_s))
