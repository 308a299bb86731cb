"""What pages show of a plan: its charts and the table of its clusters."""

from functools import partial

import numpy as np

from pipefl.plan import ClusterPlan
from pipefl.report.parts import Figure, Table
from pipefl.report.plan_charts import is_drawable, plan_chart
from pipefl.report.theme import Mode

_MOST_ROWS = 200

_ORDER = ("round", "histogram", "hull", "efficiency")
_DESCRIPTIONS = {
    "round": "Timeline of one round: scheduled clients compute, wait and upload in the slots of "
    "their clusters; below, the sub-channels they use.",
    "hull": "The points of cluster number against clients ready by its slot, their lower convex "
    "hull, and the active constraints.",
    "histogram": "Histogram of the clients' compute times, coloured by cluster, with the slots.",
    "efficiency": "Spectral efficiency against the number of clusters.",
}


def plan_figures(
    plan: ClusterPlan,
    num_channels: int = 1,
    server_time_s: float = 0.0,
    names: tuple[str, ...] = _ORDER,
) -> list[Figure]:
    """The plan's charts of these names, but for a round of more clients than there are rows."""

    def draw(name: str, mode: Mode) -> object:
        return plan_chart(name, plan, num_channels, server_time_s, mode)

    return [
        Figure(name, _DESCRIPTIONS[name], partial(draw, name), wide=name in ("round", "histogram"))
        for name in names
        if name != "round" or is_drawable(plan, num_channels)
    ]


def clusters_table(plan: ClusterPlan) -> Table:
    """A row a cluster, numbered from 1; of very many the first 200."""
    shown = min(plan.num_clusters, _MOST_ROWS)
    left_out = plan.num_clusters - shown
    columns = (
        "cluster", "slot θ (s)", "clients", "fastest (s)", "slowest (s)", "ready by θ (π)",
        "relaxed size (δ)", "constraint",
    )  # fmt: skip
    return Table(
        columns,
        [_row(plan, k) for k in range(shown)],
        notes=[f"{left_out:,} more clusters are in the plan's JSON."] if left_out else [],
    )


def _row(plan: ClusterPlan, k: int) -> list[str]:
    return [
        f"{k + 1}",
        f"{plan.slot_time_s[k]:,.6g}",
        f"{plan.size[k]:,}",
        *("–" if np.isnan(each) else f"{each:,.6g}" for each in plan.compute_range_s[k]),
        f"{plan.capacity[k]:,}",
        f"{plan.relaxed_size[k]:,.6g}",
        "active" if plan.active[k] else "inactive",
    ]
