"""FedAT: tiers of like clients, each with rounds of its own."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count as numbers
from math import inf, isinf
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pipefl.checks import count
from pipefl.devices.jitter import Jitter
from pipefl.errors import ArgumentError
from pipefl.policies.channel_queue import ChannelQueue, Upload, refuse_silence, step_of
from pipefl.policies.scene import Scene
from pipefl.policies.step import Step
from pipefl.randomness import generator

_MOST_IN_VAIN = 10_000  # clients of a tier between two of its steps


class _Round(NamedTuple):
    """A tier's round: who uploads, how long each computes and uploads, and who cannot."""

    client: list[int]
    compute_s: list[float]
    upload_s: list[float]
    missed: list[int]
    vain_s: float


# From a round's index and beginning, the round; with nobody available, when somebody will be.
_DrawRound = Callable[[int, float], _Round | float]


@dataclass(frozen=True)
class FedAt:
    r"""Rounds within a tier of equally fast clients; the server steps after each of them.

    .. math:: w = \sum_{k=1}^{T} \frac{n_{T+1-k}}{n_1 + \dots + n_T}\, w^{(k)}

    From: Chai et al., *FedAT: A High-Performance and Communication-Efficient Federated
    Learning System with Asynchronous Tiers* (SC 2021). Clients are sorted by compute time
    and cut into T tiers of equal size (the first ones larger by 1 if need be). Each tier
    draws some of its clients uniformly, gives them the newest model, waits for all of
    them, averages to its own model w⁽ᵏ⁾, and begins again; the server's model is the
    average of the tiers', with the slower ones, which update less often, given the
    weights of the faster. Assumes what others do not: that compute times are known and
    last, and that a tier's rounds do not get in the way of another's. Here all tiers share
    the N sub-channels, first come, first served.

    A tier's next round begins when the server's step after the last one has ended,
    τ_server after its last upload; steps of different tiers may overlap. So an update is
    T − 1 steps old on average. A fast client takes part more often than a slow one. With
    `availability` a tier draws from those that can be reached when its round begins, all of
    them if they are too few, and waits for the first if there is none.

    Legend: T `num_tiers`; n_k how often tier k has updated so far, tier 1 the fastest;
    `clients_per_round` of a tier, None for as many as there are sub-channels, or the
    whole tier where it has fewer.

    >>> scene = Scene([1.0, 1.0, 5.0, 5.0], 1.0, num_channels=2)
    >>> steps = FedAt(num_tiers=2).steps(scene)
    >>> [(step.end_s, sorted(step.client.tolist())) for step, _ in zip(steps, range(4))]
    [(2.0, [0, 1]), (4.0, [0, 1]), (6.0, [2, 3]), (7.0, [0, 1])]
    """

    num_tiers: int = 5
    clients_per_round: int | None = None
    jitter: Jitter | None = None
    name: str = "fedat"

    def __post_init__(self) -> None:
        count("num_tiers", self.num_tiers)
        if self.clients_per_round is not None:
            count("clients_per_round", self.clients_per_round)

    def tier_of(self, scene: Scene) -> NDArray[np.intp]:
        """Each client's tier, 0 the fastest; equal times in the order of the clients."""
        tier = np.empty(scene.num_clients, dtype=np.intp)
        for k, members in enumerate(self._tiers(scene)):
            tier[members] = k
        return tier

    def weights(self, num_updates: ArrayLike) -> NDArray[np.float64]:
        """The share of each tier's model in the server's, from how often each has updated.

        A tier without an update stands with the model that all began with.

        >>> FedAt(num_tiers=3).weights([6, 3, 1])
        array([0.1, 0.3, 0.6])
        """
        updates = np.asarray(num_updates)
        if updates.shape != (self.num_tiers,) or updates.min() < 0 or updates.sum() == 0:
            accepted = f"it must hold a number of updates for each of {self.num_tiers:,} tiers"
            raise ArgumentError("num_updates", num_updates, f"{accepted}, not all 0")
        weights: NDArray[np.float64] = updates[::-1] / updates.sum()
        return weights

    def steps(self, scene: Scene, seed: int = 0) -> Iterator[Step]:
        """A step at every end of a tier's round; round r of tier k draws by (seed, k, r)."""
        tiers = self._tiers(scene)
        smallest = tiers[-1].size
        size = min(scene.num_channels, smallest)
        if self.clients_per_round is not None:
            size = count("clients_per_round", self.clients_per_round, maximum=smallest)
        rounds = [self._rounds(scene, tier, k, size, seed) for k, tier in enumerate(tiers)]
        return _endless(scene, list(map(_Tier, numbers(), rounds)))

    def _tiers(self, scene: Scene) -> list[NDArray[np.intp]]:
        count("num_tiers", self.num_tiers, maximum=scene.num_clients)
        order = np.argsort(scene.compute_time_s, kind="stable")
        return np.array_split(order, self.num_tiers)

    def _rounds(
        self, scene: Scene, members: NDArray[np.intp], tier: int, size: int, seed: int
    ) -> _DrawRound:
        """Draws a tier's rounds by index and time."""

        def draw(round_index: int, begin_s: float) -> _Round | float:
            opens_s = scene.first_available_s(members, begin_s)
            if opens_s > begin_s:
                return opens_s
            reachable = members[scene.available(begin_s)[members]]
            rng = generator(seed, "fedat", tier, round_index)
            cohort = rng.choice(reachable, min(size, reachable.size), replace=False)
            compute_s = scene.compute_time_s[cohort]
            if self.jitter is not None:
                rng = generator(seed, "fedat jitter", tier, round_index)
                compute_s = compute_s * self.jitter.factors(rng, cohort.size)
            upload_s = scene.round_upload_time_s(round_index)[cohort]
            reached = np.isfinite(upload_s)
            return _Round(
                client=cohort[reached].tolist(),
                compute_s=compute_s[reached].tolist(),
                upload_s=upload_s[reached].tolist(),
                missed=cohort[~reached].tolist(),
                vain_s=float(compute_s.max()),
            )

        return draw


