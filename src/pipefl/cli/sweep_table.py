"""A sweep as a table in the terminal."""

import polars as pl
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from pipefl.cli.tables import print_whole

_COLUMNS = {
    "upload_time_s": "upload s",
    "slack_s": "slack s",
    "num_clusters": "K",
    "num_channels": "N",
    "clients": "a cluster",
    "size_deviation": "spread",
    "clients_per_round": "a round",
    "round_s": "round s",
    "clients_per_s": "per s",
    "efficiency": "ε",
    "channels_saved": "saved",
}
_SETTINGS = ("upload_time_s", "slack_s", "num_channels")


def print_sweep(frame: pl.DataFrame, source: str) -> None:
    """Print a row for every choice; a choice that eq:techincal_K forbids says so."""
    console = Console(highlight=False)
    console.print(source, style="bold", markup=False, soft_wrap=True)
    varying = _varying(frame)
    fixed = [name for name in _SETTINGS if name not in varying]
    if fixed and frame.height:
        settings = (f"{_COLUMNS[name]} {frame[name][0]:g}" for name in fixed)
        console.print(" · ".join(settings), soft_wrap=True)
    table = Table(box=SIMPLE_HEAD, pad_edge=False, collapse_padding=True, padding=(0, 1, 0, 0))
    for name in varying:
        table.add_column(_COLUMNS[name], justify="right", no_wrap=True)
    for row in frame.iter_rows(named=True):
        table.add_row(*(_cell(row, name) for name in varying))
    if frame.height:
        print_whole(table)
    else:
        console.print("No choice fits (eq:techincal_K); more slack or fewer clusters would.")
    if not frame["feasible"].all():
        console.print(
            "– : so many clusters do not fit (eq:techincal_K); more slack would allow them.",
            soft_wrap=True,
        )


def _varying(frame: pl.DataFrame) -> list[str]:
    """The columns to print: a setting that has one value throughout stands above the table."""
    return [name for name in _COLUMNS if name not in _SETTINGS or frame[name].n_unique() > 1]


def _cell(row: dict[str, float | None], name: str) -> str:
    if name == "clients":
        if row["smallest"] is None:
            return "–"
        same = row["smallest"] == row["largest"]
        return f"{row['smallest']:,}" if same else f"{row['smallest']:,} – {row['largest']:,}"
    value = row[name]
    if value is None:
        return "–"
    return f"{value:,}" if isinstance(value, int) else f"{value:,.4g}"
