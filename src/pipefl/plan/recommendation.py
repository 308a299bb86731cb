"""Which K and Δ to take for a stated wish."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pipefl.checks import count, non_negative_seconds, positive_seconds
from pipefl.errors import ArgumentError, PipeflError
from pipefl.plan.bounds import least_slack_s, most_clusters, preferred_clusters, typed_slack_s
from pipefl.plan.cluster_plan import ClusterPlan
from pipefl.plan.clustering import MOST_CLUSTERS, plan_clusters
from pipefl.plan.cut import Cut, cut_sorted_clients
from pipefl.plan.times import compute_times
from pipefl.plan.tried import whole_numbers_between
from pipefl.wording import counted

_MOST_TRIED = 256


@dataclass(frozen=True, eq=False)
class Recommendation:
    """A plan with the K and Δ that meet a wish, and the reason in words."""

    plan: ClusterPlan
    reason: str


@dataclass(frozen=True, eq=False)
class _Question:
    """What is asked, and the clients it is asked for."""

    sorted_s: NDArray[np.float64]
    upload_time_s: float
    num_channels: int
    server_time_s: float

    @property
    def extremes_s(self) -> tuple[float, float]:
        return float(self.sorted_s[0]), float(self.sorted_s[-1])

    def round_s(self, slack_s: float) -> float:
        return self.extremes_s[1] + slack_s + self.upload_time_s + self.server_time_s

    def cut(self, num_clusters: int, slack_s: float) -> Cut:
        return cut_sorted_clients(self.sorted_s, self.upload_time_s, num_clusters, slack_s)

    def served(self, num_clusters: int, slack_s: float) -> int:
        return self.cut(num_clusters, slack_s).clients_per_round(self.num_channels)

    def least_slack_s(self, num_clusters: int) -> float:
        least_s = least_slack_s(*self.extremes_s, self.upload_time_s, num_clusters)
        return typed_slack_s(least_s, self.extremes_s[1])

    def equal_slack_s(self, num_clusters: int) -> float:
        equal_s = slack_for_equal_clusters_s(self.sorted_s, self.upload_time_s, num_clusters)
        return max(typed_slack_s(equal_s, self.extremes_s[1]), self.least_slack_s(num_clusters))

    def most_clusters(self, slack_s: float) -> int:
        """How many clusters that slack admits, at most as many as clients or as a plan may have."""
        limit = min(self.sorted_s.size, MOST_CLUSTERS)
        if math.isinf(slack_s):
            return limit
        return min(most_clusters(*self.extremes_s, self.upload_time_s, slack_s), limit)


def recommend(
    compute_time_s: ArrayLike,
    upload_time_s: float,
    *,
    num_channels: int = 1,
    server_time_s: float = 0.0,
    min_clients_per_round: int | None = None,
    max_round_s: float | None = None,
    smallest_spread: bool = False,
) -> Recommendation:
    """Choose the number of clusters K and the slack Δ for what is wished.

    - `min_clients_per_round=C`: the shortest round that serves at least C clients.
    - `max_round_s=T`: the most clients in a round of at most T seconds, then the
      shortest such round.
    - `smallest_spread=True`: K by eq:choosing_K, or as many as C asks for, and the
      smallest Δ that makes all clusters equal. With T, as near to that as T allows.

    Wishes go together; at least one must be given. Clients per round never fall and
    clusters never become less equal as Δ grows, because the relaxed optimum is the
    least spread of all feasible sizes in the sense of majorisation; so the smallest Δ
    is found by bisection. Where more than 256 values of K come into question, 256 at
    equal ratios are tried. Legend as in `plan_clusters` and `sweep`.

    >>> wish = recommend([1, 2, 3, 4, 5, 6], upload_time_s=1.0, min_clients_per_round=5)
    >>> wish.plan.num_clusters, wish.plan.slack_s
    (5, 0.0)
    """
    question = _Question(
        np.sort(compute_times(compute_time_s)),
        positive_seconds("upload_time_s", upload_time_s),
        count("num_channels", num_channels),
        non_negative_seconds("server_time_s", server_time_s),
    )
    least = _checked_clients(question, min_clients_per_round)
    spare_s = math.inf if max_round_s is None else _spare_time_s(question, max_round_s)
    if smallest_spread:
        clusters, slack_s, reason = _most_equal(question, least or 1, spare_s)
    elif least is not None:
        clusters, slack_s, reason = _shortest_round(question, least, spare_s)
    elif max_round_s is not None:
        clusters, slack_s, reason = _most_clients(question, spare_s)
    else:
        raise PipeflError(
            "nothing is wished for: give min_clients_per_round, max_round_s or smallest_spread"
        )
    plan = plan_clusters(compute_time_s, upload_time_s, num_clusters=clusters, slack_s=slack_s)
    return Recommendation(plan, f"{reason} {_outcome(question, clusters, slack_s)}")


def slack_for_equal_clusters_s(
    sorted_time_s: NDArray[np.float64], upload_time_s: float, num_clusters: int
) -> float:
    r"""The smallest Δ_global at which no constraint keeps the clusters from being equal.

    .. math:: \Delta = \max_k \Big( \mathcal{T}\big[\lceil kM/K \rceil\big]
        - \big(\tau_\text{max} - (K - k)\,\tau_\text{com}\big) \Big)

    which is π_k ≥ kM/K for all k: by theorem:inactive_Constraints no constraint is
    then active. At least 0, since for k = K the difference is 0. O(K).

    >>> slack_for_equal_clusters_s(np.array([1.0, 2.0, 9.0, 10.0]), 5.0, num_clusters=2)
    0.0
    >>> slack_for_equal_clusters_s(np.array([6.0, 7.0, 9.0, 10.0]), 5.0, num_clusters=2)
    2.0
    """
    k = np.arange(1, num_clusters + 1)
    equal = -(-k * sorted_time_s.size // num_clusters)
    slots_s = sorted_time_s[-1] - (num_clusters - k) * upload_time_s
    return float((sorted_time_s[equal - 1] - slots_s).max())


def _shortest_round(question: _Question, least: int, spare_s: float) -> tuple[int, float, str]:
    fewest = -(-least // question.num_channels)
    best: tuple[int, float] | None = None
    for clusters in _from_fewest(question, fewest, least, spare_s):
        limit_s = spare_s if best is None else best[1]
        slack_s = _least_slack_serving(question, clusters, least, limit_s)
        if slack_s is not None and (best is None or slack_s < best[1]):
            best = clusters, slack_s
    if best is None:
        raise PipeflError(_out_of_reach(question, least, spare_s))
    reason = (
        f"To serve {counted(least, 'client')} a round over "
        f"{counted(question.num_channels, 'sub-channel')} takes at least "
        f"{counted(fewest, 'cluster')}; the shortest round that does has "
        f"K = {best[0]:,} and Δ = {best[1]:g} s"
    )
    return *best, reason + (", no slack at all." if best[1] == 0 else ", the least slack for it.")


def _most_clients(question: _Question, spare_s: float) -> tuple[int, float, str]:
    candidates = whole_numbers_between(1, question.most_clusters(spare_s), _MOST_TRIED)
    served = [question.served(clusters, spare_s) for clusters in candidates]
    most = max(served)
    clusters = candidates[served.index(most)]
    slack_s = _least_slack_serving(question, clusters, most, spare_s)
    reason = (
        f"In a round of at most {question.round_s(spare_s):g} s no K serves more than "
        f"{counted(most, 'client')}; K = {clusters:,} is the smallest that does"
    )
    return clusters, spare_s if slack_s is None else slack_s, reason + "."


def _most_equal(question: _Question, least: int, spare_s: float) -> tuple[int, float, str]:
    preferred = preferred_clusters(*question.extremes_s, question.upload_time_s, 0.0)
    wanted = max(preferred, -(-least // question.num_channels))
    clusters = min(wanted, question.most_clusters(spare_s))
    equal_s = question.equal_slack_s(clusters)
    slack_s = min(equal_s, spare_s)
    if question.served(clusters, slack_s) < least:
        raise PipeflError(_out_of_reach(question, least, spare_s))
    chosen = "For these times the other wishes lead to"
    if clusters == preferred:
        chosen = "For these times eq:choosing_K gives"
    elif clusters == question.sorted_s.size:
        chosen = "With a client in each of them there are"
    elif clusters == MOST_CLUSTERS:
        chosen = "The most clusters that a plan may have are"
    how = (
        "the smallest with which all clusters are equal"
        if slack_s >= equal_s
        else f"all the time there is; equal clusters would take {equal_s:g} s"
    )
    return (
        clusters,
        slack_s,
        f"{chosen} K = {clusters:,}; Δ = {slack_s:g} s is {how}.",
    )


def _from_fewest(question: _Question, fewest: int, least: int, spare_s: float) -> list[int]:
    """The K with which K·N ≥ C that need no more slack than the fewest clusters do."""
    slack_s = _least_slack_serving(question, fewest, least, spare_s)
    most = question.most_clusters(spare_s if slack_s is None else slack_s)
    return whole_numbers_between(fewest, max(fewest, most), _MOST_TRIED)


def _least_slack_serving(
    question: _Question, clusters: int, least: int, limit_s: float
) -> float | None:
    """The smallest Δ with which K clusters serve C clients a round, or None above the limit."""
    low_s = question.least_slack_s(clusters)
    if low_s > limit_s:
        return None
    if question.served(clusters, low_s) >= least:
        return low_s
    high_s = min(limit_s, question.equal_slack_s(clusters))
    if question.served(clusters, high_s) < least:
        return None
    while high_s - low_s > 1e-7 * high_s:
        middle_s = (low_s + high_s) / 2
        serves = question.served(clusters, middle_s) >= least
        low_s, high_s = (low_s, middle_s) if serves else (middle_s, high_s)
    short_s = float(f"{high_s:.6g}")
    return short_s if question.served(clusters, short_s) >= least else high_s


def _checked_clients(question: _Question, min_clients_per_round: int | None) -> int | None:
    if min_clients_per_round is None:
        return None
    most = question.sorted_s.size
    least = count("min_clients_per_round", min_clients_per_round, maximum=most)
    fewest = -(-least // question.num_channels)
    if fewest > MOST_CLUSTERS:
        accepted = (
            f"over {counted(question.num_channels, 'sub-channel')} that takes {fewest:,} clusters, "
            f"more than {MOST_CLUSTERS:,}; give more channels"
        )
        raise ArgumentError("min_clients_per_round", least, accepted)
    return least


def _spare_time_s(question: _Question, max_round_s: float) -> float:
    """The Δ that a round of at most `max_round_s` leaves."""
    shortest_s = question.round_s(0.0)
    longest_s = positive_seconds("max_round_s", max_round_s)
    if longest_s < shortest_s * (1 - 1e-12):
        accepted = f"the slowest client alone makes a round of {shortest_s:.6g} s"
        raise ArgumentError("max_round_s", longest_s, accepted)
    return max(0.0, longest_s - shortest_s)


def _out_of_reach(question: _Question, least: int, spare_s: float) -> str:
    most = max(
        question.served(clusters, spare_s)
        for clusters in whole_numbers_between(1, question.most_clusters(spare_s), _MOST_TRIED)
    )
    return (
        f"no plan serves {least:,} clients in a round of at most {question.round_s(spare_s):g} s: "
        f"over {counted(question.num_channels, 'sub-channel')} the most is {most:,}; "
        "allow a longer round or more channels"
    )


def _outcome(question: _Question, clusters: int, slack_s: float) -> str:
    cut = question.cut(clusters, slack_s)
    served = cut.clients_per_round(question.num_channels)
    without = f" ({question.round_s(0.0):g} s without slack)" if slack_s else ""
    return (
        f"{counted(served, 'client')} a round in {question.round_s(slack_s):g} s"
        f"{without}, clusters of {_range(int(cut.size.min()), int(cut.size.max()))}."
    )


def _range(smallest: int, largest: int) -> str:
    clients = counted(largest, "client")
    return clients if smallest == largest else f"{smallest:,} to {clients}"
