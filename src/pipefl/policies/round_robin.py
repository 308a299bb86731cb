"""Clients in a fixed order, group after group."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pipefl.policies.choosing import cohort_size
from pipefl.policies.policy import State
from pipefl.policies.scene import Scene
from pipefl.timeline.round import Round


@dataclass(frozen=True)
class RoundRobin:
    r"""Group after group in the order of the clients' indices, then from the start again.

    .. math:: \mathcal{S}[t] = \{ (n t + i) \bmod M : 0 \le i < n \}

    From: Yang, Liu, Quek and Poor, *Scheduling Policies for Federated Learning in Wireless
    Networks* (2020). There n divides M and the groups are fixed. Here the last group is
    filled up from the first one if it does not, so that every round has n clients and all
    take part equally often. Assumes nothing, and leaves nothing to chance; a client that
    missed its turn waits for the next one. So does one that is not available when its turn
    comes: it is passed over, and the formula is for those that are.

    Legend: n clients a round, `per_channel` for each sub-channel. O(M) a round.
    """

    per_channel: int = 1
    name: str = "round-robin"

    def start(self, scene: Scene) -> int:
        """Whose turn is first; complains of a cohort larger than the population."""
        cohort_size(scene, self.per_channel)
        return 0

    def select(self, round_index: int, state: State, rng: np.random.Generator) -> NDArray[np.intp]:
        """The next group, in order."""
        return self._next_group(state)

    def learn(self, round_index: int, state: State, round_: Round) -> int:
        """Whose turn is next: the one after the last that was selected."""
        group = self._next_group(state)
        turn: int = state.memory
        return (int(group[-1]) + 1) % state.scene.num_clients if group.size else turn

    def _next_group(self, state: State) -> NDArray[np.intp]:
        in_turn = np.roll(np.arange(state.scene.num_clients), -state.memory)
        return in_turn[state.available[in_turn]][: cohort_size(state.scene, self.per_channel)]
