"""Plans for compute times that vary from round to round."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pipefl.checks import count, number
from pipefl.plan.cluster_plan import ClusterPlan
from pipefl.plan.clustering import plan_clusters
from pipefl.plan.solvers import Method
from pipefl.plan.uncertain import UncertainTimes, checked_uncertain


@dataclass(frozen=True, eq=False)
class RobustPlan:
    """A plan for the q-quantile of every client's time, and what that risks.

    `missed_share[k]` is the expected share of cluster k's clients that are not ready
    by θ_k in a round; it is 0 for an empty cluster.
    """

    plan: ClusterPlan
    quantile: float
    missed_share: NDArray[np.float64]

    def expected_missed_share(self, num_channels: int = 1) -> float:
        """The share of a round's scheduled clients expected to miss their slot.

        A round takes N clients of each cluster, or all of a smaller one.
        """
        channels = count("num_channels", num_channels)
        return float(np.average(self.missed_share, weights=np.minimum(self.plan.size, channels)))


def plan_robust(
    times: UncertainTimes,
    upload_time_s: float,
    *,
    quantile: float = 0.9,
    num_clusters: int | None = None,
    slack_s: float = 0.0,
    method: Method = "isotonic",
) -> RobustPlan:
    r"""Plan with the time that each client keeps in a share q of the rounds.

    .. math:: \tau_m^{(q)} = \inf\{t : P(\tau_m \le t) \ge q\}, \qquad
        \text{missed share of } \mathcal{C}_k = \frac{1}{M_k} \sum_{m \in \mathcal{C}_k}
        P(\tau_m > \theta_k) \le 1 - q

    A client misses its slot less often than 1 − q where its slot lies later than its
    quantile. Legend: q `quantile`, the rest as in `plan_clusters`.

    >>> from pipefl.plan.uncertain import times_from_samples
    >>> robust = plan_robust(times_from_samples([[1, 2], [3, 4], [5, 9]]), 3.0, quantile=0.5)
    >>> robust.plan.compute_time_s, robust.missed_share
    (array([1., 3., 5.]), array([0.16666667]))
    """
    accepted = "it must lie between 0 and 1, such as 0.9"
    share = number("quantile", quantile, accepted, lambda q: 0 < q < 1)
    plan = plan_clusters(
        checked_uncertain(times).quantile_s(share),
        upload_time_s,
        num_clusters=num_clusters,
        slack_s=slack_s,
        method=method,
    )
    return RobustPlan(plan, share, missed_shares(plan, times))


def missed_shares(
    plan: ClusterPlan, times: UncertainTimes, forgiven_s: float = 0.0
) -> NDArray[np.float64]:
    """The expected share of each cluster's clients that miss θ_k by more than is forgiven.

    >>> from pipefl.plan.uncertain import times_from_samples
    >>> plan = plan_clusters([1.0, 2.0], upload_time_s=4.0)
    >>> missed_shares(plan, times_from_samples([[1.0, 3.0], [2.0, 2.5]]), forgiven_s=0.75)
    array([0.25])
    """
    chance = times.chance_above(plan.slot_time_s[plan.cluster_of] + forgiven_s)
    missing = np.bincount(plan.cluster_of, weights=chance, minlength=plan.num_clusters)
    return np.asarray(missing / np.maximum(plan.size, 1), dtype=np.float64)
