"""Random inputs for the planner: thresholds and compute times with every awkward feature."""

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

import pipefl


@st.composite
def capacities(draw: st.DrawFn, max_clusters: int = 10, max_clients: int = 60) -> list[int]:
    """π_1 ≤ … ≤ π_K = M with ties, zeros, π_k = M early, K = 1 and K > M."""
    num_clients = draw(st.integers(1, max_clients))
    num_clusters = draw(st.integers(1, max_clusters))
    levels = st.sampled_from([0, num_clients]) | st.integers(0, num_clients)
    below = draw(st.lists(levels, min_size=num_clusters - 1, max_size=num_clusters - 1))
    return [*sorted(below), num_clients]


@st.composite
def compute_times(
    draw: st.DrawFn, max_clients: int = 40, scale_s: float = 1.0
) -> NDArray[np.float64]:
    """Compute times of 1 to 40 clients: spread, or on a coarse grid with many ties."""
    num_clients = draw(st.integers(1, max_clients))
    spread = st.floats(0.01, 10.0, allow_nan=False)
    gridded = st.integers(1, 8).map(lambda n: n * 0.1)
    each = draw(st.sampled_from([spread, gridded]))
    times = draw(st.lists(each, min_size=num_clients, max_size=num_clients))
    return np.array(times) * scale_s


@st.composite
def populations(draw: st.DrawFn) -> tuple[NDArray[np.float64], float, int, float]:
    """Compute times, an upload time, K and the slack that K needs, if not more."""
    times = draw(compute_times())
    upload_s = draw(st.floats(0.05, 5.0))
    num_clusters = draw(st.integers(1, 9))
    least_s = max(0.0, (num_clusters - 1) * upload_s - float(times.max() - times.min()))
    return times, upload_s, num_clusters, least_s + draw(st.sampled_from([0.0, 0.3, 2.0]))


@dataclass(frozen=True)
class Case:
    """A round to simulate: clients with a plan, and the times that they show in it."""

    plan: pipefl.ClusterPlan
    cohort: list[int]
    round_time_s: NDArray[np.float64]
    upload_time_s: NDArray[np.float64]
    num_channels: int


@st.composite
def cases(draw: st.DrawFn, *, jittered: bool = True, equal_uploads: bool = False) -> Case:
    """Cohorts of all sizes, with late clients if `jittered`, and uploads equal or not."""
    times, upload_s, num_clusters, slack_s = draw(populations())
    most = pipefl.max_clusters(times, upload_s, slack_s)
    plan = pipefl.plan_clusters(
        times, upload_s, num_clusters=min(num_clusters, most), slack_s=slack_s
    )
    clients = st.integers(0, times.size - 1)
    cohort = draw(st.lists(clients, min_size=1, max_size=12, unique=True))
    late = jittered and draw(st.booleans())
    factors = draw(st.lists(st.floats(0.5, 2.0), min_size=times.size, max_size=times.size))
    uploads = np.full(times.size, upload_s)
    if not equal_uploads and draw(st.booleans()):
        uploads = uploads * np.array(factors[::-1])
    return Case(
        plan=plan,
        cohort=cohort,
        round_time_s=times * np.array(factors) if late else times,
        upload_time_s=uploads,
        num_channels=draw(st.integers(1, 4)),
    )
