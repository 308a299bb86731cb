"""The paper's four tables as sweeps: its 16 cells, the baselines that it lacks, and `rolling`."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from pipefl.data.catalogue import DATASETS
from pipefl.data.folder import data_folder
from pipefl.data.presence import missing_parts, part_files
from pipefl.errors import ArgumentError
from pipefl.policies.paper_points import PAPER_NUM_CHANNELS, PAPER_NUM_CLUSTERS
from pipefl.recipes import paper
from pipefl.runs.config import DataConfig, RunConfig
from pipefl.settings import nearest
from pipefl.sweeps.cells import UPLINK_CLUSTERS, paper_cell, rolling_cell, uniform_cell
from pipefl.sweeps.config import CellConfig, SweepConfig

_MOST_ROUNDS = 3000  # several times what any cell of the paper needs


@dataclass(frozen=True)
class TableRecipe:
    """A table of the paper on a dataset: `paper` names the numbers beside which ours stand.

    `rates` is the multiplicative grid of learning rates to begin with.
    """

    title: str
    paper: str
    make: Callable[[int, int], RunConfig]
    rates: tuple[float, ...]


TABLES: Mapping[str, TableRecipe] = {
    "table1": TableRecipe(
        "Table I: the CNN on MNIST to 97 %", "mnist-cnn", paper.mnist_cnn, (0.1, 0.2)
    ),
    "table2": TableRecipe(
        "Table II: the MLP on MNIST to 96 %", "mnist-mlp", paper.mnist_mlp, (0.2, 0.4)
    ),
    "table3": TableRecipe(
        "Table III: the CNN on federated EMNIST's digits to 97 %",
        "emnist-cnn",
        paper.emnist_cnn,
        (0.1, 0.2),
    ),
    "table3-writers": TableRecipe(
        "As table III, on MNIST's images by their real NIST writers",
        "emnist-cnn",
        paper.nist_writers_cnn,
        (0.1, 0.2),
    ),
    "table3-sizes": TableRecipe(
        "As table III, on a stand-in with the real sizes and labels of all NIST writers",
        "emnist-cnn",
        paper.nist_sizes_cnn,
        (0.1, 0.2),
    ),
    "table4": TableRecipe(
        "Table IV: the LSTM on Shakespeare's plays to 40 %",
        "shakespeare-lstm",
        paper.shakespeare_lstm,
        (1.0, 2.0),
    ),
}


def table_recipe(name: str) -> TableRecipe:
    """The table of that name."""
    if name not in TABLES:
        accepted = f"{nearest(name, TABLES)}the tables are {', '.join(TABLES)}"
        raise ArgumentError("table", name, accepted)
    return TABLES[name]


def tables_of(name: str) -> tuple[str, ...]:
    """The tables to run for this name: what stands in for table III if its data are not here.

    A table whose data are missing is complained of: which files, and where they are from.
    """
    dataset = DATASETS[table_recipe(name).make(1, 1).dataset]
    names: tuple[str, ...] = (name,)
    if name == "table3" and missing_parts(dataset.parts, data_folder()):
        names = ("table3-writers", "table3-sizes")
    for each in names:
        needed = DATASETS[table_recipe(each).make(1, 1).dataset]
        for part in needed.parts:
            part_files(needed.name, part)
    return names


def table_sweep(
    name: str, num_seeds: int = 3, num_tuning_seeds: int | None = None, *, quick: bool = False
) -> SweepConfig:
    """The sweep of a table; `quick` is a small one on the data that come with the package."""
    recipe = table_recipe(name)
    changed = {"policy": "clustered", "discipline": None, "max_rounds": _MOST_ROUNDS}
    base = recipe.make(1, 1).model_copy(update=changed)
    clusters: tuple[int, ...] = PAPER_NUM_CLUSTERS
    channels: tuple[int, ...] = PAPER_NUM_CHANNELS
    rates = recipe.rates
    if quick:
        base = _small(base)
        clusters, channels, rates = (1, UPLINK_CLUSTERS), (1, 2), rates[:1]
    return SweepConfig(
        name=f"{name}-quick" if quick else name,
        title=recipe.title + (" (quick: a small data set)" if quick else ""),
        paper="" if quick else recipe.paper,
        base=base,
        cells=_cells(base.max_rounds, clusters, channels, quick=quick),
        grids={"learning_rate": rates},
        seeds=tuple(range(num_seeds)),
        num_tuning_seeds=num_tuning_seeds,
        extend=not quick,
    )


def at_points(sweep: SweepConfig, points: Mapping[str, Mapping[str, float]]) -> SweepConfig:
    """The same cells without tuning: each at its point, or at its first one if there is none."""
    cells = []
    for cell in sweep.cells:
        first = {name: grid[0] for name, grid in sweep.grids_of(cell).items()}
        point = {**first, **points.get(cell.name, {})}
        grids = {name: (value,) for name, value in point.items()}
        cells.append(cell.model_copy(update={"grids": grids}))
    changed = {
        "name": f"{sweep.name}-best",
        "title": f"{sweep.title}, at the best known settings",
        "cells": tuple(cells),
        "num_tuning_seeds": None,
        "extend": False,
    }
    return sweep.model_copy(update=changed)


def _cells(
    max_rounds: int, clusters: tuple[int, ...], channels: tuple[int, ...], *, quick: bool
) -> tuple[CellConfig, ...]:
    """The paper's own first, since they are what is waited for."""
    rows = [k for k in clusters if k > 1]
    sizes = sorted({k * n for k in rows for n in channels} - set(channels))
    return (
        *(_uniform(n) for n in channels),
        *(_clustered(k, n) for k in rows for n in channels),
        *(_uniform(size) for size in sizes),
        *(_rolling(n, max_rounds, quick=quick) for n in channels),
    )


def _uniform(num_clients: int) -> CellConfig:
    policy = {"policy": "uniform", "discipline": "wait-all"}
    counts = {"num_clusters": 1, "num_channels": num_clients}
    return CellConfig(name=uniform_cell(num_clients), settings={**policy, **counts})


def _clustered(num_clusters: int, num_channels: int) -> CellConfig:
    policy = {"policy": "clustered", "discipline": "slots"}
    counts = {"num_clusters": num_clusters, "num_channels": num_channels}
    return CellConfig(name=paper_cell(num_clusters, num_channels), settings={**policy, **counts})


def _rolling(num_channels: int, max_rounds: int, *, quick: bool) -> CellConfig:
    """A step at every arrival, judged as often as the paper's rounds serve clients.

    Its damping is tuned from 1/(4 N) on, about what the W clients in flight would suggest.
    """
    arrivals = UPLINK_CLUSTERS * num_channels
    damping = (1 / arrivals,) if quick else (1 / arrivals, 2 / arrivals)
    return CellConfig(
        name=rolling_cell(num_channels),
        settings={
            "policy": "rolling",
            "num_clusters": UPLINK_CLUSTERS,
            "num_channels": num_channels,
            "weighting": "unbiased",
            "evaluate_every": arrivals,
            "max_rounds": max_rounds * arrivals,
        },
        grids={"server_learning_rate": damping},
    )


def _small(base: RunConfig) -> RunConfig:
    """The same models and local work on little data, with a target that is reached soon."""
    is_text = base.model == "lstm"
    changed = {"target_accuracy": 0.2 if is_text else 0.85, "max_rounds": 200}
    if is_text:
        return base.model_copy(update={**changed, "data": DataConfig(test_samples=100)})
    return base.model_copy(update={**changed, "dataset": "mnist-subset", "data": DataConfig()})
