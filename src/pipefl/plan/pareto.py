"""The choices that no other choice beats in everything."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pipefl.errors import ArgumentError

if TYPE_CHECKING:
    import polars


def pareto_front(
    frame: "polars.DataFrame",
    minimise: Sequence[str] = ("round_s", "size_deviation", "num_channels"),
    maximise: Sequence[str] = ("clients_per_round",),
) -> "polars.DataFrame":
    r"""The rows of a sweep that no other row dominates, in their order.

    Row a dominates row b where a is at least as good in every named column and better
    in one. Rows that are equal in all of them stay together. Infeasible rows go.

    O(n²) comparisons for n rows, one row at a time.

    >>> from pipefl.plan.tradeoffs import sweep
    >>> frame = sweep([1, 2, 3, 4], upload_time_s=1.0, num_clusters=[1, 2, 3])
    >>> pareto_front(frame).select("num_clusters", "sizes").rows()
    [(2, [2, 2]), (3, [1, 2, 1])]
    """
    signs = [(name, 1.0) for name in _numbers(frame, "minimise", minimise)]
    signs += [(name, -1.0) for name in _numbers(frame, "maximise", maximise)]
    if not signs:
        raise ArgumentError("minimise", [], "it or maximise must name at least one column")
    feasible = frame.filter("feasible") if "feasible" in frame.columns else frame
    costs = np.column_stack([sign * feasible[name].to_numpy() for name, sign in signs])
    return feasible.filter([not _is_dominated(cost, costs) for cost in costs])


def _numbers(frame: "polars.DataFrame", side: str, names: Sequence[str]) -> list[str]:
    """The names, if each is of a column of numbers."""
    numeric = [name for name in frame.columns if frame[name].dtype.is_numeric()]
    for name in [names] if isinstance(names, str) else names:
        if name not in numeric or isinstance(names, str):
            accepted = f"it must be a list of columns of numbers, which are {', '.join(numeric)}"
            raise ArgumentError(side, name, accepted)
    return list(names)


def _is_dominated(cost: NDArray[np.float64], costs: NDArray[np.float64]) -> bool:
    as_good = np.all(costs <= cost, axis=1)
    better = np.any(costs < cost, axis=1)
    return bool(np.any(as_good & better))
