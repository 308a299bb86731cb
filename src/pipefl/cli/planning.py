"""What `pipefl plan` shows: a plan, what it is compared with, and where it comes from."""

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from pipefl.devices.measurements import (
    first_repeated_id,
    measurements_by_client,
    refuse_repeated_ids,
)
from pipefl.devices.population import Population
from pipefl.errors import PipeflError
from pipefl.plan import (
    ClusterPlan,
    Gain,
    Method,
    RobustPlan,
    UncertainTimes,
    gain_over_conventional,
    plan_clusters,
    plan_robust,
    times_from_moments,
    times_from_samples,
)

if TYPE_CHECKING:
    import polars


@dataclass(frozen=True, eq=False)
class Planned:
    """A population's plan beside conventional scheduling; `robust` where times vary."""

    population: Population
    plan: ClusterPlan
    gain: Gain
    num_channels: int
    server_time_s: float
    robust: RobustPlan | None = None

    @property
    def expected_missed_share(self) -> float | None:
        """The share of scheduled clients expected to miss their slot, if times vary."""
        return None if self.robust is None else self.robust.expected_missed_share(self.num_channels)

    def to_dict(self) -> dict[str, Any]:
        """Everything that is printed, for JSON; `plan` is what `ClusterPlan.from_dict` reads."""
        return {
            "source": self.population.source,
            "num_channels": self.num_channels,
            "server_time_s": self.server_time_s,
            "plan": self.plan.to_dict(),
            "size": self.plan.size.tolist(),
            "cluster_of": self.plan.cluster_of.tolist(),
            "gain": asdict(self.gain),
            "expected_missed_share": self.expected_missed_share,
        }

    def assignments(self) -> "polars.DataFrame":
        """A row a client: its id, compute time, cluster (from 1) and slot."""
        import polars as pl

        plan, ids = self.plan, self.population.client_id
        return pl.DataFrame(
            {
                "client_id": list(range(plan.num_clients)) if ids is None else ids.tolist(),
                "compute_time_s": plan.compute_time_s,
                "cluster": plan.cluster_of + 1,
                "slot_time_s": plan.slot_time_s[plan.cluster_of],
            }
        )


def plan_population(
    population: Population,
    *,
    upload_time_s: float,
    num_channels: int = 1,
    num_clusters: int | None = None,
    slack_s: float = 0.0,
    server_time_s: float = 0.0,
    method: Method = "isotonic",
    quantile: float | None = None,
) -> Planned:
    """Plan for a population; with a quantile, for its uncertain times."""
    robust = None
    if quantile is None:
        times = population.compute_time_s
        plan = plan_clusters(
            times, upload_time_s, num_clusters=num_clusters, slack_s=slack_s, method=method
        )
    else:
        population, uncertain = _uncertain(population)
        robust = plan_robust(
            uncertain,
            upload_time_s,
            quantile=quantile,
            num_clusters=num_clusters,
            slack_s=slack_s,
            method=method,
        )
        plan = robust.plan
    gain = gain_over_conventional(plan, num_channels, server_time_s)
    return Planned(population, plan, gain, num_channels, server_time_s, robust)


def _uncertain(population: Population) -> tuple[Population, UncertainTimes]:
    """The clients, one entry each, and what is known of their times."""
    if population.deviation_s is not None:
        refuse_repeated_ids(population)
        mean_s = population.compute_time_s
        return population, times_from_moments(mean_s, population.deviation_s)
    if first_repeated_id(population) is None:
        raise PipeflError(
            f"{population.source}: a quantile needs a column deviation_s, or several rows a client"
        )
    clients, measured = measurements_by_client(population)
    return Population(population.source, population.compute_time_s, clients), times_from_samples(
        measured
    )
