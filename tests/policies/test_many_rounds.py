import numpy as np
import pytest

import pipefl
from pipefl.devices.jitter import Jitter
from pipefl.policies.age import Age
from pipefl.policies.clustered import Clustered
from pipefl.policies.many_rounds import is_memoryless, simulate_many_rounds
from pipefl.policies.policy import RoundPolicy
from pipefl.policies.rounds import RoundSchedule
from pipefl.policies.scene import Scene
from pipefl.policies.summary import summarise
from pipefl.policies.uniform import Uniform
from pipefl.timeline import Discipline
from pipefl.wireless import EnergyModel

RNG = np.random.default_rng(7)
SAMPLES = RNG.integers(10, 71, 60)
TIMES_S = SAMPLES.astype(np.float64) * 0.1
PLAN = pipefl.plan_clusters(TIMES_S, 1.5)
SCENE = Scene(TIMES_S, np.full(60, 1.5), 3, 0.25, SAMPLES, PLAN)


@pytest.mark.parametrize("policy", [Clustered(), Uniform(), Uniform(per_channel=4)])
@pytest.mark.parametrize("discipline", ["slots", "eager-slots", "fifo", "wait-all"])
@pytest.mark.parametrize("jitter", [None, Jitter(0.2)])
def test_rounds_at_once_and_one_by_one_come_to_the_same_on_average(
    policy: RoundPolicy, discipline: Discipline, jitter: Jitter | None
) -> None:
    schedule = RoundSchedule(policy, discipline, jitter=jitter)
    energy = EnergyModel()
    at_once = simulate_many_rounds(schedule, SCENE, until_s=40_000.0, seed=1, energy=energy)
    one_by_one = summarise("", schedule.steps(SCENE, seed=1), SCENE, 6_000.0, energy)
    assert at_once.mean_step_s == pytest.approx(one_by_one.mean_step_s, rel=0.02)
    assert at_once.utilisation == pytest.approx(one_by_one.utilisation, rel=0.02)
    assert at_once.clients_per_s == pytest.approx(one_by_one.clients_per_s, rel=0.02)
    scheduled = [s.num_served + s.num_missed for s in (at_once, one_by_one)]
    missed = [s.num_missed / n for s, n in zip((at_once, one_by_one), scheduled, strict=True)]
    assert missed[0] == pytest.approx(missed[1], abs=0.02)
    spent_j = [
        (s.energy_j or 0.0) / n for s, n in zip((at_once, one_by_one), scheduled, strict=True)
    ]
    assert spent_j[0] == pytest.approx(spent_j[1], rel=0.05)


def test_what_is_counted_adds_up() -> None:
    schedule = RoundSchedule(Clustered(), "fifo")
    summary = simulate_many_rounds(schedule, SCENE, until_s=30_000.0)
    assert summary.participation.sum() == summary.num_served == 12 * summary.num_steps
    assert summary.duration_s.sum() == pytest.approx(summary.total_s)
    assert summary.total_s <= 30_000.0 < summary.total_s + summary.duration_s.max()
    busy_s = summary.busy_share.sum() * 3 * 30_000.0 / summary.busy_share.size
    assert busy_s == pytest.approx(1.5 * summary.num_served, rel=0.01)
    assert summary.utilisation == pytest.approx(1.5 * summary.num_served / (3 * summary.total_s))


def test_the_same_seed_gives_the_same_summary() -> None:
    schedule = RoundSchedule(Uniform(), "fifo", jitter=Jitter(0.1))
    summaries = [simulate_many_rounds(schedule, SCENE, until_s=9_000.0, seed=s) for s in (3, 3, 4)]
    first, again, other = (summary.participation.tolist() for summary in summaries)
    assert first == again
    assert first != other


def test_progress_rises_to_the_whole() -> None:
    shares: list[float] = []
    schedule = RoundSchedule(Uniform(), "fifo")
    simulate_many_rounds(schedule, SCENE, until_s=60_000.0, progress=shares.append)
    assert shares == sorted(shares)
    assert shares[-1] == 1.0


def test_rounds_that_depend_on_each_other_are_refused() -> None:
    assert not is_memoryless(RoundSchedule(Age(), "fifo"), SCENE)
    carrying = RoundSchedule(Clustered(), "slots", missed="carry")
    with pytest.raises(pipefl.PipeflError, match="depend on each other"):
        simulate_many_rounds(carrying, SCENE, until_s=10.0)