class _Tier:
    """Where a tier is: its round's model, who is still out, and what has come in.

    A tier of which nobody is available sleeps until `wake_s`, which is ∞ otherwise.
    """

    def __init__(self, number: int, draw_round: _DrawRound) -> None:
        self.number = number
        self.draw_round = draw_round
        self.num_drawn = 0
        self.wake_s = inf
        self.version = 0
        self.num_out = 0
        self.arrived: list[Upload] = []
        self.missed: list[int] = []

    def begin(self, queue: ChannelQueue, begin_s: float, version: int) -> None:
        """Send the next round's clients out, unless nobody is available."""
        self.arrived, self.missed = [], []
        self.resume(queue, begin_s, version)

    def resume(self, queue: ChannelQueue, begin_s: float, version: int) -> None:
        """The same once more; if none of a round's clients has a channel, others get its model."""
        self.version, self.wake_s = version, inf
        while True:
            round_ = self.draw_round(self.num_drawn, begin_s)
            if isinstance(round_, float):
                self.num_out, self.wake_s = 0, round_
                return
            self.num_drawn += 1
            self.missed += round_.missed
            if round_.client:
                break
            begin_s += round_.vain_s
            refuse_silence(len(self.missed), _MOST_IN_VAIN)
        self.num_out = len(round_.client)
        for client, compute_s, upload_s in zip(*round_[:3], strict=True):
            queue.send_out(client, begin_s + compute_s, upload_s, label=self.number)


def _endless(scene: Scene, tiers: list[_Tier]) -> Iterator[Step]:
    queue = ChannelQueue(scene.num_channels)
    for tier in tiers:
        tier.begin(queue, 0.0, version=0)
    start_s = 0.0
    for index in numbers():
        complete = _next_complete(queue, tiers, model_s=start_s, version=index)
        if complete is None:
            return
        step = step_of(
            complete.arrived,
            np.full(len(complete.arrived), complete.version, dtype=np.int64),
            complete.missed,
            index=index,
            start_s=start_s,
            server_time_s=scene.server_time_s,
            oldest_version=_oldest_version(tiers, complete, new=index + 1),
        )
        yield step
        start_s = step.end_s
        complete.begin(queue, step.end_s, version=index + 1)


def _oldest_version(tiers: list[_Tier], complete: _Tier, new: int) -> int:
    """The oldest model that a tier still works from; the new one if all others sleep."""
    others = (tier.version for tier in tiers if tier is not complete and tier.num_out)
    return min(others, default=new)


def _next_complete(
    queue: ChannelQueue, tiers: list[_Tier], model_s: float, version: int
) -> _Tier | None:
    """The tier whose last client's upload ends next; None if nobody will ever be available.

    Tiers that wake up before are sent out with the newest model, which is there at `model_s`.
    """
    while True:
        sleeper = min(tiers, key=lambda tier: tier.wake_s)
        upload = queue.next_upload_by(sleeper.wake_s)
        if upload is None and isinf(sleeper.wake_s):
            return None
        if upload is None:
            sleeper.resume(queue, max(sleeper.wake_s, model_s), version)
            continue
        tier = tiers[upload.label]
        tier.arrived.append(upload)
        if len(tier.arrived) == tier.num_out:
            return tier
