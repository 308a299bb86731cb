"""As many clients as can upload before a deadline."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pipefl.checks import between, positive_seconds
from pipefl.errors import ArgumentError
from pipefl.policies.policy import State
from pipefl.policies.scene import Scene
from pipefl.timeline.round import Round


@dataclass(frozen=True)
class FedCs:
    r"""Of random candidates, those that prolong the round least, until the deadline.

    .. math:: e_m = \max\big(\tau_m, \min_c \text{free}_c\big) + \tau_{\text{com},m}, \qquad
        m^* = \arg\min_m e_m, \qquad \text{free}_{c^*} \leftarrow e_{m^*}

    as long as e + τ_server stays within the deadline. No client ends before one that was
    added before it, so that the least e is the least extension. Equal ones go to the
    candidate that is ready first, then to the lower index.

    From: Nishio and Yonetani, *Client Selection for Federated Learning with Heterogeneous
    Resources in Mobile Edge* (2019), where clients upload one after the other: N = 1.
    Assumes that candidates say beforehand how long they will compute and upload. How many
    clients a round has is up to the deadline, not to the number of sub-channels.

    The estimate lets clients upload in the order in which they were added, on the
    sub-channel that is free first. For equal upload times that is first come, first
    served, and so exactly the round of the `fifo` discipline. Left out are the times to
    distribute and to select, which the server's time stands for. A round has one client at
    least: if no candidate can meet the deadline, it is the one that ends first.

    Legend: e_m when client m's upload would end; free_c when sub-channel c is free, c* the
    first of all; `deadline_s`, None for the duration of a round of the scene's plan or,
    without a plan, the median duration of a round of one client; `candidate_share` of all
    clients are candidates, but at least N, drawn from those that are available (all of
    them if they are fewer). O(n C log C) a round for C candidates and n
    clients.

    >>> scene = Scene([1.0, 2.0, 3.0, 9.0], 2.0)
    >>> FedCs(deadline_s=7.0).earliest(np.arange(4), scene)
    array([0, 1, 2])
    """

    deadline_s: float | None = None
    candidate_share: float = 0.1
    name: str = "fedcs"

    def start(self, scene: Scene) -> None:
        """Complains of a share that is none, and of a deadline that nobody can meet."""
        between("candidate_share", self.candidate_share, 1e-9, 1.0)
        if self.deadline_s is None:
            return
        deadline_s = self._deadline_s(scene)
        fastest_s = float(_alone_s(scene).min())
        if fastest_s > deadline_s:
            accepted = f"a round of the fastest client alone takes {fastest_s:g} s"
            raise ArgumentError("deadline_s", self.deadline_s, accepted)

    def select(self, round_index: int, state: State, rng: np.random.Generator) -> NDArray[np.intp]:
        """Draws the candidates and adds client after client."""
        scene = state.scene
        wanted = math.floor(self.candidate_share * scene.num_clients + 0.5)
        reachable = np.flatnonzero(state.available)
        num_candidates = min(reachable.size, max(scene.num_channels, wanted))
        candidates = rng.choice(reachable, num_candidates, replace=False)
        return self.earliest(np.sort(candidates), scene)

    def learn(self, round_index: int, state: State, round_: Round) -> None:
        """Nothing: candidates are asked anew."""

    def earliest(self, candidates: NDArray[np.intp], scene: Scene) -> NDArray[np.intp]:
        """The greedy choice among candidates, given by ascending index."""
        left = candidates
        free_s = np.zeros(scene.num_channels)
        limit_s = self._deadline_s(scene) - scene.server_time_s
        chosen: list[np.intp] = []
        while left.size:
            ready_s = scene.compute_time_s[left]
            end_s = np.maximum(ready_s, free_s.min()) + scene.upload_time_s[left]
            best = np.lexsort((ready_s, end_s))[0]
            if chosen and end_s[best] > limit_s:
                break
            chosen.append(left[best])
            free_s[free_s.argmin()] = end_s[best]
            left = np.delete(left, best)
        return np.array(chosen, dtype=np.intp)

    def _deadline_s(self, scene: Scene) -> float:
        if self.deadline_s is not None:
            return positive_seconds("deadline_s", self.deadline_s)
        if scene.plan is not None:
            return scene.plan.round_duration_s(scene.server_time_s)
        return float(np.median(_alone_s(scene)))


def _alone_s(scene: Scene) -> NDArray[np.float64]:
    """How long a round lasts that has only this client."""
    return scene.compute_time_s + scene.upload_time_s + scene.server_time_s
