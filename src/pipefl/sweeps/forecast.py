"""How much work a sweep still has before it, so that the time left can be told."""

from collections.abc import Sequence
from math import inf

from pipefl.settings import Setting
from pipefl.sweeps.config import SweepConfig
from pipefl.sweeps.directory import CellState

_JUDGING = 4.0  # judging a model that is far from the target takes about as long as four clients


def work_of_round(sweep: SweepConfig, cell: CellState) -> float:
    """What a round of a cell costs, in units of one client's local work."""
    settings = cell.cell.settings
    channels = _whole(settings.get("num_channels"), sweep.base.num_channels)
    clusters = _whole(settings.get("num_clusters"), sweep.base.num_clusters or 1)
    judged_every = _whole(settings.get("evaluate_every"), sweep.base.evaluate_every)
    if settings.get("policy", sweep.base.policy) == "rolling":
        return 1.0 + _JUDGING / judged_every
    return channels * clusters + _JUDGING / judged_every


def work_left(
    sweep: SweepConfig, cells: Sequence[CellState], paper_rounds: dict[str, float]
) -> float:
    """The work of all trials that are still to come, as far as that can be foreseen.

    A point is expected to be cut short at the best median of its cell. Where none is known
    yet, `paper_rounds` are, and else the rounds that other cells took. Points beyond the
    edges of the grids are not foreseen.
    """
    known = [median for cell in cells if (median := _best_median(cell)) < inf]
    usual = sum(known) / len(known) if known else sweep.base.max_rounds / 4
    return sum(
        _trials_left(cell)
        * work_of_round(sweep, cell)
        * _expected_rounds(cell, paper_rounds, usual)
        for cell in cells
    )


def _expected_rounds(cell: CellState, paper_rounds: dict[str, float], usual: float) -> float:
    median = _best_median(cell)
    return median if median < inf else paper_rounds.get(cell.cell.name, usual)


def _trials_left(cell: CellState) -> int:
    search = cell.search
    if not search.wanted():
        return 0
    open_points = len(search.points) - search.num_settled
    tuning = open_points * (len(search.seeds) // 2 + 1)
    best = search.best
    done = 0 if best is None else sum((best, s) in search.outcomes for s in search.further_seeds)
    return tuning + len(search.further_seeds) - done


def _best_median(cell: CellState) -> float:
    best = cell.search.best
    return inf if best is None else cell.search.median(best)


def _whole(value: Setting | None, otherwise: int) -> int:
    return value if isinstance(value, int) else otherwise
