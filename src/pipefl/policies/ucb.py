"""Clients that were fast, or might be."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pipefl.checks import between
from pipefl.policies.choosing import cohort_size, highest
from pipefl.policies.policy import State
from pipefl.policies.scene import Scene
from pipefl.timeline.round import Round


@dataclass(frozen=True, eq=False)
class Trials:
    """What scheduling a client has shown so far; arrays have M entries.

    `scheduled` counts the rounds in which it was given a model, `observed` those in which
    it delivered in time, `total_s` is the sum of its times in these, and `longest_s` the
    longest time of any client.
    """

    scheduled: NDArray[np.int64]
    observed: NDArray[np.int64]
    total_s: NDArray[np.float64]
    longest_s: float


@dataclass(frozen=True)
class Ucb:
    r"""The n clients with the highest upper confidence bound on how fast they are (CS-UCB).

    .. math:: \mathcal{S}[t] = \operatorname{top}_n \Big( \bar{r}_m
        + \sqrt{\frac{c \ln (t + 1)}{z_m}} \Big), \qquad
        r_m = 1 - \frac{\tau_m + \tau_{\text{com},m}}{\tau_{\max}}

    From: Xia, Quek, Guo, Wen, Yang and Zhu, *Multi-Armed Bandit-Based Client Scheduling for
    Federated Learning* (2020). Assumes nothing of the clients' times, and learns them from
    the clients that it schedules; clients that were never scheduled go first, by index.

    Simplified: the paper takes the longest possible time as known; here τ_max is the
    longest seen so far, and older rewards are scaled with it. Its queues for fairness
    (CS-UCB-Q) are left out. A client that was scheduled in vain shows no time and brings
    a reward of 0.

    Legend: r̄ mean reward; τ + τ_com the client's own computing and uploading, without the
    waiting that others cause; z rounds in which it was scheduled; t round from 0; n
    clients a round, `per_channel` for each sub-channel; c `exploration`, None for the
    paper's n + 1 (2 is the classical UCB1, 0 never looks back). Ties go to the lower
    index. O(M log M) a round.
    """

    per_channel: int = 1
    exploration: float | None = None
    name: str = "ucb"

    def start(self, scene: Scene) -> Trials:
        """No trials."""
        cohort_size(scene, self.per_channel)
        if self.exploration is not None:
            between("exploration", self.exploration, 0.0, 1e6)
        none = np.zeros(scene.num_clients, dtype=np.int64)
        return Trials(none, none, np.zeros(scene.num_clients), 0.0)

    def select(self, round_index: int, state: State, rng: np.random.Generator) -> NDArray[np.intp]:
        """The highest bounds first, of those that are available."""
        size = cohort_size(state.scene, self.per_channel)
        width = size + 1 if self.exploration is None else self.exploration
        trials: Trials = state.memory
        times = np.maximum(trials.scheduled, 1)
        bonus = np.sqrt(width * np.log(round_index + 1) / times)
        bound = np.where(trials.scheduled == 0, np.inf, mean_reward(trials) + bonus)
        return highest(bound, size, among=state.available)

    def learn(self, round_index: int, state: State, round_: Round) -> Trials:
        """One trial more of every client that was given the model in this round."""
        trials: Trials = state.memory
        fresh = round_.ready_s > 0
        seen = fresh & round_.delivered
        time_s = (round_.ready_s + round_.upload_end_s - round_.upload_start_s)[seen]
        scheduled, observed = trials.scheduled.copy(), trials.observed.copy()
        total_s = trials.total_s.copy()
        scheduled[round_.client[fresh]] += 1
        observed[round_.client[seen]] += 1
        total_s[round_.client[seen]] += time_s
        longest_s = float(time_s.max(initial=trials.longest_s))
        return Trials(scheduled, observed, total_s, longest_s)


def mean_reward(trials: Trials) -> NDArray[np.float64]:
    """r̄ of each client, from 0 to 1; 0 before its first trial.

    >>> times = np.array([6.0, 8.0, 0.0])
    >>> mean_reward(Trials(np.array([2, 1, 1]), np.array([2, 1, 0]), times, longest_s=8.0))
    array([0.625, 0.   , 0.   ])
    """
    if trials.longest_s == 0:
        return np.zeros(trials.total_s.size)
    rewards = trials.observed - trials.total_s / trials.longest_s
    return np.asarray(rewards / np.maximum(trials.scheduled, 1))
