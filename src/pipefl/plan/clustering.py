"""The planner's front door: from compute times to a plan."""

from numpy.typing import ArrayLike

from pipefl.checks import count, non_negative_seconds, positive_seconds
from pipefl.errors import ArgumentError
from pipefl.plan.bounds import least_slack_s, most_clusters, preferred_clusters, typed_slack_s
from pipefl.plan.cluster_plan import ClusterPlan
from pipefl.plan.cut import cut_sorted_clients
from pipefl.plan.plan_record import times_at
from pipefl.plan.solvers import Method, solver
from pipefl.plan.times import compute_times_and_sorted
from pipefl.wording import counted

MOST_CLUSTERS = 1_000_000


def plan_clusters(
    compute_time_s: ArrayLike,
    upload_time_s: float,
    *,
    num_clusters: int | None = None,
    slack_s: float = 0.0,
    method: Method = "isotonic",
) -> ClusterPlan:
    r"""Cut the clients into K clusters of nearly equal size that can transmit in turn.

    .. math:: \min_{\omega_1, \dots, \omega_{K-1}} \sum_{k=1}^{K}
        \Big( (\omega_k - \omega_{k-1}) - \frac{M}{K} \Big)^2
        \quad\text{subject to}\quad \mathcal{T}[\omega_k] \le \theta_k,\ \omega_K = M

    Paper: eq:main_optimization, solved as sec:clustering-solution does: slots θ
    (eq:setting_theta), capacities π (eq:pi), relaxed sizes δ (eq:main_optimization3),
    boundaries ω (rounded), clusters (eq:cluster_set).

    `compute_time_s` holds M finite times above 0 s, in any order; `upload_time_s` is
    one upload. `num_clusters` is K, from 1 to `max_clusters`; left out, it is
    `choose_num_clusters`. `slack_s` is Δ_global. `method` names the solver of the
    relaxed problem; all give the same plan.

    One sort and K binary searches: O(M log M + K log M).

    >>> plan = plan_clusters([1, 2, 3, 4, 5, 6, 7, 8], upload_time_s=2.0)
    >>> plan.num_clusters, plan.slot_time_s.tolist(), plan.size.tolist()
    (3, [4.0, 6.0, 8.0], [3, 2, 3])
    >>> plan.cluster_of.tolist()
    [0, 0, 0, 1, 1, 2, 2, 2]
    """
    solve = solver(method)
    times, sorted_s = compute_times_and_sorted(compute_time_s)
    upload = positive_seconds("upload_time_s", upload_time_s)
    slack = non_negative_seconds("slack_s", slack_s)
    extremes = float(sorted_s[0]), float(sorted_s[-1])
    clusters = _number_of_clusters(extremes, upload, slack, num_clusters)
    cut = cut_sorted_clients(sorted_s, upload, clusters, slack, solve)
    return ClusterPlan(
        compute_time_s=times,
        upload_time_s=upload,
        slack_s=slack,
        method=method,
        slot_time_s=cut.slot_time_s,
        capacity=cut.capacity,
        relaxed_size=cut.relaxed.relaxed_size,
        active=cut.relaxed.active,
        boundary=cut.boundary,
        boundary_time_s=times_at(sorted_s, cut.boundary),
    )


def _number_of_clusters(
    extremes_s: tuple[float, float], upload_time_s: float, slack_s: float, asked: int | None
) -> int:
    """K as asked for, if eq:techincal_K admits it, or by eq:choosing_K where `asked` is None."""
    if asked is None:
        clusters = preferred_clusters(*extremes_s, upload_time_s, slack_s)
        if clusters > MOST_CLUSTERS:
            accepted = (
                f"these times call for {clusters:,} clusters, more than {MOST_CLUSTERS:,}; "
                "give num_clusters or a longer upload"
            )
            raise ArgumentError("upload_time_s", upload_time_s, accepted)
        return clusters
    clusters = count("num_clusters", asked, maximum=MOST_CLUSTERS)
    most = most_clusters(*extremes_s, upload_time_s, slack_s)
    if clusters > most:
        least_s = least_slack_s(*extremes_s, upload_time_s, clusters)
        needed_s = typed_slack_s(least_s, extremes_s[1])
        accepted = (
            f"with these times at most {counted(most, 'cluster')} fit (eq:techincal_K); "
            f"slack_s={needed_s!r} would allow {clusters:,}"
        )
        raise ArgumentError("num_clusters", clusters, accepted)
    return clusters
