"""Uniformly random clients: the conventional policy, and the baseline that the paper lacks."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pipefl.policies.choosing import cohort_size
from pipefl.policies.policy import State
from pipefl.policies.scene import Scene
from pipefl.timeline.round import Round


@dataclass(frozen=True)
class Uniform:
    r"""A cohort of fixed size, drawn uniformly from all clients without replacement.

    .. math:: P(m \in \mathcal{S}[t]) = \frac{|\mathcal{S}|}{M}

    From: McMahan et al., *Communication-Efficient Learning of Deep Networks from
    Decentralized Data* (2017), `random scheduling` in the wireless literature. With
    `per_channel=1` and waiting for all it is the conventional scheme of the paper; with
    `per_channel=K` and first come, first served it serves as many clients as the paper's
    schedule with no clusters at all. Assumes nothing.
    """

    per_channel: int = 1
    name: str = "uniform"

    def start(self, scene: Scene) -> None:
        """Complains of a cohort larger than the population."""
        cohort_size(scene, self.per_channel)

    def select(self, round_index: int, state: State, rng: np.random.Generator) -> NDArray[np.intp]:
        """`per_channel` clients for each sub-channel, or all that are available if fewer."""
        reachable = np.flatnonzero(state.available)
        size = min(cohort_size(state.scene, self.per_channel), reachable.size)
        return rng.choice(reachable, size, replace=False)

    def inclusion(self, scene: Scene) -> NDArray[np.float64]:
        """|𝒮| / M for everybody."""
        return np.full(scene.num_clients, cohort_size(scene, self.per_channel) / scene.num_clients)

    def learn(self, round_index: int, state: State, round_: Round) -> None:
        """Nothing."""
