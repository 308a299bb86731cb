"""The special case of evenly spread compute times, in closed form."""

import numpy as np
from numpy.typing import NDArray

from pipefl.checks import count, non_negative_seconds, positive_seconds
from pipefl.errors import ArgumentError
from pipefl.plan.slots import slot_times


def evenly_spread_times(
    num_clients: int, earliest_s: float, latest_s: float
) -> NDArray[np.float64]:
    r"""M compute times at equal distances.

    .. math:: \mathcal{T}[i] = \tau_\text{min}
        + \frac{\tau_\text{max} - \tau_\text{min}}{M - 1} (i - 1)

    Paper: eq. (15), the uniform example in sec:clustering. Legend: M `num_clients`, τ_min
    `earliest_s`, τ_max `latest_s`.

    >>> evenly_spread_times(4, 10, 70)
    array([10., 30., 50., 70.])
    """
    clients = count("num_clients", num_clients)
    earliest = positive_seconds("earliest_s", earliest_s)
    latest = positive_seconds("latest_s", latest_s)
    if latest < earliest:
        raise ArgumentError("latest_s", latest, f"it must be at least earliest_s, {earliest!r}")
    return np.linspace(earliest, latest, clients)


def uniform_capacity_share(
    earliest_s: float, latest_s: float, slot_time_s: NDArray[np.float64]
) -> NDArray[np.float64]:
    r"""The share of many evenly spread clients that is ready by each slot.

    .. math:: \frac{\pi_k}{M} \to \min\Big(1, \max\Big(0,
        \frac{\theta_k - \tau_\text{min}}{\tau_\text{max} - \tau_\text{min}}\Big)\Big)

    Paper: eq:pi for the uniform example, as M grows. O(K).

    >>> uniform_capacity_share(10, 70, np.array([10.0, 25.0, 40.0, 55.0, 70.0]))
    array([0.  , 0.25, 0.5 , 0.75, 1.  ])
    """
    if latest_s == earliest_s:
        return (slot_time_s >= earliest_s).astype(np.float64)
    return np.clip((slot_time_s - earliest_s) / (latest_s - earliest_s), 0.0, 1.0)


def uniform_relaxed_share(
    earliest_s: float,
    latest_s: float,
    upload_time_s: float,
    num_clusters: int,
    slack_s: float = 0.0,
) -> NDArray[np.float64]:
    r"""The optimal share of the clients in each cluster, for many evenly spread clients.

    .. math:: \frac{\delta_1}{M} = \min\Big(\frac1K, \frac{\pi_1}{M}\Big), \qquad
        \frac{\delta_k}{M} = \frac{1 - \delta_1/M}{K - 1} \quad (k \ge 2)

    The shares ready by θ_1, …, θ_K rise by equal steps until all are ready: from
    k = 1 on they are concave, so no hull vertex can lie strictly between 1 and K, and
    only the first constraint may bind. It does not for any K that eq:choosing_K admits:
    then all clusters are equal.

    Paper: eq:main_optimization3 for the uniform example of sec:clustering. O(K).

    >>> uniform_relaxed_share(10, 70, upload_time_s=15, num_clusters=4)
    array([0.25, 0.25, 0.25, 0.25])
    >>> uniform_relaxed_share(10, 70, upload_time_s=15, num_clusters=5)
    array([0.  , 0.25, 0.25, 0.25, 0.25])
    """
    clusters = count("num_clusters", num_clusters)
    upload = positive_seconds("upload_time_s", upload_time_s)
    slack = non_negative_seconds("slack_s", slack_s)
    first_slot = slot_times(latest_s, upload, clusters, slack)[:1]
    first = min(1 / clusters, float(uniform_capacity_share(earliest_s, latest_s, first_slot)[0]))
    rest = (1 - first) / max(1, clusters - 1)
    return np.array([first] + [rest] * (clusters - 1))
