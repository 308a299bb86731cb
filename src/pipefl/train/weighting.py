"""How much each client's update counts in a step of the server."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from pipefl.errors import PipeflError
from pipefl.policies.fedbuff import FedBuff
from pipefl.policies.policy import KnownInclusion, Schedule
from pipefl.policies.rolling import Rolling
from pipefl.policies.rounds import RoundSchedule
from pipefl.policies.scene import Scene
from pipefl.policies.step import Step

Weighting = Literal["paper", "unbiased"]

_WANTED = 'weighting is "unbiased"; it must be "paper"'


@dataclass(frozen=True, eq=False)
class Shares:
    """The factor of each of a step's updates, and what their sum is divided by.

    `divisor` None is the sum of the factors of those updates that could be used, so that a
    refused one is as if it had never been sent.
    """

    share: NDArray[np.float64]
    divisor: float | None

    def total(self, usable: NDArray[np.bool_]) -> float:
        """What the sum of the usable updates is divided by."""
        return float(self.share[usable].sum()) if self.divisor is None else self.divisor


def shares(step: Step, schedule: Schedule, scene: Scene, weighting: Weighting) -> Shares:
    r"""The weights of a step's updates.

    With "paper" it is their average by samples,

    .. math:: u = \frac{\sum_{m \in \mathcal{S}} n_m \Delta_m}{\sum_{m \in \mathcal{S}} n_m}

    which is biased where clusters are of unequal size, since a client of cluster k is in a
    round with probability π_m = N/M_k. With "unbiased" it is the inverse-probability
    estimate, whose mean over all cohorts is what a round of all clients would give:

    .. math:: u = \sum_{m \in \mathcal{S}} \frac{n_m}{n} \frac{1}{\pi_m} \Delta_m, \qquad
        \operatorname{E} u = \sum_{m=1}^{M} \frac{n_m}{n} \Delta_m

    Schedules that draw uniformly with clients always out, `rolling` and `fedbuff`, discount
    by staleness on top, α(s); their unbiased estimate is (1/b) Σ (n_m M / n) α(s_m) Δ_m.

    Paper: eq:gradients_averaging.
    """
    samples = scene.samples[step.client].astype(np.float64)
    if isinstance(schedule, Rolling | FedBuff):
        fresh = schedule.weight(step.staleness)
        if weighting == "paper":
            return Shares(samples * fresh, float(samples.sum()))
        return Shares(samples / scene.samples.mean() * fresh, float(samples.size))
    if weighting == "paper":
        return Shares(samples, None)
    inclusion = _inclusion(schedule, scene)[step.client]
    return Shares(samples / scene.samples.sum() / inclusion, 1.0)


def refuse_unknown_inclusion(schedule: Schedule, scene: Scene, weighting: Weighting) -> None:
    """Complain before a run for which there is no unbiased weighting."""
    if weighting != "unbiased":
        return
    if scene.availability is not None:
        raise PipeflError(f"{_WANTED}, but nobody knows how likely a client is to be available")
    if isinstance(schedule, Rolling | FedBuff):
        return
    _inclusion(schedule, scene)
    if isinstance(schedule, RoundSchedule) and schedule.discipline == "slots" and schedule.jitter:
        raise PipeflError(f"{_WANTED}, but nobody knows how likely a client is to miss its slot")


def _inclusion(schedule: Schedule, scene: Scene) -> NDArray[np.float64]:
    if isinstance(schedule, RoundSchedule) and isinstance(schedule.policy, KnownInclusion):
        return schedule.policy.inclusion(scene)
    raise PipeflError(
        f"{_WANTED}, but with {schedule.name!r} nobody knows how likely a client is to take part; "
        "the policy may be clustered, uniform, uniform-kn, rolling or fedbuff"
    )
