"""A plan as a page."""

from pipefl.plan import ClusterPlan, Gain, PlanCheck, check_plan
from pipefl.report.numbers import number, share
from pipefl.report.parts import Fact, Facts, Page, Section, Tile, Tiles
from pipefl.report.plan_parts import clusters_table, plan_figures


def plan_page(
    plan: ClusterPlan,
    gain: Gain,
    *,
    source: str,
    num_channels: int = 1,
    server_time_s: float = 0.0,
    missed_share: float | None = None,
) -> Page:
    """The gain, the plan's charts, its clusters and its settings.

    `source` says where the compute times come from.
    """
    check = check_plan(plan, num_channels)
    return Page(
        kind="PipeFL plan",
        title=f"{plan.num_clients:,} clients in {plan.num_clusters:,} clusters",
        lead=source,
        opening=[_tiles(gain, missed_share), *plan_figures(plan, num_channels, server_time_s)],
        sections=[
            Section("Clusters", [clusters_table(plan)]),
            Section("Settings", [_settings(plan, check, num_channels, server_time_s)]),
        ],
    )


def _tiles(gain: Gain, missed_share: float | None) -> Tiles:
    tiles = [
        Tile(
            f"{gain.clients_per_round:,}",
            f"clients a round; conventional {gain.conventional_clients_per_round:,}",
        ),
        Tile(
            f"{number(gain.round_s)} s",
            f"a round; conventional {number(gain.conventional_round_s)} s expected, "
            f"{number(gain.conventional_longest_round_s)} s at most",
        ),
        Tile(
            number(gain.clients_per_s),
            f"clients a second; conventional {number(gain.conventional_clients_per_s)}",
        ),
        Tile(
            share(gain.efficiency),
            f"spectral efficiency ε; conventional {share(gain.conventional_efficiency)}",
        ),
    ]
    if missed_share is not None:
        text = "of scheduled clients expected to miss their slot"
        tiles.append(Tile(share(missed_share, 2), text))
    return Tiles(tiles)


def _settings(
    plan: ClusterPlan, check: PlanCheck, num_channels: int, server_time_s: float
) -> Facts:
    ready = f"{'yes' if check.holds else 'no'}, the closest by {number(check.ready_margin_s)} s"
    return Facts([
        Fact("one upload (τ_com)", f"{plan.upload_time_s} s"),
        Fact("sub-channels (N)", f"{num_channels:,}"),
        Fact("clusters (K)", f"{plan.num_clusters:,}"),
        Fact("slack (Δ_global)", f"{plan.slack_s} s"),
        Fact("server (τ_server)", f"{server_time_s} s"),
        Fact("solver", plan.method),
        Fact("every client ready by its slot", ready),
        Fact("deviation of cluster sizes", f"{number(check.size_deviation)} clients"),
        Fact("clusters smaller than N", f"{len(check.clusters_below_channels)}"),
    ])  # fmt: skip
