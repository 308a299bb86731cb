"""What a plan is compared with: N random clients a round, all waited for."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pipefl.checks import count, non_negative_seconds
from pipefl.plan.cluster_plan import ClusterPlan
from pipefl.plan.efficiency import conventional_efficiency


@dataclass(frozen=True)
class Gain:
    """A plan beside conventional scheduling over the same sub-channels.

    `conventional_round_s` is the expected duration of a conventional round, which is
    only as long as its slowest sampled client; `conventional_longest_round_s` is the
    duration if that client is the slowest of all, which the paper compares with.
    The efficiencies are the paper's ε.
    """

    clients_per_round: int
    conventional_clients_per_round: int
    round_s: float
    conventional_round_s: float
    conventional_longest_round_s: float
    efficiency: float
    conventional_efficiency: float

    @property
    def clients_per_s(self) -> float:
        """Clients served in a second of pipelined rounds."""
        return self.clients_per_round / self.round_s

    @property
    def conventional_clients_per_s(self) -> float:
        """Clients served in a second of conventional rounds."""
        return self.conventional_clients_per_round / self.conventional_round_s


def gain_over_conventional(
    plan: ClusterPlan, num_channels: int = 1, server_time_s: float = 0.0
) -> Gain:
    """Compare a plan with conventional scheduling at equal sub-channels. O(M log M).

    >>> from pipefl.plan.clustering import plan_clusters
    >>> gain = gain_over_conventional(plan_clusters([1, 2, 3, 4], upload_time_s=1.0))
    >>> gain.clients_per_round, gain.round_s, gain.conventional_round_s
    (3, 5.0, 3.5)
    """
    channels = count("num_channels", num_channels)
    server_s = non_negative_seconds("server_time_s", server_time_s)
    sampled = min(channels, plan.num_clients)
    overhead_s = plan.upload_time_s + server_s
    latest_s = float(plan.boundary_time_s[-1])
    return Gain(
        clients_per_round=plan.clients_per_round(channels),
        conventional_clients_per_round=sampled,
        round_s=plan.round_duration_s(server_s),
        conventional_round_s=expected_slowest_s(np.sort(plan.compute_time_s), sampled) + overhead_s,
        conventional_longest_round_s=latest_s + overhead_s,
        efficiency=plan.efficiency(server_s),
        conventional_efficiency=conventional_efficiency(latest_s, plan.upload_time_s, server_s),
    )


def expected_slowest_s(sorted_time_s: NDArray[np.float64], num_sampled: int) -> float:
    r"""The expected largest compute time among N clients drawn without replacement.

    .. math:: \mathrm{E}\Big[\max_{m \in \mathcal{S}} \tau_m\Big]
        = \sum_{i=N}^{M} \mathcal{T}[i]\,\binom{i-1}{N-1} \Big/ \binom{M}{N}

    The stochastic part of eq:time_one_iteration in conventional rounds. Legend: 𝒯
    `sorted_time_s` (M ascending values), N `num_sampled` ≤ M. O(M).

    >>> expected_slowest_s(np.array([1.0, 2.0, 3.0]), num_sampled=2)  # 2, 3 and 3
    2.6666666666666665
    """
    num_clients = sorted_time_s.size
    below = np.arange(num_clients - 1, num_sampled - 1, -1)  # i − 1, from the slowest down
    ratios = (below - num_sampled + 1) / below
    share = num_sampled / num_clients * np.cumprod(np.append(1.0, ratios))
    return float(np.dot(share, sorted_time_s[::-1][: share.size]))
