"""Five clients to work policies out by hand, random scenes, and what every policy must hold to."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice, permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st
from numpy.typing import ArrayLike, NDArray

from pipefl.devices.availability import Availability
from pipefl.devices.jitter import Jitter
from pipefl.plan import plan_clusters
from pipefl.policies.loss_stand_in import DecayingLosses
from pipefl.policies.policy import RoundPolicy, State
from pipefl.policies.rounds import RoundSchedule
from pipefl.policies.scene import LossSource, Scene
from pipefl.policies.step import Step
from pipefl.wireless import ChannelState, ShannonRate, Uplink

SAMPLES = np.array([10, 20, 30, 40, 50])


@dataclass(frozen=True)
class GivenLosses:
    """Losses as they are written down, whatever the clients do."""

    values: tuple[float, ...]

    def losses(self, participation: NDArray[np.int64]) -> NDArray[np.float64]:
        return np.array(self.values)


def channel(mean_snr: ArrayLike, num_channels: int = 2) -> ChannelState:
    """Seed 0 has these fades (rayleigh_snr of five clients with mean 1), to three digits.

    round 0:  0.773 0.482 3.936 0.389 0.262
    round 1:  1.302 0.327 0.255 0.737 1.390
    round 2:  1.087 1.091 0.186 0.100 0.894
    round 3:  0.042 0.666 2.712 0.663 1.236
    """
    uplink = Uplink(bandwidth_hz=2e6, num_channels=num_channels, bits_per_s_per_hz=1.0)
    return ChannelState(np.asarray(mean_snr, dtype=np.float64), uplink, ShannonRate())


def five_clients(
    num_channels: int = 2,
    *,
    compute_time_s: ArrayLike = (1.0, 2.0, 3.0, 4.0, 5.0),
    upload_time_s: ArrayLike = 1.0,
    server_time_s: float = 0.0,
    losses: LossSource | None = None,
    channel: ChannelState | None = None,
    availability: Availability | None = None,
) -> Scene:
    """Five clients with 10 to 50 samples that compute for 1 to 5 s and upload for 1 s."""
    return Scene(
        np.asarray(compute_time_s, dtype=np.float64),
        np.asarray(upload_time_s, dtype=np.float64),
        num_channels,
        server_time_s,
        SAMPLES,
        losses=losses,
        channel=channel,
        availability=availability,
    )


def trace_of(
    intervals: list[list[tuple[float, float]]], period_s: float | None = None
) -> Availability:
    """A trace in memory; the intervals of each client ascend."""
    flat = [interval for of_client in intervals for interval in of_client]
    return Availability(
        np.array([str(client) for client in range(len(intervals))], dtype=object),
        np.array([start for start, _ in flat], dtype=np.float64),
        np.array([end for _, end in flat], dtype=np.float64),
        np.cumsum([0, *(len(of_client) for of_client in intervals)]),
        period_s,
    )


def state_of(
    scene: Scene,
    memory: Any = None,
    *,
    participation: ArrayLike = 0,
    last_round: ArrayLike = -1,
    observed_time_s: ArrayLike = np.nan,
    available: ArrayLike = True,
) -> State:
    """What a policy knows; one number stands for all clients."""
    size = scene.num_clients
    return State(
        scene=scene,
        clock_s=0.0,
        participation=np.broadcast_to(np.asarray(participation, dtype=np.int64), size),
        last_round=np.broadcast_to(np.asarray(last_round, dtype=np.int64), size),
        observed_time_s=np.broadcast_to(np.asarray(observed_time_s, dtype=np.float64), size),
        available=np.broadcast_to(np.asarray(available, dtype=np.bool_), size),
        carried=np.zeros(0, dtype=np.intp),
        memory=memory,
    )


def cohorts(policy: RoundPolicy, scene: Scene, num_rounds: int, seed: int = 0) -> list[list[int]]:
    """The cohorts of the first rounds, in the order of their priority."""
    steps = islice(RoundSchedule(policy, "fifo").steps(scene, seed), num_rounds)
    return [step.client.tolist() for step in steps]


@st.composite
def scenes(draw: st.DrawFn, least_clients: int = 1) -> Scene:
    """1 to 30 clients and a sub-channel or more, with plan, channel and losses; times have ties."""
    num_clients = draw(st.integers(least_clients, 30))
    num_channels = draw(st.integers(1, max(1, num_clients // max(1, least_clients))))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    compute_time_s = rng.integers(1, 9, num_clients) / 4
    mean_snr = 10 ** rng.uniform(-2, 3, num_clients)
    return Scene(
        compute_time_s,
        np.asarray(0.5),
        num_channels,
        draw(st.sampled_from([0.0, 0.25])),
        rng.integers(1, 100, num_clients),
        plan_clusters(compute_time_s, 0.5),
        channel(mean_snr, num_channels),
        DecayingLosses(),
    )


def check_schedules(policy: RoundPolicy, scene: Scene, seed: int, num_clients: int | None) -> None:
    """Different valid clients, as many as asked for, and the same again with the same seed.

    In the discipline `slots`, clients that are late are carried over to later rounds.
    """
    fifo = RoundSchedule(policy, "fifo", jitter=Jitter(0.3))
    slots = RoundSchedule(policy, "slots", missed="carry", jitter=Jitter(0.3))
    for schedule in (fifo, slots):
        first = list(islice(schedule.steps(scene, seed), 10))
        again = list(islice(schedule.steps(scene, seed), 10))
        for step, same in zip(first, again, strict=True):
            _check_clients(step, scene)
            assert step.client.tolist() == same.client.tolist()
            assert step.missed.tolist() == same.missed.tolist()
            assert step.end_s == same.end_s
            if schedule is fifo and num_clients is not None:
                assert step.client.size == num_clients


def _check_clients(step: Step, scene: Scene) -> None:
    scheduled = np.concatenate([step.client, step.missed])
    assert scheduled.size > 0
    assert np.unique(scheduled).size == scheduled.size
    assert scheduled.min() >= 0
    assert scheduled.max() < scene.num_clients


def drawn_in_turn(weight: ArrayLike, size: int) -> dict[tuple[int, ...], float]:
    """The probability of every ordered draw without replacement, by trying all of them."""
    weights = np.asarray(weight, dtype=np.float64).tolist()
    chances = {}
    for drawn in permutations(range(len(weights)), size):
        chance, left = 1.0, sum(weights)
        for client in drawn:
            chance *= weights[client] / left
            left -= weights[client]
        chances[drawn] = chance
    return chances


def check_frequencies(
    draw: Callable[[np.random.Generator], tuple[int, ...]],
    chances: dict[tuple[int, ...], float],
    num_draws: int = 4000,
) -> None:
    """Every outcome comes up as often as it should, within 4.5 standard deviations."""
    rng = np.random.default_rng(1)
    counts = Counter(draw(rng) for _ in range(num_draws))
    assert counts.keys() <= chances.keys()
    assert sum(chances.values()) == pytest.approx(1.0)
    for outcome, chance in chances.items():
        deviation = np.sqrt(chance * (1 - chance) / num_draws)
        assert counts[outcome] / num_draws == pytest.approx(chance, abs=4.5 * deviation + 1e-12)
