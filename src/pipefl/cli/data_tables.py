"""Datasets in the terminal."""

from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from pipefl.data.entry import DatasetEntry
from pipefl.data.federated import FederatedDataset
from pipefl.data.licences import LICENCES
from pipefl.data.presence import (
    can_be_fetched,
    missing_parts,
    missing_text,
    part_files,
)


def print_datasets(entries: Iterable[DatasetEntry], folder: Path) -> None:
    """Print a row a dataset."""
    console = Console(highlight=False)
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("dataset", no_wrap=True)
    table.add_column("kind", no_wrap=True)
    table.add_column("here", no_wrap=True)
    table.add_column("what it is")
    for entry in entries:
        table.add_row(entry.name, entry.kind, _whether_here(entry, folder), entry.about)
    console.print(table)
    console.print(f"Files are kept in {folder}", markup=False, soft_wrap=True)
    console.print("`pipefl data get NAME` gets those that are missing.", markup=False)


def print_missing(entry: DatasetEntry, folder: Path) -> None:
    """Print what can be said of a dataset whose files are not here."""
    figures = [("kind", entry.kind), ("licence", LICENCES[entry.name])]
    figures += [("missing", text) for text in _missing(entry, folder)]
    figures += [("here", text) for text in _found(entry, folder)]
    _print_figures(f"{entry.name}: {entry.about}", figures)


def print_dataset(entry: DatasetEntry, dataset: FederatedDataset, folder: Path) -> None:
    """Print what is in a dataset, a figure a line."""
    _print_figures(f"{entry.name}: {dataset.source}", _figures(entry, dataset, folder))


def _figures(
    entry: DatasetEntry, dataset: FederatedDataset, folder: Path
) -> Iterator[tuple[str, str]]:
    sizes = dataset.num_samples
    samples = "images" if dataset.kind == "images" else "sequences"
    yield "kind", dataset.kind
    yield "clients", f"{dataset.num_clients:,}"
    yield f"training {samples}", f"{len(dataset.train):,}"
    yield f"test {samples}", f"{len(dataset.test):,}"
    yield (
        "a client's size",
        f"{sizes.min():,} to {sizes.max():,}, median {np.median(sizes):,g}, {sizes.sum():,} in all",
    )
    yield "classes", f"{dataset.num_classes:,}"
    yield from dataset.notes.items()
    for text in _found(entry, folder) or ["in the package"]:
        yield "files", text
    yield "licence", LICENCES[entry.name]


def _print_figures(title: str, figures: Iterable[tuple[str, str]]) -> None:
    console = Console(highlight=False, markup=False)
    console.print(title, style="bold", soft_wrap=True)
    rows = list(figures)
    width = max(len(name) for name, _ in rows)
    for name, value in rows:  # no table: it would break paths and addresses, which are copied
        console.print(f"{name:<{width}}  {value}", soft_wrap=True)


def _whether_here(entry: DatasetEntry, folder: Path) -> str:
    if not missing_parts(entry.parts, folder):
        return "yes"
    return "no" if all(can_be_fetched(part) for part in entry.parts) else "no, by hand"


def _missing(entry: DatasetEntry, folder: Path) -> list[str]:
    return [missing_text(entry.name, part, folder) for part in missing_parts(entry.parts, folder)]


def _found(entry: DatasetEntry, folder: Path) -> list[str]:
    missing = missing_parts(entry.parts, folder)
    return [
        str(path)
        for part in entry.parts
        if part not in missing
        for path in part_files(entry.name, part, folder)
    ]
