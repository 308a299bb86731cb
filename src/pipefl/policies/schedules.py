"""Schedules by name, for the command line and for comparisons."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from pipefl.checks import count
from pipefl.devices.jitter import Jitter
from pipefl.errors import ArgumentError, PipeflError
from pipefl.policies.age import Age
from pipefl.policies.channel_aware import ChannelAware
from pipefl.policies.clustered import Clustered
from pipefl.policies.fedat import FedAt
from pipefl.policies.fedbuff import FedBuff
from pipefl.policies.fedcs import FedCs
from pipefl.policies.oort import Oort
from pipefl.policies.plan_rolling import plan_rolling
from pipefl.policies.policy import RoundPolicy, Schedule
from pipefl.policies.power_of_choice import PowerOfChoice
from pipefl.policies.proportional_fair import ProportionalFair
from pipefl.policies.rolling import Rolling
from pipefl.policies.round_robin import RoundRobin
from pipefl.policies.rounds import RoundSchedule
from pipefl.policies.scene import Scene
from pipefl.policies.tifl import Tifl
from pipefl.policies.ucb import Ucb
from pipefl.policies.uniform import Uniform
from pipefl.settings import Settings, nearest, with_settings
from pipefl.timeline.demand import Discipline, Missed

WISHED_UTILISATION = 0.95
_NOT_SET = ("name", "jitter")  # fields of policies that have settings of their own


@dataclass(frozen=True)
class Named:
    """A policy that rounds can be made of, and the discipline it was meant for."""

    make: Callable[[Scene], RoundPolicy]
    discipline: Discipline


def _uniform_kn(scene: Scene) -> Uniform:
    clusters = scene.needed_plan("uniform-kn").num_clusters
    return Uniform(per_channel=clusters, name="uniform-kn")


ROUND_POLICIES: dict[str, Named] = {
    "clustered": Named(lambda scene: Clustered(), "slots"),
    "uniform": Named(lambda scene: Uniform(), "wait-all"),
    "uniform-kn": Named(_uniform_kn, "fifo"),
    "round-robin": Named(lambda scene: RoundRobin(), "fifo"),
    "proportional-fair": Named(lambda scene: ProportionalFair(), "fifo"),
    "channel-aware": Named(lambda scene: ChannelAware(), "fifo"),
    "age": Named(lambda scene: Age(), "fifo"),
    "ucb": Named(lambda scene: Ucb(), "fifo"),
    "fedcs": Named(lambda scene: FedCs(), "fifo"),
    "tifl": Named(lambda scene: Tifl(), "fifo"),
    "oort": Named(lambda scene: Oort(), "fifo"),
    "power-of-choice": Named(lambda scene: PowerOfChoice(), "fifo"),
}

FLOWS: dict[str, Callable[[Scene, Settings], Rolling | FedBuff | FedAt]] = {
    "rolling": lambda scene, given: Rolling(in_flight=_in_flight("in_flight", scene, given)),
    "fedbuff": lambda scene, given: FedBuff(concurrency=_in_flight("concurrency", scene, given)),
    "fedat": lambda scene, given: FedAt(),
}

# The paper's schedule in each discipline, then everything else as it was meant.
COMPARED = (
    "clustered/slots",
    "clustered/eager-slots",
    "clustered/fifo",
    *(name for name in ROUND_POLICIES if name != "clustered"),
    *FLOWS,
)


def schedule_by_name(
    name: str,
    scene: Scene,
    *,
    discipline: Discipline | None = None,
    missed: Missed = "drop",
    jitter: Jitter | None = None,
    options: Settings | None = None,
) -> Schedule:
    """The schedule `policy` or `policy/discipline`, with settings that suit the scene.

    `uniform-kn` draws K·N clients, with the plan's K. `rolling` and `fedbuff` keep as
    many clients in flight as `plan_rolling` forecasts for a utilisation of 95 %, unless
    they are told otherwise. `options` are the policy's own settings, by the names of its fields.
    """
    given = options or {}
    policy, _, own = name.partition("/")
    if policy in FLOWS:
        if own or discipline is not None:
            accepted = f"{policy} has no rounds, so it takes no discipline"
            raise ArgumentError("discipline", own or discipline, accepted)
        flow = with_settings(
            FLOWS[policy](scene, given), given, section="policy_options", hidden=_NOT_SET
        )
        return replace(flow, jitter=jitter)
    if policy not in ROUND_POLICIES:
        raise ArgumentError("policy", name, _nearest(policy))
    named = ROUND_POLICIES[policy]
    if discipline is not None and own not in ("", discipline):
        raise ArgumentError("discipline", discipline, f"{name} says another already")
    chosen: Discipline = discipline or _discipline(own) or named.discipline
    made = with_settings(named.make(scene), given, section="policy_options", hidden=_NOT_SET)
    return RoundSchedule(made, chosen, missed, jitter)


def _discipline(text: str) -> Discipline | None:
    match text:
        case "slots" | "eager-slots" | "fifo" | "wait-all":
            return text
        case "":
            return None
    raise ArgumentError("discipline", text, "it must be one of slots, eager-slots, fifo, wait-all")


def _nearest(name: str) -> str:
    known = [*ROUND_POLICIES, *FLOWS]
    return f"{nearest(name, known)}the policies are {', '.join(known)}"


def _in_flight(name: str, scene: Scene, given: Settings) -> int:
    if name in given:
        return count(f"policy_options.{name}", given[name], maximum=scene.num_clients)
    try:
        return plan_rolling(scene, utilisation=WISHED_UTILISATION).in_flight
    except PipeflError as error:
        raise PipeflError(f"{error}; set {name} to do with less") from None
