"""Random clients, likelier the more their update matters and the faster it uploads."""

import math
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from pipefl.checks import between
from pipefl.errors import ArgumentError
from pipefl.policies.choosing import cohort_size, draw_by_weight
from pipefl.policies.loss_stand_in import current_losses
from pipefl.policies.policy import State
from pipefl.policies.scene import Scene
from pipefl.timeline.round import Round

ImportanceFrom = Literal["losses", "samples"]


@dataclass(frozen=True)
class ChannelAware:
    r"""A random cohort that trades the importance of updates for the latency of uploads.

    .. math:: p_m[t] = a_m[t] \sqrt{\frac{\rho}{(1-\rho)\, b_m[t] + \lambda}}, \qquad
        \sum_m p_m[t] = 1

    minimises :math:`\rho \sum_m a_m^2 / p_m + (1 - \rho) \sum_m p_m b_m`: the variance of
    the unbiased average that one client gives, and the mean time of its upload. The first
    client is drawn with p, each further one with p among those that are left.

    From: Ren, He, Wen, Yu, Huang and Guo, *Scheduling for Cellular Federated Edge Learning
    with Importance and Channel Awareness* (2020). Assumes that the server knows, before
    anybody is scheduled, every client's channel and how much its update will matter.

    Simplified: importance is (n_m/n)‖g_m‖ in the paper; here n_m times the client's loss
    stands in for it, or n_m alone. Importances are divided by their sum and latencies by
    their mean, so that ρ has no unit. The weight 1/p_m of the paper's unbiased average
    is no part of the selection.

    Legend: a importance, from `importance_from`; b latency; ρ `importance_weight`, from
    0.001 (the fastest uploads) to 1 (the channel plays no role); λ makes the sum 1. With
    an update of as many bits as take `Scene.upload_time_s` at the uplink's own rate R, the
    latency is upload_time_s · R/R_m[t]. A client without a rate comes last. `per_channel`
    clients for each sub-channel. O(M log M) a round.
    """

    per_channel: int = 1
    importance_weight: float = 0.5
    importance_from: ImportanceFrom = "losses"
    name: str = "channel-aware"

    def start(self, scene: Scene) -> None:
        """Complains of a missing channel state or missing losses, and of bad settings."""
        if self.importance_from not in get_args(ImportanceFrom):
            accepted = f"it must be one of {', '.join(get_args(ImportanceFrom))}"
            raise ArgumentError("importance_from", self.importance_from, accepted)
        between("importance_weight", self.importance_weight, 0.001, 1.0)
        cohort_size(scene, self.per_channel)
        scene.needed_channel(self.name)
        if self.importance_from == "losses":
            scene.needed_losses(self.name)

    def select(self, round_index: int, state: State, rng: np.random.Generator) -> NDArray[np.intp]:
        """A weighted draw without replacement from those that are available."""
        size = cohort_size(state.scene, self.per_channel)
        reachable = np.flatnonzero(state.available)
        weight = self.probabilities(round_index, state)[reachable]
        return reachable[draw_by_weight(weight, size, rng)]

    def learn(self, round_index: int, state: State, round_: Round) -> None:
        """Nothing: channel and losses are new in every round."""

    def probabilities(self, round_index: int, state: State) -> NDArray[np.float64]:
        """p, with which the first client of the round is drawn; all 0 if nobody can upload.

        The sum is over those that are available.
        """
        scene = state.scene
        channel = scene.needed_channel(self.name)
        rates = channel.rates_bits_per_s(round_index)
        importance = scene.samples.astype(np.float64)
        if self.importance_from == "losses":
            importance = importance * current_losses(scene, state.participation, self.name)
        able = np.flatnonzero(state.available & (rates > 0) & (importance > 0))
        probability = np.zeros(scene.num_clients)
        if able.size:
            latency_s = scene.upload_time_s[able] * channel.uplink.rate_bits_per_s / rates[able]
            probability[able] = best_probabilities(
                importance[able], latency_s, self.importance_weight
            )
        return probability


def best_probabilities(
    importance: NDArray[np.float64], latency: NDArray[np.float64], importance_weight: float
) -> NDArray[np.float64]:
    r"""The p of `ChannelAware` from importances and latencies above 0, in any units. O(M).

    With x = λ + (1 − ρ) b_min the sum of p falls in x, from at least 1 at x = ρ a_0² (a_0
    the importance of the fastest) to at most 1 at x = ρ: λ is found between the two.

    >>> best_probabilities(np.array([1.0, 3.0]), np.array([5.0, 2.0]), 1.0)
    array([0.25, 0.75])
    >>> best_probabilities(np.array([1.0, 1.0]), np.array([59.0, 5.0]), 0.5).round(4)
    array([0.3333, 0.6667])
    """
    from scipy.optimize import brentq

    share = importance / importance.sum()
    slower = (1 - importance_weight) * (latency - latency.min()) / latency.mean()

    def unscaled(log_x: float) -> NDArray[np.float64]:
        return np.asarray(share * np.sqrt(importance_weight / (slower + math.exp(log_x))))

    highest = math.log(importance_weight)
    lowest = highest + 2 * math.log(float(share[slower == 0].sum()))
    log_x = brentq(lambda y: float(unscaled(y).sum()) - 1, lowest - 1e-9, highest + 1e-9)
    probability = unscaled(log_x)
    return np.asarray(probability / probability.sum())
