"""Summaries of schedules in the terminal."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict

import numpy as np
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from pipefl.cli.tables import print_whole
from pipefl.policies.scene import Scene
from pipefl.policies.summary import Summary


def print_summary(summary: Summary, scene: Scene, source: str) -> None:
    """Print one schedule's figures, a line each."""
    console = Console(highlight=False)
    console.print(source, style="bold", markup=False, soft_wrap=True)
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    for name, value in _figures(summary, scene):
        table.add_row(name, value)
    print_whole(table)


def print_comparison(summaries: Sequence[Summary], left_out: Sequence[str], source: str) -> None:
    """Print a row a schedule, those first that serve most clients a second, and what has none."""
    console = Console(highlight=False)
    console.print(source, style="bold", markup=False, soft_wrap=True)
    table = Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), collapse_padding=True)
    table.add_column("schedule", no_wrap=True)
    for heading in ("per s", "used", "a step", "s/step", "stale", "Jain", "worst", "bias"):
        table.add_column(heading, justify="right", no_wrap=True)
    for summary in sorted(summaries, key=lambda summary: -summary.clients_per_s):
        table.add_row(
            summary.name,
            f"{summary.clients_per_s:.4g}",
            f"{summary.utilisation:.0%}",
            f"{summary.clients_per_step:.3g}",
            f"{summary.mean_step_s:.4g}",
            f"{summary.staleness:.3g}",
            f"{summary.fairness.jain:.2f}",
            f"{summary.fairness.worst_off:.2f}",
            f"{summary.fairness.bias:.2f}",
        )
    print_whole(table)
    for line in left_out:
        console.print(line, soft_wrap=True)


def summary_json(summary: Summary) -> str:
    """A summary as a JSON object; arrays become lists."""
    record = asdict(summary)
    for name, value in record.items():
        if isinstance(value, np.ndarray):
            record[name] = value.tolist()
    derived = {
        "mean_step_s": summary.mean_step_s,
        "clients_per_s": summary.clients_per_s,
        "clients_per_step": summary.clients_per_step,
    }
    return json.dumps(record | derived)


def _figures(summary: Summary, scene: Scene) -> Iterator[tuple[str, str]]:
    fair = summary.fairness
    shortest, longest = (
        (summary.duration_s.min(), summary.duration_s.max()) if summary.num_steps else (0.0, 0.0)
    )
    yield "schedule", summary.name
    yield "steps of the server", f"{summary.num_steps:,} in {summary.total_s:,.6g} s"
    yield (
        "a step",
        f"{summary.mean_step_s:.6g} s on average, {shortest:.6g} to {longest:.6g} s; "
        f"{summary.clients_per_step:.4g} client{'s' * (summary.clients_per_step != 1)}",
    )
    yield "clients served", f"{summary.num_served:,}, {summary.clients_per_s:.4g} a second"
    if summary.num_missed:
        scheduled = summary.num_served + summary.num_missed
        yield "missed their slot", f"{summary.num_missed:,}, {summary.num_missed / scheduled:.2%}"
    yield "sub-channels in use", f"{summary.utilisation:.2%} of the time of {scene.num_channels:,}"
    if summary.max_staleness:
        yield (
            "staleness",
            f"{summary.staleness:.4g} steps on average, at most {summary.max_staleness:,}",
        )
    yield (
        "participation",
        f"Jain {fair.jain:.4f}, worst-off {fair.worst_off:.0%} of the mean, never {fair.never:.1%}",
    )
    yield "bias of the average", f"{fair.bias:.4f}"
    if summary.energy_j is not None:
        per_client_j = summary.energy_j / max(1, summary.num_served + summary.num_missed)
        yield "energy", f"{summary.energy_j:,.4g} J, {per_client_j:.4g} J a scheduled client"
