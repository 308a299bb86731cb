"""The rounds that our own sweeps took, beside those of the paper.

They come with the package as `measured_rounds.json`, which `make figures` writes from results/.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pipefl.errors import ArgumentError
from pipefl.policies.rounds_curve import RoundsCurve, fit_rounds_curve
from pipefl.settings import nearest

_FILE = files("pipefl.policies") / "measured_rounds.json"
_ALL: Mapping[str, Any] = json.loads(_FILE.read_text(encoding="utf-8"))

MEASURED_TABLES = tuple(_ALL)


@dataclass(frozen=True, eq=False)
class MeasuredRounds:
    """Median rounds to a target accuracy, each cell at its own best learning rate.

    `clustered` and `uniform` hold a row (clients a round, rounds) for each cell, of the
    paper's clusters and of clients drawn from all; `rolling` a row (clients in flight W,
    arrivals / W), so that a round is as many updates in all three. `points` are the best
    settings by the cell's name.
    """

    name: str
    title: str
    target_accuracy: float
    clustered: NDArray[np.float64]
    uniform: NDArray[np.float64]
    rolling: NDArray[np.float64]
    points: Mapping[str, Mapping[str, float]]

    @property
    def curves(self) -> tuple[RoundsCurve, RoundsCurve, RoundsCurve | None]:
        """Of clusters, of clients drawn from all, and of `rolling` where it has been run."""
        rolling = fit_rounds_curve(*self.rolling.T) if len(self.rolling) > 1 else None
        return fit_rounds_curve(*self.clustered.T), fit_rounds_curve(*self.uniform.T), rolling


def measured_rounds(table: str) -> MeasuredRounds:
    """What was measured for a table: table1, table2, table3-writers, … as far as it was run."""
    if table not in _ALL:
        accepted = f"{nearest(table, _ALL)}measured are {', '.join(_ALL) or 'none'}"
        raise ArgumentError("measured table", table, accepted)
    found = _ALL[table]
    return MeasuredRounds(
        name=table,
        title=found["title"],
        target_accuracy=found["target_accuracy"],
        clustered=_rows(found["clustered"]),
        uniform=_rows(found["uniform"]),
        rolling=_rows(found["rolling"]),
        points=found["points"],
    )


def _rows(rows: list[list[float]]) -> NDArray[np.float64]:
    return np.array(rows, dtype=np.float64).reshape(-1, 2)
