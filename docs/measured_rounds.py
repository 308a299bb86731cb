"""The package's file of measured rounds, from the outcomes below results/."""

import json
from collections.abc import Sequence
from typing import Any

from pipefl.sweeps.measured import MeasuredCell, MeasuredSweep

FILE = "../src/pipefl/policies/measured_rounds.json"


def measured_rounds_json(sweeps: Sequence[MeasuredSweep]) -> str:
    """Medians of the cells that are settled with all their seeds."""
    tables = {sweep.name: _table(sweep) for sweep in sweeps}
    known = {name: table for name, table in tables.items() if table["points"]}
    return json.dumps(known, indent=1) + "\n"


def _table(sweep: MeasuredSweep) -> dict[str, Any]:
    settled = [cell for cell in sweep.cells if cell.is_settled and cell.point]
    return {
        "title": sweep.title,
        "target_accuracy": sweep.target_accuracy,
        "clustered": [row for cell in settled if _is(cell, "clustered") for row in _rows(cell)],
        "uniform": [row for cell in settled if _is(cell, "uniform") for row in _rows(cell)],
        "rolling": [row for cell in settled if _is(cell, "rolling") for row in _rows(cell)],
        "points": {cell.name: dict(cell.point or {}) for cell in settled},
    }


def _is(cell: MeasuredCell, policy: str) -> bool:
    return cell.settings.get("policy") == policy


def _rows(cell: MeasuredCell) -> list[list[float]]:
    """Clients a round and rounds; of `rolling` the clients in flight, and arrivals by them."""
    spread = cell.rounds_spread
    if spread is None or not spread.is_finite:
        return []
    if cell.in_flight is not None:
        return [[cell.in_flight, round(spread.median / cell.in_flight, 3)]]
    settings = cell.settings
    return [[int(settings["num_clusters"]) * int(settings["num_channels"]), spread.median]]  # type: ignore[arg-type]  # whole numbers
