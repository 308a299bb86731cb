"""The ways to run rounds that `optimise_schedule` compares, and how long their rounds last."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from pipefl.plan.bounds import least_slack_s, most_clusters, typed_slack_s
from pipefl.plan.clustering import plan_clusters
from pipefl.plan.conventional import expected_slowest_s
from pipefl.plan.cut import cut_sorted_clients
from pipefl.plan.recommendation import slack_for_equal_clusters_s
from pipefl.plan.tried import whole_numbers_between
from pipefl.policies.cohorts import clustered_cohorts, uniform_cohorts
from pipefl.policies.measured_load import measure_load
from pipefl.policies.rounds_curve import RoundsCurve
from pipefl.policies.scene import Scene
from pipefl.randomness import generator
from pipefl.timeline.demand import DISCIPLINES, Discipline
from pipefl.timeline.durations import round_times

MOST_TRIED = 64  # values of N, and of K for each N


@dataclass(frozen=True)
class ScheduleCandidate:
    """One way to run rounds: N clients of K clusters, or K N of all if the policy is `uniform`.

    `rolling` has no rounds, no discipline and 0 clusters: its `clients_per_round` are those
    in flight, and a round stands for as many uploads.

    `smallest` and `largest` are the clusters' sizes. `round_s` is the mean duration of a
    round and `round_error_s` its standard error, 0 where it is exact. They are None where
    `least_round_s`, which no mean is below, was enough to see that another candidate of
    this policy and discipline is faster.
    """

    policy: str
    discipline: Discipline | Literal["none"]
    num_channels: int
    num_clusters: int
    slack_s: float
    clients_per_round: int
    smallest: int
    largest: int
    upload_time_s: float
    rounds: float
    extrapolated: bool
    least_round_s: float
    round_s: float | None = None
    round_error_s: float | None = None

    @property
    def seconds(self) -> float:
        """Seconds to the target, ∞ where `round_s` is None."""
        return math.inf if self.round_s is None else self.rounds * self.round_s

    @property
    def least_seconds(self) -> float:
        """What `seconds` is not below, but for the chance in a simulated mean."""
        return self.rounds * self.least_round_s

    def __str__(self) -> str:
        if self.policy == "rolling":
            return f"rolling (N = {self.num_channels}, W = {self.clients_per_round})"
        slack = f", Δ = {self.slack_s:g} s" if self.policy == "clustered" else ""
        chosen = f"N = {self.num_channels}, K = {self.num_clusters}{slack}"
        return f"{self.policy} clients with {self.discipline} ({chosen})"


@dataclass(frozen=True, eq=False)
class ScheduleQuestion:
    """What is asked, checked; times are ascending."""

    sorted_s: NDArray[np.float64]
    one_channel_s: float
    server_s: float
    curve: RoundsCurve
    uniform_curve: RoundsCurve
    rolling_curve: RoundsCurve | None
    slacks_s: list[float] | None
    disciplines: list[Discipline]
    most_served: int
    seed: int
    num_rounds: int

    def curve_of(self, policy: str, num_clusters: int) -> RoundsCurve:
        """The curve for how these clients are drawn."""
        if policy == "rolling" and self.rolling_curve is not None:
            return self.rolling_curve
        return self.uniform_curve if policy == "uniform" or num_clusters == 1 else self.curve

    def scene(self, num_channels: int) -> Scene:
        """The clients and N sub-channels that share the band."""
        return Scene(
            self.sorted_s,
            np.full(self.sorted_s.size, num_channels * self.one_channel_s),
            num_channels=num_channels,
            server_time_s=self.server_s,
        )

    def slacks(self, num_clusters: int, upload_s: float) -> list[float]:
        """The Δ to try: as given where K fits, or the least for K and for equal clusters."""
        extremes_s = float(self.sorted_s[0]), float(self.sorted_s[-1])
        if self.slacks_s is not None:
            most = [most_clusters(*extremes_s, upload_s, each_s) for each_s in self.slacks_s]
            return [s for s, fit in zip(self.slacks_s, most, strict=True) if num_clusters <= fit]
        least_s = least_slack_s(*extremes_s, upload_s, num_clusters)
        equal_s = slack_for_equal_clusters_s(self.sorted_s, upload_s, num_clusters)
        return sorted({typed_slack_s(slack_s, extremes_s[1]) for slack_s in (least_s, equal_s)})

    def clusters(self, num_channels: int, most_s: float) -> list[int]:
        """The K to try: as long as K N uploads alone need not take longer than `most_s`."""
        most = min(self.sorted_s.size, max(self.most_served, num_channels))
        served = num_channels * np.arange(1, most // num_channels + 1)
        rounds = np.minimum(self.curve.rounds(served), self.uniform_curve.rounds(served))
        busy_s = self.sorted_s[0] + served * self.one_channel_s + self.server_s
        hopeful = np.flatnonzero(rounds * busy_s <= most_s)
        most = int(hopeful[-1]) + 1 if hopeful.size else 1
        return whole_numbers_between(1, most, MOST_TRIED)


def schedule_candidates(
    question: ScheduleQuestion, channels: list[int]
) -> Iterator[ScheduleCandidate]:
    """All candidates, the simplest first."""
    lasting_s = question.sorted_s[-1] + question.server_s + min(question.slacks_s or [0.0])
    seconds = [  # which any policy with K = 1 stays below
        float(question.uniform_curve.rounds(n)) * (lasting_s + n * question.one_channel_s)
        for n in channels
    ]
    for n in channels:
        for clusters in question.clusters(n, min(seconds)):
            slacks = question.slacks(clusters, n * question.one_channel_s)
            for discipline in reversed(DISCIPLINES):
                if discipline not in question.disciplines:
                    continue
                if discipline == "fifo" or (discipline == "wait-all" and clusters == 1):
                    yield _candidate(question, "uniform", discipline, (n, clusters, 0.0))
                if discipline != "wait-all":
                    for slack_s in slacks:
                        yield _candidate(question, "clustered", discipline, (n, clusters, slack_s))


def _candidate(
    question: ScheduleQuestion, policy: str, discipline: Discipline, choice: tuple[int, int, float]
) -> ScheduleCandidate:
    """A candidate with N, K and Δ of `choice`, and its duration as far as formulas give it."""
    channels, clusters, slack_s = choice
    sorted_s, upload_s = question.sorted_s, channels * question.one_channel_s
    if policy == "uniform":
        taken, groups = [channels * clusters], [sorted_s]
    else:
        cut = cut_sorted_clients(sorted_s, upload_s, clusters, slack_s)
        taken = np.minimum(cut.size, channels).tolist()
        groups = np.split(sorted_s, cut.boundary[:-1])
    is_exact = discipline == "slots" or clusters == 1
    if discipline == "slots":
        round_s = float(sorted_s[-1]) + slack_s + upload_s + question.server_s
    else:
        round_s = _least_round_s(groups, taken, upload_s, channels, discipline) + question.server_s
    curve, served = question.curve_of(policy, clusters), sum(taken)
    sizes = [group.size for group in groups]
    return ScheduleCandidate(
        policy=policy,
        discipline=discipline,
        num_channels=channels,
        num_clusters=clusters,
        slack_s=slack_s,
        clients_per_round=served,
        smallest=min(sizes),
        largest=max(sizes),
        upload_time_s=upload_s,
        rounds=float(curve.rounds(served)),
        extrapolated=bool(curve.extrapolates(served)),
        least_round_s=round_s,
        round_s=round_s if is_exact else None,
        round_error_s=0.0 if is_exact else None,
    )


def _least_round_s(
    groups: list[NDArray[np.float64]],
    taken: list[int],
    upload_s: float,
    num_channels: int,
    discipline: Discipline,
) -> float:
    r"""What the mean duration of a round without τ_server cannot be below.

    .. math:: \max\Big( \mathrm{E}[\text{slowest}] + \tau_\text{com},\ \max_k \Big(
        \mathrm{E}[r_k] + \Big\lceil \frac{1}{N} \sum_{i \ge k} n_i \Big\rceil
        \tau_\text{com} \Big) \Big)

    Legend: n_k `taken` of the clients `groups[k]`, by ascending times; r_k when the first of
    them may transmit: with fifo when the fastest is ready, otherwise the slowest. Exact if
    all N upload at once. O(M).
    """
    some = [(times_s, n) for times_s, n in zip(groups, taken, strict=True) if n]
    slowest_s = np.array([expected_slowest_s(times_s, n) for times_s, n in some])
    release_s = slowest_s
    if discipline == "fifo":
        release_s = -np.array([expected_slowest_s(-times_s[::-1], n) for times_s, n in some])
    left = np.cumsum([n for _, n in reversed(some)])[::-1]
    busy_s = -(-left // num_channels) * upload_s
    return float(max(slowest_s[-1] + upload_s, (release_s + busy_s).max()))


def settled_candidates(
    question: ScheduleQuestion, family: list[ScheduleCandidate]
) -> list[ScheduleCandidate]:
    """The candidates of one policy and discipline, simulated until the fastest is known."""
    settled = []
    fastest_s = min(each.seconds for each in family)
    for candidate in sorted(family, key=lambda each: each.least_seconds):
        is_open = candidate.round_s is None and candidate.least_seconds < fastest_s
        settled.append(_simulated(question, candidate) if is_open else candidate)
        fastest_s = min(fastest_s, settled[-1].seconds)
    return settled


def _simulated(question: ScheduleQuestion, candidate: ScheduleCandidate) -> ScheduleCandidate:
    """The candidate with the mean duration of simulated rounds."""
    if candidate.policy == "rolling":
        scene = question.scene(candidate.num_channels)
        load = measure_load(scene, candidate.clients_per_round, seed=question.seed)
        round_s = candidate.clients_per_round / load.clients_per_s
        return replace(candidate, round_s=round_s, round_error_s=round_s * load.relative_error)
    rng, num_rounds = generator(question.seed, "optimise-schedule"), question.num_rounds
    plan = None
    if candidate.policy == "uniform":
        num_clients, served = question.sorted_s.size, candidate.clients_per_round
        cohorts = uniform_cohorts(num_clients, served, num_rounds, rng)
    else:
        plan = plan_clusters(
            question.sorted_s,
            candidate.upload_time_s,
            num_clusters=candidate.num_clusters,
            slack_s=candidate.slack_s,
        )
        cohorts = clustered_cohorts(plan, candidate.num_channels, num_rounds, rng)
    duration_s = round_times(
        cohorts,
        question.sorted_s,
        candidate.upload_time_s,
        candidate.num_channels,
        discipline=_with_rounds(candidate.discipline),
        plan=plan,
        server_time_s=question.server_s,
    ).duration_s
    error_s = float(duration_s.std(ddof=1)) / math.sqrt(num_rounds)
    return replace(candidate, round_s=float(duration_s.mean()), round_error_s=error_s)


def _with_rounds(discipline: Discipline | Literal["none"]) -> Discipline:
    assert discipline != "none"  # noqa: S101  # only rolling has none
    return discipline
