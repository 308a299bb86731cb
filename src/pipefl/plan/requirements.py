"""What the paper demands of a clustering, and what it would like."""

import math
from dataclasses import dataclass

import numpy as np

from pipefl.checks import count
from pipefl.plan.cluster_plan import ClusterPlan
from pipefl.plan.slots import rounding_allowance_s


@dataclass(frozen=True)
class PlanCheck:
    """The two constraints as margins in seconds, the two wishes as figures.

    `ready_margin_s` is the least time that any client is ready before its slot
    (eq:constraint1) and `spacing_margin_s` the least that two slots lie further
    apart than one upload (eq:constraint2); below 0 the constraint is broken.
    `size_deviation` is the standard deviation of the cluster sizes in clients
    (eq:requirement, 0 is best) and `clusters_below_channels` the 0-based clusters with
    fewer clients than sub-channels (eq:requirement2, none is best).
    """

    ready_margin_s: float
    spacing_margin_s: float
    size_deviation: float
    clusters_below_channels: tuple[int, ...]
    allowance_s: float

    @property
    def holds(self) -> bool:
        """Whether both constraints hold to within the rounding of binary numbers."""
        return min(self.ready_margin_s, self.spacing_margin_s) >= -self.allowance_s


def check_plan(plan: ClusterPlan, num_channels: int = 1) -> PlanCheck:
    r"""Check a plan against sec:clustering, from its own numbers alone.

    .. math:: \tau_m \le \theta_k \ (m \in \mathcal{C}_k), \qquad
        \theta_k - \theta_{k-1} \ge \tau_\text{com}, \qquad
        |\mathcal{C}_k| \approx \frac{M}{K}, \qquad |\mathcal{C}_k| \ge N

    Paper: eq:constraint1, eq:constraint2, eq:requirement, eq:requirement2. O(M log K).

    >>> from pipefl.plan.clustering import plan_clusters
    >>> check = check_plan(plan_clusters([1, 2, 3, 4], upload_time_s=1.0), num_channels=2)
    >>> check.holds, check.ready_margin_s, check.clusters_below_channels
    (True, 0.0, (0, 2))
    """
    channels = count("num_channels", num_channels)
    margins_s = plan.slot_time_s[plan.cluster_of] - plan.compute_time_s
    spacings_s = np.diff(plan.slot_time_s) - plan.upload_time_s
    return PlanCheck(
        ready_margin_s=float(margins_s.min()),
        spacing_margin_s=float(spacings_s.min(initial=math.inf)),
        size_deviation=float(plan.size.std()),
        clusters_below_channels=tuple(np.flatnonzero(plan.size < channels).tolist()),
        allowance_s=2 * rounding_allowance_s(float(plan.slot_time_s[-1])),
    )
