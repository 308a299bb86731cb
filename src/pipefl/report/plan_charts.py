"""The charts of one plan by name."""

from typing import Any

from pipefl.errors import ArgumentError
from pipefl.plan import ClusterPlan, max_clusters, sweep
from pipefl.plan.clustering import MOST_CLUSTERS
from pipefl.report.efficiency_chart import efficiency_chart
from pipefl.report.histogram_chart import histogram_chart
from pipefl.report.hull_chart import hull_chart
from pipefl.report.round_chart import round_chart
from pipefl.report.theme import Mode
from pipefl.timeline import simulate_round
from pipefl.timeline.typical import typical_cohort
from pipefl.wording import counted

_MOST_ROWS = 48

PLAN_CHARTS = ("round", "hull", "histogram", "efficiency")


def plan_chart(
    name: str,
    plan: ClusterPlan,
    num_channels: int = 1,
    server_time_s: float = 0.0,
    mode: Mode = "light",
) -> Any:
    """One of `round`, `hull`, `histogram` and `efficiency` for a plan."""
    match name:
        case "round":
            return _round(plan, num_channels, server_time_s, mode)
        case "hull":
            return hull_chart(plan.capacity, mode=mode)
        case "histogram":
            return histogram_chart(plan, mode=mode)
        case "efficiency":
            return _efficiency(plan, num_channels, server_time_s, mode)
    raise ArgumentError("chart", name, f"it must be one of {', '.join(PLAN_CHARTS)}")


def is_drawable(plan: ClusterPlan, num_channels: int) -> bool:
    """Whether a round of the plan has few enough clients to be drawn, a row each."""
    return plan.clients_per_round(num_channels) <= _MOST_ROWS


def _round(plan: ClusterPlan, num_channels: int, server_time_s: float, mode: Mode) -> Any:
    if not is_drawable(plan, num_channels):
        accepted = (
            f"it has a row a client and is drawn for up to {_MOST_ROWS}; "
            f"this round schedules {plan.clients_per_round(num_channels):,}"
        )
        raise ArgumentError("chart", "round", accepted)
    cohort = typical_cohort(plan, num_channels)
    turns = "take turns on" if plan.num_clusters > 1 else "on"
    title = (
        f"A round: {counted(plan.num_clusters, 'cluster')} {turns} "
        f"{counted(num_channels, 'sub-channel')}"
    )
    drawn = simulate_round(
        cohort,
        plan.compute_time_s,
        plan.upload_time_s,
        num_channels,
        plan=plan,
        server_time_s=server_time_s,
    )
    return round_chart(drawn, plan.slot_time_s.tolist(), title, mode)


def _efficiency(plan: ClusterPlan, num_channels: int, server_time_s: float, mode: Mode) -> Any:
    fitting = max_clusters(plan.compute_time_s, plan.upload_time_s, plan.slack_s)
    most = min(fitting, MOST_CLUSTERS)
    frame = sweep(
        plan.compute_time_s,
        plan.upload_time_s,
        num_clusters=sorted({1, plan.num_clusters, *range(most, 0, -max(1, most // 40))}),
        slack_s=plan.slack_s,
        num_channels=num_channels,
        server_time_s=server_time_s,
    )
    return efficiency_chart(frame, plan.num_clusters, mode=mode)
