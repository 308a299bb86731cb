"""Clients whose channel is better than usual."""

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from pipefl.checks import count
from pipefl.errors import ArgumentError
from pipefl.policies.choosing import cohort_size, highest
from pipefl.policies.policy import State
from pipefl.policies.scene import Scene
from pipefl.timeline.round import Round
from pipefl.wireless import ChannelState

Measure = Literal["snr", "rate"]


@dataclass(frozen=True, eq=False)
class RunningMean:
    """The mean of each client's measure over the rounds so far, M values."""

    mean: NDArray[np.float64]


@dataclass(frozen=True)
class ProportionalFair:
    r"""The n clients whose channel is best compared with its own running mean.

    .. math:: \mathcal{S}[t] = \operatorname{top}_n \frac{\gamma_m[t]}{\bar\gamma_m[t]}, \qquad
        \bar\gamma_m[t+1] = (1 - \beta_t)\, \bar\gamma_m[t] + \beta_t\, \gamma_m[t], \qquad
        \beta_t = \max\Big( \frac{1}{t+1}, \frac{1}{W} \Big)

    From: Yang, Liu, Quek and Poor, *Scheduling Policies for Federated Learning in Wireless
    Networks* (2020). Who is near or far does not matter, only who is at a peak. Assumes
    that the server measures every client's channel in every round, whether it takes part
    or not, and even if it is not available.

    Legend: γ `measure`, the SNR as in the paper, or the rate; γ̄ its mean over all rounds
    before, or, with a `window` of W rounds, with weights that fade away; t from 0; n
    clients a round, `per_channel` for each sub-channel. Ties go to the lower index; in round
    0, which has no mean yet, all are equal. A client without a rate comes last, one that
    has its first comes first. O(M log M) a round.
    """

    per_channel: int = 1
    measure: Measure = "snr"
    window: int | None = None
    name: str = "proportional-fair"

    def start(self, scene: Scene) -> None:
        """Complains of a missing channel state and of bad settings."""
        scene.needed_channel(self.name)
        cohort_size(scene, self.per_channel)
        if self.measure not in get_args(Measure):
            accepted = f"it must be one of {', '.join(get_args(Measure))}"
            raise ArgumentError("measure", self.measure, accepted)
        if self.window is not None:
            count("window", self.window)

    def select(self, round_index: int, state: State, rng: np.random.Generator) -> NDArray[np.intp]:
        """The best ratios first, of those that are available."""
        measured = self._measured(state.scene.needed_channel(self.name), round_index)
        usual = measured if state.memory is None else state.memory.mean
        unusual = np.where(measured > 0, np.inf, 0.0)
        ratio = np.divide(measured, usual, out=unusual, where=usual > 0)
        size = cohort_size(state.scene, self.per_channel)
        return highest(ratio, size, among=state.available)

    def learn(self, round_index: int, state: State, round_: Round) -> RunningMean:
        """The means with this round in them."""
        measured = self._measured(state.scene.needed_channel(self.name), round_index)
        if state.memory is None:
            return RunningMean(measured)
        share = 1 / (round_index + 1)
        if self.window is not None:
            share = max(share, 1 / self.window)
        return RunningMean((1 - share) * state.memory.mean + share * measured)

    def _measured(self, channel: ChannelState, round_index: int) -> NDArray[np.float64]:
        if self.measure == "snr":
            return channel.snr(round_index)
        return channel.rates_bits_per_s(round_index)
