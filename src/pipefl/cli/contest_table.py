"""Finished runs side by side: what each took to its target, in rounds and in seconds."""

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from pipefl.report.durations import in_words
from pipefl.runs.directory import RunDirectory
from pipefl.runs.history import first_at_target
from pipefl.runs.records import read_records


def print_contest(paths: Sequence[Path]) -> None:
    """One row a run; the last column compares seconds with the first run's."""
    table = Table(box=None, pad_edge=False, padding=(0, 2))
    for name in ("run", "target", "rounds", "simulated time", "against the first"):
        table.add_column(name, justify="left" if name == "run" else "right")
    first_s: float | None = None
    for path in paths:
        config = RunDirectory(path).config()
        target = config.target_accuracy
        records = read_records(RunDirectory(path).rounds_path)
        found = None if target is None else first_at_target(records, target)
        wanted = "" if target is None else f"{100 * target:.4g} %"
        if found is None:
            table.add_row(config.name, wanted, f"not in {len(records):,}", "", "")
            continue
        first_s = found.clock_s if first_s is None else first_s
        ratio = f"{found.clock_s / first_s:.2f}×"
        table.add_row(config.name, wanted, f"{found.round:,}", in_words(found.clock_s), ratio)
    Console().print(table)
