"""How fast the planner is, as ratios to something everybody knows, measured in one run.

`python benchmarks/planner.py --clients 1e6` is a quick look; the default is 10^8.
"""

import resource
import sys
from datetime import UTC, datetime
from functools import partial
from itertools import product
from pathlib import Path
from subprocess import run
from typing import Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray

import pipefl
from measuring import (
    Row,
    in_fresh_process,
    machine,
    medians_s,
    memory,
    progress,
    seconds,
    table,
    times,
)
from relaxed import qp_rows, relaxed_rows

NUM_CLUSTERS = 8
POPULATIONS = ("log-normal", "61 distinct times")
INPUTS = ("read-only", "writeable")


def compute_times_s(population: str, num_clients: int) -> NDArray[np.float64]:
    """Log-normal compute times, or 10 to 70 samples of 0.1 s each: nearly all of them ties."""
    rng = np.random.default_rng(1)
    if population == "log-normal":
        return rng.lognormal(1.0, 0.5, num_clients)
    return rng.integers(10, 71, num_clients) * np.float64(0.1)


def plan(compute_time_s: NDArray[np.float64], upload_time_s: float) -> pipefl.ClusterPlan:
    """Sizes, slots and boundaries of eight clusters."""
    return pipefl.plan_clusters(compute_time_s, upload_time_s, num_clusters=NUM_CLUSTERS)


def plan_with_clusters(
    compute_time_s: NDArray[np.float64], upload_time_s: float
) -> tuple[pipefl.ClusterPlan, NDArray[np.int32]]:
    """The plan and the cluster of every client."""
    planned = plan(compute_time_s, upload_time_s)
    return planned, planned.cluster_of


def fitting_upload_s(compute_time_s: NDArray[np.float64]) -> float:
    """An upload so long that eight clusters fit between the extreme times, and no ninth."""
    return float(np.ptp(compute_time_s)) / (NUM_CLUSTERS - 0.5)


def import_what_planning_needs() -> None:
    """Make a small plan; scipy is imported by the first one only."""
    few_s = compute_times_s("log-normal", 1000)
    plan_with_clusters(few_s, fitting_upload_s(few_s))


def planning_medians_s(population: str, num_clients: int, repeats: int) -> dict[str, float]:
    """How long numpy.sort takes, and plans for both kinds of input, in seconds.

    A writeable array is copied by `plan_clusters`, a read-only one is not. A virtual
    machine fetches each page from its host at first touch, slower than a sort sorts
    it; so as much memory as a plan takes is touched ahead of every timing.
    """
    writeable = compute_times_s(population, num_clients)
    read_only = writeable.view()
    read_only.flags.writeable = False
    upload_s = fitting_upload_s(read_only)
    actions: dict[str, Any] = {"numpy.sort": partial(np.sort, read_only)}
    for kind, array in zip(INPUTS, (read_only, writeable), strict=True):
        actions[f"plan, {kind}"] = partial(plan, array, upload_s)
        actions[f"plan with clusters, {kind}"] = partial(plan_with_clusters, array, upload_s)
    import_what_planning_needs()
    return medians_s(actions, repeats, before=partial(np.ones, 3 * num_clients))


def peak_bytes(population: str, num_clients: int, kind: str) -> tuple[int, int]:
    """The most memory held until the plan is there, and until the clusters are.

    Both include the compute times, and not what the interpreter held before those.
    """
    import_what_planning_needs()
    before = _peak_so_far_bytes()
    array = compute_times_s(population, num_clients)
    array.flags.writeable = kind == "writeable"
    planned = plan(array, fitting_upload_s(array))
    of_plan = _peak_so_far_bytes() - before
    assert planned.cluster_of.size == num_clients
    return of_plan, _peak_so_far_bytes() - before


def planning_rows(num_clients: int, repeats: int) -> list[Row]:
    """Planning beside a sort of the same array."""
    rows = []
    for population in POPULATIONS:
        taken = in_fresh_process(planning_medians_s, population, num_clients, repeats)
        sort_s = taken.pop("numpy.sort")
        for name, taken_s in taken.items():
            goal = "≤ 2.3×" if "clusters" in name else "≤ 1.3×"
            beside = f"{seconds(sort_s)} numpy.sort"
            what = f"{name}, {population}"
            rows.append(Row(what, seconds(taken_s), beside, times(taken_s / sort_s), goal))
    return rows


def memory_rows(num_clients: int) -> list[Row]:
    """The peak of memory beside the size of the array of compute times, which it includes."""
    rows = []
    array = 8 * num_clients
    for population, kind in product(POPULATIONS, INPUTS):
        progress(f"peak memory, {kind}, {population}")
        peaks = in_fresh_process(peak_bytes, population, num_clients, kind)
        for name, peak in zip(("plan", "plan with clusters"), peaks, strict=True):
            what = f"memory of {name}, {kind}, {population}"
            beside = f"{memory(array)} array"
            rows.append(Row(what, memory(peak), beside, times(peak / array), "≤ 3×"))
    return rows


def start_up_rows(repeats: int) -> list[Row]:
    """Fresh processes, from start to exit."""
    command = Path(sys.executable).with_name("pipefl")
    commands = {
        "python -c pass": [sys.executable, "-c", "pass"],
        'python -c "import pipefl"': [sys.executable, "-c", "import pipefl"],
        "pipefl --help": [str(command), "--help"],
    }
    actions = {
        name: partial(run, words, check=True, capture_output=True)
        for name, words in commands.items()
    }
    medians_s(actions, repeats=1)
    taken = medians_s(actions, repeats)
    bare_s = taken.pop("python -c pass")
    beside = f"{seconds(bare_s)} python -c pass"
    return [
        Row(name, seconds(taken_s), beside, times(taken_s / bare_s), "< 0.4 s")
        for name, taken_s in taken.items()
    ]


def _peak_so_far_bytes() -> int:
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def main(
    clients: Annotated[float, typer.Option(help="Clients to plan for.")] = 1e8,
    repeats: Annotated[int, typer.Option(help="Plans timed for each median.")] = 7,
) -> None:
    """Measure and print the table; goals are shown beside the ratios, never enforced."""
    num_clients = int(clients)
    rows = [
        *planning_rows(num_clients, repeats),
        *memory_rows(num_clients),
        *relaxed_rows(10**6, num_clients=10**8, repeats=51),
        *qp_rows(10**3, num_clients=10**6, repeats=15),
        *start_up_rows(repeats=21),
    ]
    progress("")
    print(f"{datetime.now(tz=UTC):%Y-%m-%d}; {machine()}")
    print(f"{num_clients:,} clients, K = {NUM_CLUSTERS}; medians\n")
    print(table(rows))


if __name__ == "__main__":
    typer.run(main)
