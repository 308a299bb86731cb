"""The relaxed problem alone: beside the regression in it, and beside general QP solvers."""

from contextlib import nullcontext
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from itertools import product
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from measuring import (
    Row,
    in_fresh_process,
    keeping_freed_memory,
    medians_s,
    progress,
    seconds,
    times,
)
from pipefl.plan import solve_relaxed

SHAPES = ("random", "convex", "concave")
QP_SOLVERS = ("OSQP", "CLARABEL")


def thresholds(shape: str, num_clusters: int, num_clients: int) -> NDArray[np.int64]:
    """K non-decreasing whole numbers up to M: sorted draws, a parabola or a root."""
    share = np.arange(1, num_clusters + 1) / num_clusters
    if shape == "random":
        share = np.sort(np.random.default_rng(1).random(num_clusters))
    capacity = ({"convex": share**2, "concave": np.sqrt(share)}.get(shape, share)) * num_clients
    capacity[-1] = num_clients
    return capacity.astype(np.int64)


def regression_medians_s(
    shape: str, num_clusters: int, num_clients: int, repeats: int
) -> dict[str, float]:
    """How long the relaxed problem takes and, in it, scipy's regression alone.

    The regression gets its increments as the float64 array that it works on. The solver
    also checks the thresholds, takes their differences, works the sizes out again from
    whole numbers with one division a pool, and marks the active constraints.
    """
    from scipy.optimize import isotonic_regression

    capacity = thresholds(shape, num_clusters, num_clients)
    increments = np.diff(capacity, prepend=0).astype(np.float64)
    actions: dict[str, Any] = {
        "isotonic_regression": partial(isotonic_regression, increments),
        "solve_relaxed": partial(solve_relaxed, capacity),
    }
    medians_s(actions, repeats=3)
    return medians_s(actions, repeats)


def relaxed_rows(num_clusters: int, num_clients: int, repeats: int) -> list[Row]:
    """The default solver beside the isotonic regression that it rests on.

    Once in a process that keeps freed memory for the next array, which leaves the
    computation, and once as glibc does by default.
    """
    rows = []
    for keep, shape in product((True, False), SHAPES):
        progress(f"{num_clusters:,} {shape} thresholds")
        with keeping_freed_memory() if keep else nullcontext():
            taken = in_fresh_process(
                regression_medians_s, shape, num_clusters, num_clients, repeats
            )
        alone_s, ours_s = taken["isotonic_regression"], taken["solve_relaxed"]
        heap = "kept" if keep else "fresh"
        what = f"solve_relaxed, {num_clusters:,} {shape} thresholds, {heap} memory"
        beside = f"{seconds(alone_s)} isotonic_regression"
        rows.append(Row(what, seconds(ours_s), beside, times(ours_s / alone_s), "≤ 1.5×"))
    return rows


def solve_as_qp(capacity: NDArray[np.int64], solver: str) -> tuple[NDArray[np.float64], float]:
    """The relaxed sizes by a general solver, and the seconds that it says it took.

    The problem is written down as in the paper (eq:main_optimization3), in units of
    M/K so that all numbers are near 1, and is solved to the tolerance that cvxpy sets.
    """
    cvxpy: Any = import_module("cvxpy")
    mean_size = capacity[-1] / capacity.size
    size = cvxpy.Variable(capacity.size)
    constraints = [cvxpy.cumsum(size) <= capacity / mean_size, cvxpy.sum(size) == capacity.size]
    problem = cvxpy.Problem(cvxpy.Minimize(cvxpy.sum_squares(size - 1)), constraints)
    problem.solve(solver=solver)
    return size.value * mean_size, float(problem.solver_stats.solve_time)


def qp_figures(solver: str, num_clusters: int, num_clients: int, repeats: int) -> list[float]:
    """Medians in seconds of the solver, of all of cvxpy and of ours; difference in clients."""
    capacity = thresholds("random", num_clusters, num_clients)
    size, _ = solve_as_qp(capacity, solver)
    difference = float(np.abs(size - solve_relaxed(capacity).relaxed_size).max())
    solver_s, cvxpy_s = [], []
    for _ in range(repeats):
        start = perf_counter()
        solver_s.append(solve_as_qp(capacity, solver)[1])
        cvxpy_s.append(perf_counter() - start)
    ours = medians_s({"solve_relaxed": partial(solve_relaxed, capacity)}, repeats=201)
    return [median(solver_s), median(cvxpy_s), ours["solve_relaxed"], difference]


def qp_rows(num_clusters: int, num_clients: int, repeats: int) -> list[Row]:
    """General solvers of quadratic programs beside ours, and how far their sizes are off."""
    if find_spec("cvxpy") is None:
        return [Row("quadratic programs", "cvxpy is not installed: pip install '.[benchmarks]'")]
    rows = []
    for solver in QP_SOLVERS:
        progress(f"{solver}, {num_clusters:,} thresholds")
        figures = in_fresh_process(qp_figures, solver, num_clusters, num_clients, repeats)
        solver_s, cvxpy_s, ours_s, difference = figures
        beside = f"{seconds(ours_s)} solve_relaxed"
        what = f"{solver}, {num_clusters:,} thresholds"
        rows += [
            Row(f"{what}, solver alone", seconds(solver_s), beside, times(solver_s / ours_s)),
            Row(f"{what}, through cvxpy", seconds(cvxpy_s), beside, times(cvxpy_s / ours_s)),
            Row(
                f"{what}, largest error in a size",
                f"{difference:.2g} clients",
                f"{num_clients / num_clusters:,.0f} clients a cluster",
            ),
        ]
    return rows
