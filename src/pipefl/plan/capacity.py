"""How many clients can be ready by each slot."""

import numpy as np
from numpy.typing import NDArray

from pipefl.plan.slots import rounding_allowance_s


def ready_by_slot(
    sorted_time_s: NDArray[np.float64], slot_time_s: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    r"""The capacities π_k, and the slots with their rounding error taken out.

    .. math:: \pi_k = |\{m : \tau_m \le \theta_k\}|
        = \max S_m \ \text{subject to}\ \mathcal{T}[S_m] \le \theta_k

    Paper: eq:pi.

    A client whose compute time exceeds θ_k by no more than `rounding_allowance_s` is
    ready, and θ_k is then moved up to that time: in what is returned π_k counts
    exactly the times at or below θ_k.

    Legend: 𝒯 `sorted_time_s` (M ascending values), θ_k `slot_time_s` (K ascending
    values); all in seconds. O(K log M).

    >>> capacity, slots = ready_by_slot(np.array([1.0, 2.0, 4.0]), np.array([0.5, 2.0, 4.0]))
    >>> capacity
    array([0, 2, 3])
    """
    lenient_s = slot_time_s + rounding_allowance_s(float(slot_time_s[-1]))
    capacity = np.searchsorted(sorted_time_s, lenient_s, side="right").astype(np.int64)
    last_ready_s = np.where(capacity > 0, sorted_time_s[capacity - 1], slot_time_s)
    return capacity, np.maximum(slot_time_s, last_ready_s)
