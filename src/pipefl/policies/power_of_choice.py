"""Clients on which the model does worst."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pipefl.checks import count
from pipefl.policies.choosing import cohort_size, draw_by_weight, highest
from pipefl.policies.loss_stand_in import current_losses
from pipefl.policies.policy import State
from pipefl.policies.scene import Scene
from pipefl.timeline.round import Round


@dataclass(frozen=True)
class PowerOfChoice:
    r"""Of d candidates, drawn by their number of samples, the n with the largest loss.

    .. math:: P(m_1, \dots, m_d) = \prod_{i=1}^{d}
        \frac{n_{m_i}}{\sum_{m \notin \{m_1 \dots m_{i-1}\}} n_m}, \qquad
        \mathcal{S}[t] = \operatorname{top}_n \{ F_{m_1}, \dots, F_{m_d} \}

    From: Cho, Wang and Joshi, *Client Selection in Federated Learning: Convergence Analysis
    and Power-of-Choice Selection Strategies* (2020). Assumes that the d candidates report
    the loss of the current model before the round. In the paper this costs them the model
    and a pass over their data; here it takes no time. d = n samples by size alone, d = M
    always takes those with the largest loss.

    Legend: d `candidates`, None for 2 n (all that are available if they are fewer); n_m
    samples and F_m loss of client m; n clients a round, `per_channel` for each sub-channel.
    Equal losses go to the candidate that was drawn first. O(M log M) a round.
    """

    per_channel: int = 1
    candidates: int | None = None
    name: str = "power-of-choice"

    def start(self, scene: Scene) -> None:
        """Complains of missing losses, and of too few or too many candidates."""
        scene.needed_losses(self.name)
        size = cohort_size(scene, self.per_channel)
        if self.candidates is not None:
            count("candidates", self.candidates, minimum=size, maximum=scene.num_clients)

    def select(self, round_index: int, state: State, rng: np.random.Generator) -> NDArray[np.intp]:
        """The largest losses first; candidates are drawn from those that are available."""
        scene = state.scene
        size = cohort_size(scene, self.per_channel)
        wanted = 2 * size if self.candidates is None else self.candidates
        reachable = np.flatnonzero(state.available)
        samples = scene.samples[reachable].astype(np.float64)
        drawn = reachable[draw_by_weight(samples, wanted, rng)]
        losses = current_losses(scene, state.participation, self.name)
        return drawn[highest(losses[drawn], size)]

    def learn(self, round_index: int, state: State, round_: Round) -> None:
        """Nothing: losses are asked for anew."""
