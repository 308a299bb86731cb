"""A plan: who is in which cluster, and when each cluster transmits."""

from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from pipefl.checks import count, non_negative_seconds
from pipefl.errors import PipeflError
from pipefl.plan.assignment import assign_clusters
from pipefl.plan.efficiency import pipelined_efficiency
from pipefl.plan.plan_record import ARRAYS, arrays_of_record


@dataclass(frozen=True, eq=False)
class ClusterPlan:
    """The answer of `plan_clusters`; arrays are read-only, clusters are numbered from 0.

    ==================  ==========  =====================================================
    field               paper       meaning
    ==================  ==========  =====================================================
    `compute_time_s`    τ_m         the M times planned with
    `upload_time_s`     τ_com       one upload
    `slack_s`           Δ_global    extra time granted to a round
    `slot_time_s`       θ_k         when cluster k transmits, K values
    `capacity`          π_k         clients that can be ready by θ_k
    `relaxed_size`      δ_k         cluster sizes before rounding
    `active`            h           whether constraint k binds (the last one always does)
    `boundary`          ω_k         clients in clusters 0 … k
    `boundary_time_s`   𝒯[ω_k]      the slowest compute time among those
    ==================  ==========  =====================================================

    >>> from pipefl.plan.clustering import plan_clusters
    >>> plan = plan_clusters([1, 5, 2, 4, 3, 6], upload_time_s=2.0)
    >>> plan.num_clusters, plan.members(0), plan.clients_per_round(num_channels=2)
    (2, array([0, 2, 4]), 4)
    >>> ClusterPlan.from_dict(plan.to_dict()).slot_time_s
    array([4., 6.])
    """

    compute_time_s: NDArray[np.float64]
    upload_time_s: float
    slack_s: float
    method: str
    slot_time_s: NDArray[np.float64]
    capacity: NDArray[np.int64]
    relaxed_size: NDArray[np.float64]
    active: NDArray[np.bool_]
    boundary: NDArray[np.int64]
    boundary_time_s: NDArray[np.float64]

    def __post_init__(self) -> None:
        for name in ARRAYS:
            getattr(self, name).flags.writeable = False

    @property
    def num_clients(self) -> int:
        """M."""
        return self.compute_time_s.size

    @property
    def num_clusters(self) -> int:
        """K."""
        return self.slot_time_s.size

    @cached_property
    def size(self) -> NDArray[np.int64]:
        """M_k = ω_k − ω_{k−1}, clients in each cluster; 0 is legal."""
        sizes = np.diff(self.boundary, prepend=0)
        sizes.flags.writeable = False
        return sizes

    @cached_property
    def cluster_of(self) -> NDArray[np.int32]:
        """The cluster of every client, M values; worked out at first use. O(M log K)."""
        cluster_of = assign_clusters(self.compute_time_s, self.boundary, self.boundary_time_s)
        cluster_of.flags.writeable = False
        return cluster_of

    def members(self, k: int) -> NDArray[np.intp]:
        """The clients of cluster k, 0 ≤ k < K, by ascending index. Paper: eq:cluster_set."""
        cluster = count("k", k, minimum=0, maximum=self.num_clusters - 1)
        return np.flatnonzero(self.cluster_of == cluster)

    @cached_property
    def by_cluster(self) -> NDArray[np.intp]:
        """All clients, cluster after cluster: cluster k has `by_cluster[ω_{k−1}:ω_k]`."""
        by_cluster = np.argsort(self.cluster_of, kind="stable")
        by_cluster.flags.writeable = False
        return by_cluster

    @cached_property
    def compute_range_s(self) -> NDArray[np.float64]:
        """The fastest and the slowest compute time of each cluster, K × 2; NaN if it is empty."""
        range_s = np.full((self.num_clusters, 2), np.nan)
        np.fmin.at(range_s[:, 0], self.cluster_of, self.compute_time_s)
        np.fmax.at(range_s[:, 1], self.cluster_of, self.compute_time_s)
        range_s.flags.writeable = False
        return range_s

    def efficiency(self, server_time_s: float = 0.0) -> float:
        """The paper's ε of this plan with its slack; see `pipelined_efficiency`."""
        latest_s = float(self.boundary_time_s[-1])
        server_s = non_negative_seconds("server_time_s", server_time_s)
        return pipelined_efficiency(
            latest_s, self.upload_time_s, self.num_clusters, self.slack_s, server_s
        )

    def round_duration_s(self, server_time_s: float = 0.0) -> float:
        """How long a round of this plan lasts: until the last slot's upload is aggregated."""
        server_s = non_negative_seconds("server_time_s", server_time_s)
        return float(self.slot_time_s[-1]) + self.upload_time_s + server_s

    def clients_per_round(self, num_channels: int) -> int:
        """Clients that a round schedules: N from each cluster, or all of a smaller one."""
        channels = count("num_channels", num_channels)
        return int(np.minimum(self.size, channels).sum())

    def to_dict(self) -> dict[str, Any]:
        """The plan as lists and numbers that JSON keeps exactly."""
        record = {field.name: getattr(self, field.name) for field in fields(self)}
        return record | {name: record[name].tolist() for name in ARRAYS}

    @classmethod
    def from_dict(cls, record: dict[str, Any]) -> Self:
        """The plan that `to_dict` wrote; a record that does not fit together is refused."""
        names = {field.name for field in fields(cls)}
        if names != record.keys():
            different = ", ".join(sorted(names ^ record.keys()))
            raise PipeflError(f"not the record of a plan: missing or unknown are {different}")
        return cls(**(record | arrays_of_record(record)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ClusterPlan):
            return NotImplemented
        pairs = ((getattr(self, f.name), getattr(other, f.name)) for f in fields(self))
        return all(np.array_equal(mine, theirs) for mine, theirs in pairs)

    def __hash__(self) -> int:
        return hash((self.num_clients, self.upload_time_s, self.slot_time_s.tobytes()))
