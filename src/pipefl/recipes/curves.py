"""Small sweeps for the paper's plots of accuracy: every round judged in full, K = 1 … 4."""

from collections.abc import Mapping

from pipefl.policies.paper_points import PAPER_NUM_CLUSTERS, paper_points
from pipefl.recipes.tables import TABLES, at_points, table_sweep
from pipefl.sweeps.cells import paper_cell
from pipefl.sweeps.config import SweepConfig

_JUDGED = 1000  # test samples, drawn once: a tenth of a percent is one of them


def curves_sweep(
    table: str, points: Mapping[str, Mapping[str, float]], *, quick: bool = False
) -> SweepConfig:
    """One run for each K on one sub-channel, as long as the paper's conventional one took.

    `points` are the settings of the table's cells, as of `at_points`.
    """
    sweep = at_points(table_sweep(table, 1, quick=quick), points)
    recipe = TABLES[table]
    data = sweep.base.data.model_copy(update={"test_samples": _JUDGED})
    changed = {
        "data": data,
        "evaluation": "full",
        "stop_at_target": False,
        "max_rounds": 30 if quick else int(paper_points(recipe.paper).rounds[0]),
    }
    wanted = {paper_cell(clusters, 1) for clusters in PAPER_NUM_CLUSTERS}
    return sweep.model_copy(update={
        "name": f"{table}-curves{'-quick' if quick else ''}",
        "title": f"Accuracy curves: {sweep.title}",
        "base": sweep.base.model_copy(update=changed),
        "cells": tuple(cell for cell in sweep.cells if cell.name in wanted),
    })  # fmt: skip
