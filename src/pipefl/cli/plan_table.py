"""A plan as tables in the terminal."""

from collections.abc import Iterator

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from pipefl.cli.planning import Planned
from pipefl.cli.tables import print_whole
from pipefl.plan import Gain
from pipefl.wording import counted

_MOST_ROWS, _LAST_ROWS = 24, 4


def print_plan(planned: Planned) -> None:
    """Print the clusters, the gain and what a reader should know of them."""
    console = Console(highlight=False)
    plan = planned.plan
    console.print(planned.population.source, style="bold", markup=False, soft_wrap=True)
    console.print(
        f"{counted(plan.num_clients, 'client')}, computing {plan.compute_time_s.min():.6g} to "
        f"{plan.compute_time_s.max():.6g} s · upload {plan.upload_time_s:g} s · "
        f"{counted(planned.num_channels, 'sub-channel')}"
        + (f" · slack {plan.slack_s:g} s" if plan.slack_s else ""),
        soft_wrap=True,
    )
    print_whole(_cluster_table(planned))
    print_whole(_gain_table(planned.gain))
    for note in _notes(planned):
        console.print(f"• {note}", soft_wrap=True)


def _cluster_table(planned: Planned) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    headings = ("cluster", "slot θ (s)", "clients", "computing (s)", "ready by θ", "active")
    for heading in headings:
        table.add_column(heading, justify="right")
    plan = planned.plan
    shown = _shown_clusters(plan.num_clusters)
    for k in shown:
        if k is None:
            hidden = plan.num_clusters - len(shown) + 1
            table.add_row("…", f"{hidden:,} more,", "all in", "--json", "", "")
            continue
        fastest, slowest = plan.compute_range_s[k]
        table.add_row(
            f"{k + 1:,}",
            f"{plan.slot_time_s[k]:.6g}",
            f"{plan.size[k]:,}",
            f"{fastest:.6g} – {slowest:.6g}" if plan.size[k] else "–",
            f"{plan.capacity[k]:,}",
            "yes" if plan.active[k] else "no",
        )
    return table


def _shown_clusters(num_clusters: int) -> list[int | None]:
    if num_clusters <= _MOST_ROWS:
        return list(range(num_clusters))
    first: list[int | None] = list(range(_MOST_ROWS - _LAST_ROWS))
    return [*first, None, *range(num_clusters - _LAST_ROWS, num_clusters)]


def _gain_table(gain: Gain) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for heading in ("a round", "pipelined", "conventional", "ratio"):
        table.add_column(heading, justify="left" if heading == "a round" else "right")
    rows: tuple[tuple[str, float, float], ...] = (
        ("clients served", gain.clients_per_round, gain.conventional_clients_per_round),
        ("longest (s)", gain.round_s, gain.conventional_longest_round_s),
        ("expected (s)", gain.round_s, gain.conventional_round_s),
        ("clients served a second", gain.clients_per_s, gain.conventional_clients_per_s),
        ("spectral efficiency ε", gain.efficiency, gain.conventional_efficiency),
    )
    for name, pipelined, conventional in rows:
        ratio = f"{pipelined / conventional:.3g}×"
        table.add_row(name, f"{pipelined:,.4g}", f"{conventional:,.4g}", ratio)
    return table


def _notes(planned: Planned) -> Iterator[str]:
    plan, channels = planned.plan, planned.num_channels
    empty = int((plan.size == 0).sum())
    small = int((plan.size < channels).sum()) - empty
    if empty:
        idle = "is empty: its slot idles" if empty == 1 else "are empty: their slots idle"
        yield f"{counted(empty, 'cluster')} {idle}."
    if small:
        verb = "has" if small == 1 else "have"
        few = counted(channels, "client")
        yield f"{counted(small, 'cluster')} {verb} fewer than {few}; a round takes all of them."
    missed = planned.expected_missed_share
    if missed is not None and planned.robust is not None:
        yield (
            f"Planned with the {planned.robust.quantile:g}-quantile of every client's time: "
            f"{missed:.2%} of the scheduled clients are expected to miss their slot."
        )
    if planned.gain.clients_per_s < planned.gain.conventional_clients_per_s:
        yield "Conventional rounds, short when their clients are fast, serve more clients a second."
