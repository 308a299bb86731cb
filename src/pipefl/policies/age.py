"""Clients that have not been heard of for longest."""

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from pipefl.errors import ArgumentError
from pipefl.policies.choosing import cohort_size, highest
from pipefl.policies.policy import State
from pipefl.policies.scene import Scene
from pipefl.timeline.round import Round

ChannelUse = Literal["ignore", "tie-break", "weight"]


@dataclass(frozen=True)
class Age:
    r"""The n clients whose last update is oldest, or oldest in proportion to their channel.

    .. math:: \mathcal{S}[t] = \operatorname{top}_n \Delta_m[t], \qquad
        \Delta_m[t] = t - t_m

    From: Yang, Arafa, Quek and Poor, *Age-Based Scheduling Policy for Federated Learning in
    Mobile Edge Networks* (2020), which weighs the age of update against the channel.
    Assumes nothing: with the channel ignored and every update delivered it is round robin.
    Unlike round robin it comes back to a client that was scheduled in vain.

    Simplified: the paper gives a client as many sub-channels as its channel needs in the
    round and asks for most age for them; here a client has one sub-channel, and `weight`
    takes Δ_m R_m[t] in place of Δ_m, so that with half the rate a client waits twice as
    long.

    Legend: Δ age in rounds, t round from 0, t_m the last round that client m delivered in
    (−1 before the first); R rate; n clients a round, `per_channel` for each sub-channel.
    `channel` says what the rate is for: with `tie-break` it decides between equal ages if
    the scene has a channel state, `weight` needs one, `ignore` does not look. What is still
    equal goes to the lower index. Who is not available goes on ageing. O(M log M) a round.
    """

    per_channel: int = 1
    channel: ChannelUse = "tie-break"
    name: str = "age"

    def start(self, scene: Scene) -> None:
        """Complains of bad settings, and of a missing channel state if ages are weighted."""
        cohort_size(scene, self.per_channel)
        if self.channel not in get_args(ChannelUse):
            accepted = f"it must be one of {', '.join(get_args(ChannelUse))}"
            raise ArgumentError("channel", self.channel, accepted)
        if self.channel == "weight":
            scene.needed_channel(self.name)

    def select(self, round_index: int, state: State, rng: np.random.Generator) -> NDArray[np.intp]:
        """The oldest first, of those that are available."""
        size = cohort_size(state.scene, self.per_channel)
        age = (round_index - state.last_round).astype(np.float64)
        if self.channel == "ignore" or state.scene.channel is None:
            return highest(age, size, among=state.available)
        rates = state.scene.channel.rates_bits_per_s(round_index)
        if self.channel == "weight":
            return highest(age * rates, size, among=state.available)
        return highest(age, size, tie_break=rates, among=state.available)

    def learn(self, round_index: int, state: State, round_: Round) -> None:
        """Nothing: the state knows who delivered when."""
