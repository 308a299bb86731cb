"""Runs in the terminal, a row each."""

from collections.abc import Sequence
from pathlib import Path

from rich.box import SIMPLE_HEAD
from rich.table import Table

from pipefl.cli.tables import print_whole
from pipefl.report.durations import in_words
from pipefl.runs.listing import RunEntry

_TEXTS = ("run", "model", "dataset", "schedule", "state")
_COLUMNS = (
    "run", "model", "dataset", "schedule", "K", "N", "rate", "seed", "state", "rounds", "target",
    "to target", "simulated", "best",
)  # fmt: skip


def print_runs(entries: Sequence[RunEntry], num_all: int, folder: Path) -> None:
    """The table, or that there is nothing for it."""
    if not entries:
        print(f"none of the {num_all:,} runs in {folder} is so" if num_all else _nothing(folder))
        return
    table = Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), collapse_padding=True)
    for name in _COLUMNS:
        table.add_column(name, justify="left" if name in _TEXTS else "right", no_wrap=True)
    for entry in entries:
        table.add_row(*_row(entry))
    print_whole(table)


def _nothing(folder: Path) -> str:
    return f"there are no runs in {folder}; `pipefl run demo` makes two"


def _row(entry: RunEntry) -> list[str]:
    config = entry.config
    target, rounds = config.target_accuracy, entry.rounds_to_target
    seconds = entry.clock_s if entry.seconds_to_target is None else entry.seconds_to_target
    return [
        entry.name,
        config.model,
        config.dataset,
        entry.schedule,
        "" if entry.num_clusters is None else str(entry.num_clusters),
        str(config.num_channels),
        f"{config.learning_rate:.6g}",
        str(config.seed),
        entry.state,
        f"{entry.num_rounds:,}",
        "" if target is None else f"{100 * target:.4g} %",
        "" if rounds is None else f"{rounds:,}",
        in_words(seconds),
        "" if entry.best_accuracy is None else f"{entry.best_accuracy:.4f}",
    ]
