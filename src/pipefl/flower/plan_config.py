"""How a federation is scheduled."""

from dataclasses import dataclass, fields
from typing import Any

from pipefl.checks import between, count, non_negative_seconds, number, positive
from pipefl.errors import ArgumentError
from pipefl.policies.schedules import FLOWS, ROUND_POLICIES
from pipefl.runs.config import RunConfig
from pipefl.timeline.demand import DISCIPLINES, MISSED, Discipline, Missed


@dataclass(frozen=True, kw_only=True)
class PlanConfig:
    r"""The uplink, the plan, and how much is borne with; times in seconds.

    A slot is as wide as `upload_time_s` and `guard_s` together: one upload over one of
    `num_channels` sub-channels, and what there is between a client's release and its first
    byte on the way, which is mostly that its neighbours received their messages earlier or
    later than itself. `num_clusters` K is chosen by eq:choosing_K if None, and made smaller
    where the clients' times admit fewer. `slack_s` Δ and `server_time_s` as in
    `plan_clusters` and in the clock; `policy`, `discipline` and `missed` as in a simulation,
    where `fifo` lets every client upload as soon as it is ready.

    A client is planned with the `quantile` of its last `window` measured times, times
    1 + `margin`, and may be `forgiven_s` late for its slot. What it does not account for,
    beyond what is usual in its round, counts as its computing if it is more than
    `unaccounted_s`; SuperNodes look for messages every three seconds. The clients are
    clustered anew when clients join or have been away for `forget_after` rounds, and when the
    forecast share of missed slots passes `replan_above`. Whoever computes for longer than
    `longest_compute_s` is left out.

    A round begins when at least `min_clients` are there. It waits `patience_s` longer than
    planned for replies, and the first question to a node `profile_patience_s`. An update
    whose norm is above `largest_update` is refused. Replies are looked for every `poll_s`.
    """

    upload_time_s: float
    num_channels: int = 1
    num_clusters: int | None = None
    slack_s: float = 0.0
    server_time_s: float = 0.0
    guard_s: float = 0.0
    policy: str = "clustered"
    discipline: Discipline | None = None
    missed: Missed = "drop"
    quantile: float = 0.9
    margin: float = 0.1
    window: int = 20
    forgiven_s: float = 0.5
    unaccounted_s: float = 5.0
    replan_above: float = 0.1
    forget_after: int = 10
    longest_compute_s: float = 3600.0
    min_clients: int = 1
    patience_s: float = 30.0
    profile_patience_s: float = 120.0
    largest_update: float = 1e6
    poll_s: float = 0.2
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("upload_time_s", "longest_compute_s", "profile_patience_s", "poll_s"):
            positive(name, getattr(self, name), "seconds")
        non_negative = ("slack_s", "server_time_s", "guard_s", "forgiven_s", "unaccounted_s")
        for name in (*non_negative, "patience_s"):
            non_negative_seconds(name, getattr(self, name))
        for name in ("num_channels", "window", "forget_after", "min_clients"):
            count(name, getattr(self, name))
        if self.num_clusters is not None:
            count("num_clusters", self.num_clusters)
        count("seed", self.seed, minimum=0)
        between("replan_above", self.replan_above, 0.0, 1.0)
        number("margin", self.margin, "it must be a number, 0 or more", lambda v: v >= 0)
        positive("largest_update", self.largest_update, "no unit")
        if not 0.0 < self.quantile < 1.0:
            raise ArgumentError("quantile", self.quantile, "it must lie between 0 and 1")
        _one_of("missed", self.missed, MISSED)
        _refuse_unfit_policy(self.policy)
        if self.discipline is not None:
            _one_of("discipline", self.discipline, DISCIPLINES)

    @property
    def slot_width_s(self) -> float:
        """One upload and its guard time."""
        return self.upload_time_s + self.guard_s

    def beyond_the_run(self) -> dict[str, Any]:
        """The settings that a `RunConfig` has no name for."""
        shared = RunConfig.model_fields.keys()
        return {f.name: getattr(self, f.name) for f in fields(self) if f.name not in shared}

    def run_config(self, about: RunConfig | None, name: str, max_rounds: int) -> RunConfig:
        """What a federation's run directory says in its config.toml.

        `about` holds what only the app knows: data, model, local work.
        """
        table: dict[str, Any] = {"dataset": "the nodes' own", "model": "the app's own"}
        if about is not None:
            table = about.model_dump(exclude_unset=True)
        mine = {f.name: getattr(self, f.name) for f in fields(self)}
        table |= {key: mine[key] for key in mine.keys() & RunConfig.model_fields.keys()}
        table |= {"name": name, "max_rounds": max_rounds, "executor": "flower"}
        table["evaluation"] = "full"
        table.pop("upload_clusters", None)
        return RunConfig.model_validate(table)


_SEE_MORE = ("proportional-fair", "channel-aware", "oort", "power-of-choice")  # channels, losses


def _refuse_unfit_policy(policy: str) -> None:
    """Complain of a policy that has no rounds, or that must see what a server does not see."""
    if policy in FLOWS:
        raise ArgumentError("policy", policy, "it has no rounds, which Flower's strategies do")
    fit = [name for name in ROUND_POLICIES if name not in _SEE_MORE]
    if policy.partition("/")[0] not in fit:
        raise ArgumentError("policy", policy, f"in a federation it may be {', '.join(fit)}")


def _one_of(name: str, value: object, accepted: tuple[str, ...]) -> None:
    if value not in accepted:
        raise ArgumentError(name, value, f"it must be one of {', '.join(accepted)}")
