"""Clients of one tier of speed in a round."""

import math
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from pipefl.checks import between, count
from pipefl.errors import ArgumentError
from pipefl.policies.choosing import cohort_size
from pipefl.policies.loss_stand_in import current_losses
from pipefl.policies.policy import State
from pipefl.policies.scene import Scene
from pipefl.timeline.round import Round

TiersFrom = Literal["expected", "observed"]


_TIERS_OF_THE_PAPER = 5


@dataclass(frozen=True, eq=False)
class Tiers:
    """The tier of each of M clients, and how T tiers are drawn.

    `mean_loss` is what each tier's was at the last check (zeros if nobody asks).
    """

    tier_of: NDArray[np.intp]
    probability: NDArray[np.float64]
    credits: NDArray[np.int64]
    mean_loss: NDArray[np.float64]


@dataclass(frozen=True)
class Tifl:
    r"""A random tier of similarly fast clients, and a uniformly random cohort from it.

    .. math:: P(k) \propto p_k\, [\kappa_k > 0]\, [a_k > 0], \qquad
        p_k \leftarrow \frac{K_+ - r_k}{K_+ (K_+ + 1) / 2}

    From: Chai et al., *TiFL: A Tier-based Federated Learning System* (2020). Assumes that
    compute times were measured beforehand. With `adaptive=False` the p are
    `tier_probabilities`, the fastest tier first, all equal if None. With `adaptive=True` it
    also assumes losses: p changes after every `interval` rounds in which the tier that was
    drawn last did not get better by `least_gain` of its loss, in favour of tiers that do
    badly, and a tier has only so many `credits`.

    Simplified: a tier's mean loss stands in for its accuracy on test data. Rounds have no
    end here: when all tiers that are available have spent their credits, every tier is given
    them anew and all p are equal again. Clients without an answer are not left out beforehand.

    Legend: k tier, κ_k its credits left, a_k its clients that are available (all of them take
    part if a round has more; nobody does where p is 0 for all that are there); K₊ tiers with
    credits, r_k rank among these, 0 for the largest loss; `num_tiers` of equal size, cut by
    compute time (ties by index), None for the paper's five, or as many as hold the clients of
    a round each; `tiers_from` says if they are `expected` ones, cut once, or cut again after
    every `interval` rounds by the last `observed` one, where there is one. `per_channel`
    clients for each sub-channel. O(M) a round, O(M log M) where tiers are cut.
    """

    per_channel: int = 1
    num_tiers: int | None = None
    adaptive: bool = False
    tier_probabilities: tuple[float, ...] | None = None
    interval: int = 20
    credits: int = 100
    least_gain: float = 0.0
    tiers_from: TiersFrom = "expected"
    name: str = "tifl"

    def start(self, scene: Scene) -> Tiers:
        """Tiers by expected times; complains of missing losses and of bad settings."""
        number = self._number_of_tiers(scene)
        count("interval", self.interval)
        between("least_gain", self.least_gain, 0.0, 1.0)
        if self.tiers_from not in get_args(TiersFrom):
            accepted = f"it must be one of {', '.join(get_args(TiersFrom))}"
            raise ArgumentError("tiers_from", self.tiers_from, accepted)
        tier_of = equal_tiers(scene.compute_time_s, number)
        return Tiers(
            tier_of,
            self._first_probabilities(number),
            np.full(number, count("credits", self.credits), dtype=np.int64),
            self._mean_loss(scene, np.zeros(scene.num_clients, dtype=np.int64), tier_of),
        )

    def select(self, round_index: int, state: State, rng: np.random.Generator) -> NDArray[np.intp]:
        """Draws the tier, then its clients."""
        tiers: Tiers = state.memory
        num_available = np.bincount(tiers.tier_of[state.available], minlength=tiers.credits.size)
        weight = tiers.probability * (tiers.credits > 0) * (num_available > 0)
        if self.adaptive and not weight.any():
            weight = (num_available > 0).astype(np.float64)  # as if all had credits anew
        if not weight.any():
            return np.zeros(0, dtype=np.intp)
        tier = rng.choice(weight.size, p=weight / weight.sum())
        size = min(cohort_size(state.scene, self.per_channel), int(num_available[tier]))
        reachable = np.flatnonzero(state.available & (tiers.tier_of == tier))
        return rng.choice(reachable, size, replace=False)

    def learn(self, round_index: int, state: State, round_: Round) -> Tiers:
        """Spends a credit; every `interval` rounds looks at losses and times again."""
        tiers: Tiers = state.memory
        fresh = round_.client[round_.ready_s > 0]
        drawn = int(tiers.tier_of[fresh[0]]) if fresh.size else None
        if self.adaptive and drawn is not None:
            tiers = self._spent(tiers, drawn)
        if (round_index + 1) % self.interval:
            return tiers
        if self.adaptive:
            tiers = self._checked(tiers, state, drawn)
        if self.tiers_from == "observed":
            seen = np.isfinite(state.observed_time_s)
            times_s = np.where(seen, state.observed_time_s, state.scene.compute_time_s)
            tier_of = equal_tiers(times_s, tiers.credits.size)
            mean_loss = self._mean_loss(state.scene, state.participation, tier_of)
            tiers = replace(tiers, tier_of=tier_of, mean_loss=mean_loss)
        return tiers

    def _number_of_tiers(self, scene: Scene) -> int:
        size = cohort_size(scene, self.per_channel)
        most = scene.num_clients // size
        if self.num_tiers is None:
            return min(_TIERS_OF_THE_PAPER, most)
        if count("num_tiers", self.num_tiers) > most:
            accepted = (
                f"a tier must hold the {size:,} clients of a round, which "
                f"{scene.num_clients:,} clients allow for {most:,} tiers"
            )
            raise ArgumentError("num_tiers", self.num_tiers, accepted)
        return self.num_tiers

    def _spent(self, tiers: Tiers, drawn: int) -> Tiers:
        """One credit of the drawn tier less; all anew if it had none, or if it was the last."""
        full = np.full_like(tiers.credits, self.credits)
        anew = replace(tiers, credits=full, probability=self._first_probabilities(full.size))
        paying = tiers if tiers.credits[drawn] else anew
        left = paying.credits.copy()
        left[drawn] -= 1
        return replace(paying, credits=left) if left.any() else anew

    def _checked(self, tiers: Tiers, state: State, drawn: int | None) -> Tiers:
        """With probabilities by rank, if the tier that was drawn last did not get better."""
        now = self._mean_loss(state.scene, state.participation, tiers.tier_of)
        checked = replace(tiers, mean_loss=now)
        if drawn is None or now[drawn] < tiers.mean_loss[drawn] * (1 - self.least_gain):
            return checked
        return replace(checked, probability=rank_probabilities(now, tiers.credits > 0))

    def _mean_loss(
        self, scene: Scene, participation: NDArray[np.int64], tier_of: NDArray[np.intp]
    ) -> NDArray[np.float64]:
        sizes = np.bincount(tier_of)
        if not self.adaptive:
            return np.zeros(sizes.size)
        losses = current_losses(scene, participation, self.name)
        return np.asarray(np.bincount(tier_of, weights=losses) / sizes)

    def _first_probabilities(self, num_tiers: int) -> NDArray[np.float64]:
        given = self.tier_probabilities
        if given is None:
            return np.full(num_tiers, 1 / num_tiers)
        if self.adaptive:
            accepted = "it must be None with adaptive=True, which works them out"
            raise ArgumentError("tier_probabilities", given, accepted)
        if np.shape(given) != (num_tiers,):
            accepted = f"it must hold a share for each of {num_tiers:,} tiers"
            raise ArgumentError("tier_probabilities", given, accepted)
        shares = [
            between(f"tier_probabilities[{k}]", share, 0.0, 1.0) for k, share in enumerate(given)
        ]
        if not math.isclose(math.fsum(shares), 1.0):
            raise ArgumentError("tier_probabilities", given, "they must add up to 1")
        return np.array(shares)


def equal_tiers(time_s: NDArray[np.float64], num_tiers: int) -> NDArray[np.intp]:
    """The tier of each client, 0 the fastest; sizes differ by one at most. O(M log M).

    >>> equal_tiers(np.array([5.0, 1.0, 4.0, 2.0, 3.0]), 2)
    array([1, 0, 1, 0, 0])
    """
    tier_of = np.empty(time_s.size, dtype=np.intp)
    order = np.argsort(time_s, kind="stable")
    tier_of[order] = np.arange(time_s.size) * num_tiers // time_s.size
    return tier_of


def rank_probabilities(
    mean_loss: NDArray[np.float64], has_credits: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """The larger a tier's loss among those with credits, the likelier; the others get 0.

    >>> rank_probabilities(np.array([2.0, 5.0, 3.0, 9.0]), np.array([True, True, True, False]))
    array([0.16666667, 0.5       , 0.33333333, 0.        ])
    """
    able = np.flatnonzero(has_credits)
    worst_first = able[np.argsort(-mean_loss[able], kind="stable")]
    probability = np.zeros(mean_loss.size)
    probability[worst_first] = np.arange(able.size, 0, -1) / (able.size * (able.size + 1) / 2)
    return probability
