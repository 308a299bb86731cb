"""A plan for the clients that are known, and what it forecasts."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pipefl.errors import ArgumentError
from pipefl.flower.plan_config import PlanConfig
from pipefl.flower.roster import Roster
from pipefl.plan import ClusterPlan, RobustPlan, max_clusters, plan_clusters
from pipefl.plan.robust import missed_shares
from pipefl.policies.rounds import RoundSchedule
from pipefl.policies.scene import Scene
from pipefl.policies.schedules import schedule_by_name


@dataclass(frozen=True, eq=False)
class Planning:
    """The `number`-th plan of a federation, from 1.

    It is for some of the roster's clients, `client`, in ascending order; scene and schedule
    know these as 0, 1, 2, ….
    """

    number: int
    client: NDArray[np.intp]
    scene: Scene
    schedule: RoundSchedule

    @property
    def plan(self) -> ClusterPlan:
        """Who is in which cluster, and the slots."""
        return self.scene.needed_plan("pipefl.flower")


def planned(config: PlanConfig, roster: Roster, number: int) -> tuple[Planning | None, list[str]]:
    r"""The plan for everybody who may be scheduled, and sentences on what is unusual.

    .. math:: \tau_m = (1 + \text{margin})\, \tau_m^{(q)}

    with the quantile of each client's last measured times. None if nobody is there.
    """
    wanted, events = _wanted(config, roster)
    if wanted.size == 0:
        return None, events
    times_s = roster.times(wanted, 1 + config.margin).quantile_s(config.quantile)
    width_s = config.slot_width_s
    clusters = config.num_clusters
    if clusters is not None:
        most = max_clusters(times_s, width_s, config.slack_s)
        if most < clusters:
            events.append(
                f"{clusters} clusters do not fit between these times, so there are {most}"
            )
            clusters = most
    plan = plan_clusters(times_s, width_s, num_clusters=clusters, slack_s=config.slack_s)
    return planning_with(config, roster, number, wanted, plan), events


def planning_with(
    config: PlanConfig,
    roster: Roster,
    number: int,
    client: NDArray[np.intp],
    plan: ClusterPlan,
) -> Planning:
    """The planning that has this plan for these clients."""
    scene = Scene(
        compute_time_s=plan.compute_time_s,
        upload_time_s=np.full(client.size, plan.upload_time_s),
        num_channels=config.num_channels,
        server_time_s=config.server_time_s,
        num_samples=np.array([roster.clients[each].num_samples for each in client]),
        plan=plan,
    )
    schedule = schedule_by_name(
        config.policy, scene, discipline=config.discipline, missed=config.missed
    )
    if not isinstance(schedule, RoundSchedule):
        raise ArgumentError("policy", config.policy, "it has no rounds")
    return Planning(number, client, scene, schedule)


def forecast_missed_share(config: PlanConfig, planning: Planning, roster: Roster) -> float:
    """The share of slots that the planned clients would miss if they went on as lately."""
    shares = missed_shares(planning.plan, roster.times(planning.client), config.forgiven_s)
    forecast = RobustPlan(planning.plan, config.quantile, shares)
    return forecast.expected_missed_share(config.num_channels)


def reason_to_plan(config: PlanConfig, planning: Planning | None, roster: Roster) -> str | None:
    """Why the clients are to be clustered anew, if they are."""
    if planning is None:
        return "the first plan"
    wanted = set(_wanted(config, roster)[0].tolist())
    if wanted != set(planning.client.tolist()):
        return "other clients than planned for are there"
    if planning.schedule.discipline != "slots":
        return None
    share = forecast_missed_share(config, planning, roster)
    if share > config.replan_above:
        return f"{share:.0%} of the slots would be missed"
    return None


def _wanted(config: PlanConfig, roster: Roster) -> tuple[NDArray[np.intp], list[str]]:
    """Whom to plan for: whoever is there or has not been away for long, and is not too slow."""
    near = [n for n, client in enumerate(roster.clients) if client.absent < config.forget_after]
    clients = np.array(near, dtype=np.intp)
    if clients.size == 0:
        return clients, []
    times_s = roster.times(clients, 1 + config.margin).quantile_s(config.quantile)
    slow = times_s > config.longest_compute_s
    events = [
        f"client {client} is left out: it computes for {time_s:.3g} s, more than "
        f"longest_compute_s = {config.longest_compute_s:g}"
        for client, time_s in zip(clients[slow].tolist(), times_s[slow].tolist(), strict=True)
    ]
    return clients[~slow], events
