"""Clients that are useful and fast, with some new ones among them."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pipefl.checks import between, count, non_negative_seconds, positive_seconds
from pipefl.policies.choosing import cohort_size, draw_by_weight
from pipefl.policies.loss_stand_in import current_losses
from pipefl.policies.policy import State
from pipefl.policies.scene import Scene
from pipefl.timeline.round import Round


@dataclass(frozen=True, eq=False)
class Utilities:
    """What each client was worth when it last delivered, M values, and the pacer's state.

    `gained` and `gained_before` are the sums of utilities over this window of rounds and
    the one before it; `preferred_s` is T.
    """

    utility: NDArray[np.float64]
    gained: float
    gained_before: float
    preferred_s: float


@dataclass(frozen=True)
class Oort:
    r"""A draw among the clients of the highest utility, which slow ones have less of.

    .. math:: S_m[t] = \left( \frac{\min(U_m, U_c)}{U_c}
        + \sqrt{\frac{0.1 \ln(t + 1)}{t_m + 1}} \right)
        \left( \frac{T}{d_m} \right)^{\alpha\, [d_m > T]}, \qquad
        U_m = n_m \sqrt{\frac{1}{n_m} \sum_{i=1}^{n_m} \ell_i^2}

    Each place of the cohort is, with probability :math:`\varepsilon_t = \max(
    \varepsilon_{\min}, \varepsilon_0 \delta^t)`, for a client that never delivered, drawn in
    proportion to its speed 1/d. The other n′ places go to clients that did: those whose S
    is at least `cut_off` times the n′-th largest are drawn in proportion to S. Where one
    kind runs out, the other fills up. Only those count that are available. The pacer adds Δ
    to T after a window of rounds that brought less utility than the window before.

    From: Lai, Zhu, Madhyastha and Chowdhury, *Oort: Efficient Federated Learning via
    Guided Participant Selection* (2021). Assumes that clients report losses with their
    updates, and, of those that never did, how long they will take.

    Simplified: a client's mean loss stands in for the root of its mean squared sample
    loss, so that U_m = n_m F_m, taken when it last delivered. U is divided by the cap U_c,
    so that the bonus for staleness has the same meaning for every loss. Each place explores
    by its own draw, since a share of a cohort of one client is none. Blacklists, noise for
    privacy and the mix with fairness are left out.

    Legend: t round from 0; t_m last round that client m delivered in; d_m its last observed
    (else expected) compute time and its upload; T `preferred_s`, None for the median of
    expected d; Δ `pacer_step_s`, None for a tenth of the first T; window `pacer_window`;
    α `penalty`; U_c the quantile `clip` of the utilities of all that delivered; ε_0, ε_min,
    δ `exploration`, `least_exploration`, `exploration_decay`; n clients a round,
    `per_channel` for each sub-channel. O(M log M) a round.
    """

    per_channel: int = 1
    penalty: float = 2.0
    preferred_s: float | None = None
    pacer_step_s: float | None = None
    pacer_window: int = 20
    exploration: float = 0.9
    exploration_decay: float = 0.98
    least_exploration: float = 0.2
    cut_off: float = 0.95
    clip: float = 0.95
    name: str = "oort"

    def start(self, scene: Scene) -> Utilities:
        """No utilities; complains of missing losses and of bad settings."""
        scene.needed_losses(self.name)
        cohort_size(scene, self.per_channel)
        between("penalty", self.penalty, 0.0, 1000.0)
        count("pacer_window", self.pacer_window)
        for share in ("exploration", "exploration_decay", "least_exploration", "cut_off", "clip"):
            between(share, getattr(self, share), 0.0, 1.0)
        self._step_s(scene)
        return Utilities(np.zeros(scene.num_clients), 0.0, 0.0, self._first_preferred_s(scene))

    def select(self, round_index: int, state: State, rng: np.random.Generator) -> NDArray[np.intp]:
        """Known clients first, then new ones."""
        known = np.flatnonzero(state.available & (state.participation > 0))
        new = np.flatnonzero(state.available & (state.participation == 0))
        size = min(cohort_size(state.scene, self.per_channel), known.size + new.size)
        chance = max(self.least_exploration, self.exploration * self.exploration_decay**round_index)
        num_new = int(rng.binomial(size, chance))
        num_new = min(max(num_new, size - known.size), new.size)
        exploited = known[self._exploited(round_index, state, known, size - num_new, rng)]
        speed = 1 / durations_s(state)[new]
        return np.concatenate([exploited, new[draw_by_weight(speed, num_new, rng)]])

    def learn(self, round_index: int, state: State, round_: Round) -> Utilities:
        """The utilities of those that delivered, and T at the end of a window."""
        memory: Utilities = state.memory
        scene = state.scene
        delivered = round_.client[round_.delivered]
        losses = current_losses(scene, state.participation, self.name)
        utility = memory.utility.copy()
        utility[delivered] = scene.samples[delivered] * losses[delivered]
        gained = memory.gained + float(utility[delivered].sum())
        if (round_index + 1) % self.pacer_window:
            return Utilities(utility, gained, memory.gained_before, memory.preferred_s)
        preferred_s = memory.preferred_s
        if gained < memory.gained_before:
            preferred_s += self._step_s(scene)
        return Utilities(utility, 0.0, gained, preferred_s)

    def _exploited(
        self,
        round_index: int,
        state: State,
        known: NDArray[np.intp],
        size: int,
        rng: np.random.Generator,
    ) -> NDArray[np.intp]:
        """Positions in `known` of the clients that are drawn for their utility."""
        if size == 0:
            return np.zeros(0, dtype=np.intp)
        score = self.scores(round_index, state)[known]
        last_in = np.partition(score, known.size - size)[known.size - size]
        return draw_by_weight(np.where(score >= self.cut_off * last_in, score, 0.0), size, rng)

    def scores(self, round_index: int, state: State) -> NDArray[np.float64]:
        """S of each client that delivered before, and 0 of the others."""
        memory: Utilities = state.memory
        known = state.participation > 0
        score = np.zeros(known.size)
        utility = memory.utility[known]
        cap = float(np.quantile(utility, self.clip)) if utility.size else 0.0
        worth = np.minimum(utility, cap) / cap if cap > 0 else np.zeros(utility.size)
        staleness = np.sqrt(0.1 * np.log(round_index + 1) / (state.last_round[known] + 1))
        duration_s = durations_s(state)[known]
        slowness = np.minimum(1.0, memory.preferred_s / duration_s) ** self.penalty
        score[known] = (worth + staleness) * slowness
        return score

    def _first_preferred_s(self, scene: Scene) -> float:
        if self.preferred_s is not None:
            return positive_seconds("preferred_s", self.preferred_s)
        return float(np.median(scene.compute_time_s + scene.upload_time_s))

    def _step_s(self, scene: Scene) -> float:
        if self.pacer_step_s is not None:
            return non_negative_seconds("pacer_step_s", self.pacer_step_s)
        return self._first_preferred_s(scene) / 10


def durations_s(state: State) -> NDArray[np.float64]:
    """How long each client computes, as last observed or else expected, and uploads."""
    seen = np.isfinite(state.observed_time_s)
    compute_s = np.where(seen, state.observed_time_s, state.scene.compute_time_s)
    return compute_s + state.scene.upload_time_s
