"""A cohort to show, not to train with."""

import numpy as np
from numpy.typing import NDArray

from pipefl.plan.cluster_plan import ClusterPlan


def typical_cohort(plan: ClusterPlan, num_channels: int = 1) -> NDArray[np.intp]:
    """N clients of each cluster, evenly spread over its compute times; not a random draw.

    >>> from pipefl.plan.clustering import plan_clusters
    >>> typical_cohort(plan_clusters([1.0, 2.0, 3.0, 4.0], 1.0, num_clusters=2))
    array([1, 3])
    """
    order = np.lexsort((np.arange(plan.num_clients), plan.compute_time_s))
    chosen = []
    for end, size in zip(plan.boundary.tolist(), plan.size.tolist(), strict=True):
        taken = min(num_channels, size)
        within = (np.arange(taken) + 0.5) * size / max(1, taken)
        chosen.append(order[end - size + within.astype(np.intp)])
    return np.concatenate(chosen)
