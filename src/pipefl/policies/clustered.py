"""The paper's clustered scheduling."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pipefl.policies.policy import State
from pipefl.policies.scene import Scene
from pipefl.timeline.round import Round


@dataclass(frozen=True)
class Clustered:
    r"""N clients of every cluster, drawn uniformly without replacement.

    .. math:: \mathcal{S}[t] = \bigcup_{k=1}^{K} \mathcal{S}_k[t], \qquad
        |\mathcal{S}_k[t]| = \min(N, |\mathcal{C}_k|)

    From: this package's paper, alg:csgd. Assumes what others do not: that compute times
    are known well enough to cut clusters by them.

    Paper: alg:csgd.
    """

    name: str = "clustered"

    def start(self, scene: Scene) -> list[NDArray[np.intp]]:
        """The members of every cluster."""
        plan = scene.needed_plan(self.name)
        return np.split(plan.by_cluster, plan.boundary[:-1])

    def select(self, round_index: int, state: State, rng: np.random.Generator) -> NDArray[np.intp]:
        """N of each cluster, clusters in order; those that are available, if not all are."""
        reachable = [members[state.available[members]] for members in state.memory]
        drawn = [
            rng.choice(members, min(state.scene.num_channels, members.size), replace=False)
            for members in reachable
        ]
        return np.concatenate(drawn)

    def inclusion(self, scene: Scene) -> NDArray[np.float64]:
        """min(N, M_k) / M_k for the clients of cluster k."""
        plan = scene.needed_plan(self.name)
        taken = np.minimum(plan.size, scene.num_channels)
        share = taken / np.maximum(plan.size, 1)  # a cluster may be empty
        return np.asarray(share[plan.cluster_of], dtype=np.float64)

    def learn(self, round_index: int, state: State, round_: Round) -> list[NDArray[np.intp]]:
        """Nothing: the members stay."""
        members: list[NDArray[np.intp]] = state.memory
        return members
