"""Who takes part, and when the server takes a step: one file a policy.

A `RoundPolicy` selects the clients of a round; with a discipline it makes a
`RoundSchedule`. `Rolling`, `FedBuff` and `FedAt` are schedules without rounds. All
yield the same `Step`s of the server from a `Scene` and a seed.
"""

from pipefl.policies.age import Age
from pipefl.policies.channel_aware import ChannelAware
from pipefl.policies.closed_network import Load, forecast_load
from pipefl.policies.clustered import Clustered
from pipefl.policies.cohorts import clustered_cohorts, uniform_cohorts
from pipefl.policies.fairness import Fairness, fairness, jain_index, weight_bias
from pipefl.policies.fedat import FedAt
from pipefl.policies.fedbuff import FedBuff
from pipefl.policies.fedcs import FedCs
from pipefl.policies.loss_stand_in import DecayingLosses
from pipefl.policies.many_rounds import simulate_many_rounds
from pipefl.policies.measured_load import measure_load
from pipefl.policies.oort import Oort
from pipefl.policies.optimise import ScheduleChoice, optimise_schedule
from pipefl.policies.paper_points import PaperPoints, paper_points
from pipefl.policies.plan_rolling import RollingPlan, plan_rolling
from pipefl.policies.policy import RoundPolicy, Schedule, State
from pipefl.policies.power_of_choice import PowerOfChoice
from pipefl.policies.proportional_fair import ProportionalFair
from pipefl.policies.rolling import Rolling
from pipefl.policies.round_robin import RoundRobin
from pipefl.policies.rounds import RoundSchedule
from pipefl.policies.rounds_curve import RoundsCurve, fit_rounds_curve
from pipefl.policies.scene import LossSource, MissingPartError, Scene
from pipefl.policies.schedules import schedule_by_name
from pipefl.policies.staleness import mean_staleness, most_staleness
from pipefl.policies.step import Step
from pipefl.policies.summary import Summary, summarise
from pipefl.policies.tifl import Tifl
from pipefl.policies.ucb import Ucb
from pipefl.policies.uniform import Uniform

__all__ = [
    "Age",
    "ChannelAware",
    "Clustered",
    "DecayingLosses",
    "Fairness",
    "FedAt",
    "FedBuff",
    "FedCs",
    "Load",
    "LossSource",
    "MissingPartError",
    "Oort",
    "PaperPoints",
    "PowerOfChoice",
    "ProportionalFair",
    "Rolling",
    "RollingPlan",
    "RoundPolicy",
    "RoundRobin",
    "RoundSchedule",
    "RoundsCurve",
    "Scene",
    "Schedule",
    "ScheduleChoice",
    "State",
    "Step",
    "Summary",
    "Tifl",
    "Ucb",
    "Uniform",
    "clustered_cohorts",
    "fairness",
    "fit_rounds_curve",
    "forecast_load",
    "jain_index",
    "mean_staleness",
    "measure_load",
    "most_staleness",
    "optimise_schedule",
    "paper_points",
    "plan_rolling",
    "schedule_by_name",
    "simulate_many_rounds",
    "summarise",
    "uniform_cohorts",
    "weight_bias",
]
