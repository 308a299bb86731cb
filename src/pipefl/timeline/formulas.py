"""The paper's closed forms for durations and efficiencies over several rounds."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike


def conventional_round_s(
    sampled_time_s: ArrayLike, upload_time_s: float, server_time_s: float = 0.0
) -> float:
    r"""The duration of a conventional round.

    .. math:: \tau_\text{global}[t] = \tau_\text{server}
        + \max_{m \in \mathcal{S}[t]} \tau_m + \tau_\text{com}

    Paper: eq:time_one_iteration. Legend: τ_m `sampled_time_s` of the N clients sampled,
    τ_com `upload_time_s`, τ_server `server_time_s`; all in seconds.

    >>> conventional_round_s([3.0, 5.0], upload_time_s=2.0, server_time_s=0.5)
    7.5
    """
    return server_time_s + float(np.max(sampled_time_s)) + upload_time_s


def total_time_s(
    slowest_time_s: Sequence[float], upload_time_s: float, server_time_s: float = 0.0
) -> float:
    r"""The duration of T conventional rounds.

    .. math:: \tau_\text{total} = T (\tau_\text{server} + \tau_\text{com})
        + \sum_{t=1}^{T} \max_{m \in \mathcal{S}[t]} \tau_m

    Paper: eq. (7), τ_total of sec:pfl. Legend: `slowest_time_s` holds the maximum of each round.

    >>> total_time_s([5.0, 4.0], upload_time_s=2.0, server_time_s=0.5)
    14.0
    """
    return len(slowest_time_s) * (server_time_s + upload_time_s) + float(sum(slowest_time_s))


def measured_efficiency(
    total_s: float, num_rounds: int, upload_time_s: float, num_clusters: int = 1
) -> float:
    r"""The share of the time in which a sub-channel carries an update, over T rounds.

    .. math:: \epsilon = \frac{T\,\tau_\text{com}}{\tau_\text{total}}, \qquad
        \epsilon_\text{PFL} = \frac{T K\,\tau_\text{com}}{\tau_\text{total}}

    Paper: eq. (8), ε (`num_clusters=1`), and eq. (9), ε_PFL, of sec:pfl, before their
    approximations.

    >>> measured_efficiency(14.0, num_rounds=2, upload_time_s=2.0)
    0.2857142857142857
    """
    return num_rounds * num_clusters * upload_time_s / total_s
