"""Later places in the uplink for clients that miss their slot."""

import numpy as np

from pipefl.plan import ClusterPlan
from pipefl.timeline.round import Round

_PART = 1e-9  # of an upload: two that touch do not overlap


def later_places(planned: Round, plan: ClusterPlan) -> tuple[list[list[float]], float]:
    r"""For each client of a round times after its slot that nobody else has, and their period.

    .. math:: \theta_K + \Big(1 + \Big\lfloor \frac{i}{N} \Big\rfloor\Big) \tau_\text{com},
        \qquad \Big\lceil \frac{n}{N} \Big\rceil \tau_\text{com}

    A server cannot know beforehand who will be late, nor can a late client know who else is. So
    each has places of its own: what the slots have left over is dealt out, first to the
    clients of early clusters, and after the last planned upload, which ends at θ_K + τ_com
    unless a cluster has more than N clients, the n clients take turns, N at a time.

    >>> from pipefl.plan import plan_clusters
    >>> from pipefl.timeline import simulate_round
    >>> plan = plan_clusters([1.0, 2.0, 3.0, 4.0], 1.0, num_clusters=2)
    >>> round_ = simulate_round([0, 3], plan.compute_time_s, 1.0, num_channels=2, plan=plan)
    >>> later_places(round_, plan)
    ([[4.0, 5.0], [5.0]], 1.0)
    """
    channels, num_clients = planned.num_channels, planned.client.size
    slots_s, width_s = plan.slot_time_s.tolist(), plan.upload_time_s
    left = [channels - _uploads_at(planned, slot_s, width_s) for slot_s in slots_s]
    places: list[list[float]] = [[] for _ in range(num_clients)]
    for i in np.argsort(planned.cluster, kind="stable").tolist():
        later = [k for k in range(len(slots_s)) if k > planned.cluster[i] and left[k] > 0]
        if later:
            left[later[0]] -= 1
            places[i].append(slots_s[later[0]])
    end_s = max(slots_s[-1] + width_s, planned.duration_s - planned.server_time_s)
    for i in range(num_clients):
        places[i].append(end_s + i // channels * width_s)
    return places, -(-num_clients // channels) * width_s


def _uploads_at(planned: Round, slot_s: float, width_s: float) -> int:
    """How many uploads of the plan fall into a slot, if only in part."""
    within_s = width_s * _PART
    is_before = planned.upload_start_s < slot_s + width_s - within_s
    return int((is_before & (planned.upload_end_s > slot_s + within_s)).sum())
