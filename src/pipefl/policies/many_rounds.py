"""Up to millions of rounds of the policies that do not learn, in bounded memory."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pipefl.errors import PipeflError
from pipefl.policies.clustered import Clustered
from pipefl.policies.cohorts import clustered_cohorts, uniform_cohorts
from pipefl.policies.rounds import RoundSchedule
from pipefl.policies.scene import Scene
from pipefl.policies.summary import Summary, Tally
from pipefl.policies.uniform import Uniform
from pipefl.randomness import generator
from pipefl.timeline.batch import LateClients, simulate_rounds
from pipefl.timeline.durations import RoundTimes, round_times
from pipefl.wireless import EnergyModel

_ROUNDS_AT_ONCE = 1024  # of a few dozen clients each: as much as the fast caches hold


@dataclass(frozen=True, eq=False)
class _Chunk:
    """Some rounds: their cohorts, times, and who of the cohorts delivered."""

    cohorts: NDArray[np.intp]
    times: RoundTimes
    delivered: NDArray[np.bool_] | None  # None: everybody


def is_memoryless(schedule: RoundSchedule, scene: Scene) -> bool:
    """Whether the rounds of a schedule are drawn alike, whatever their number."""
    forgets = isinstance(schedule.policy, Clustered | Uniform) and schedule.missed != "carry"
    return forgets and scene.update_bits is None and scene.availability is None


def simulate_many_rounds(
    schedule: RoundSchedule,
    scene: Scene,
    *,
    until_s: float,
    seed: int = 0,
    energy: EnergyModel | None = None,
    progress: Callable[[float], None] = lambda share: None,
) -> Summary:
    """What `summarise` tells of a memoryless schedule, for the rounds that end by `until_s`.

    Rounds are drawn and simulated a thousand at a time; the draws differ from those of
    `RoundSchedule.steps`, their distribution does not. `progress` is called with the
    share of the time that is done.

    O(n) array operations a chunk for cohorts of n, and memory for one chunk.
    """
    if not is_memoryless(schedule, scene):
        raise PipeflError(f"the rounds of {schedule.name!r} depend on each other: use `summarise`")
    schedule.policy.start(scene)
    tally = Tally(scene, until_s, energy)
    for chunk in _chunks(schedule, scene, seed):
        end_s = tally.total_s + np.cumsum(chunk.times.duration_s)
        num_fitting = int(np.searchsorted(end_s, until_s * (1 + 1e-12), side="right"))
        _add(tally, chunk, end_s, num_fitting)
        progress(min(1.0, float(end_s[-1]) / until_s))
        if num_fitting < end_s.size:
            break
    return tally.summary(schedule.name)


def _chunks(schedule: RoundSchedule, scene: Scene, seed: int) -> Iterator[_Chunk]:
    index = 0
    while True:
        rng = generator(seed, "rounds at once", index)
        cohorts = _cohorts(schedule, scene, rng)
        factor = None
        if schedule.jitter is not None:
            factor = schedule.jitter.factors(rng, cohorts.shape)
        yield _simulated(schedule, scene, cohorts, factor)
        index += 1


def _cohorts(schedule: RoundSchedule, scene: Scene, rng: np.random.Generator) -> NDArray[np.intp]:
    if isinstance(schedule.policy, Uniform):
        size = schedule.policy.per_channel * scene.num_channels
        return uniform_cohorts(scene.num_clients, size, _ROUNDS_AT_ONCE, rng)
    plan = scene.needed_plan(schedule.policy.name)
    return clustered_cohorts(plan, scene.num_channels, _ROUNDS_AT_ONCE, rng)


def _simulated(
    schedule: RoundSchedule,
    scene: Scene,
    cohorts: NDArray[np.intp],
    factor: NDArray[np.float64] | None,
) -> _Chunk:
    uploads_s = scene.upload_time_s
    is_one_time = bool(uploads_s[0] == uploads_s.min() == uploads_s.max())
    missed: LateClients = "next-slot" if schedule.missed == "next-slot" else "drop"
    may_miss = factor is not None and schedule.discipline == "slots" and missed == "drop"
    simulate = simulate_rounds if may_miss else round_times
    result = simulate(
        cohorts,
        scene.compute_time_s,
        float(uploads_s[0]) if is_one_time else uploads_s,
        scene.num_channels,
        discipline=schedule.discipline,
        plan=scene.plan,
        server_time_s=scene.server_time_s,
        missed=missed,
        factor=factor,
    )
    if isinstance(result, RoundTimes):
        return _Chunk(cohorts, result, None)
    delivered = result.delivered
    times = RoundTimes(result.duration_s, result.busy_s, delivered.sum(axis=1))
    return _Chunk(cohorts, times, delivered)


def _add(tally: Tally, chunk: _Chunk, end_s: NDArray[np.float64], num_rounds: int) -> None:
    """Count the chunk's first rounds in."""
    if num_rounds == 0:
        return
    cohorts = chunk.cohorts[:num_rounds]
    delivered = None if chunk.delivered is None else chunk.delivered[:num_rounds]
    _add_participation(tally, cohorts, delivered)
    busy_s = chunk.times.busy_s[:num_rounds]
    tally.busy_s += float(busy_s.sum())
    tally.add_busy_rounds(end_s[:num_rounds], busy_s)
    tally.num_steps += num_rounds
    tally.num_missed += 0 if delivered is None else int((~delivered).sum())
    tally.total_s = float(end_s[num_rounds - 1])
    tally.add_durations(chunk.times.duration_s[:num_rounds])


def _add_participation(
    tally: Tally, cohorts: NDArray[np.intp], delivered: NDArray[np.bool_] | None
) -> None:
    """Who delivered, and with what share of the weight of eq:gradients_averaging."""
    samples = tally.scene.samples
    scheduled = np.bincount(cohorts.ravel(), minlength=samples.size)
    counts = scheduled
    if delivered is not None:
        counts = np.bincount(cohorts[delivered], minlength=samples.size)
    tally.num_computed += scheduled
    tally.participation += counts
    tally.uploading_s += counts * tally.scene.upload_time_s
    if delivered is None and samples.min() == samples.max():
        tally.weight += counts / cohorts.shape[1]
        return
    own = samples[cohorts] if delivered is None else np.where(delivered, samples[cohorts], 0)
    share = own / np.maximum(own.sum(axis=1, keepdims=True), 1)
    tally.weight += np.bincount(cohorts.ravel(), share.ravel(), samples.size)
