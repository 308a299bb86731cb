"""Shares of a step's updates, by enumerating every cohort of a tiny population."""

from collections.abc import Callable, Iterator, Sequence
from itertools import chain, combinations, product

import numpy as np
import pytest

from hand import GivenLosses, channel, five_clients, state_of, trace_of
from pipefl.devices.jitter import Jitter
from pipefl.errors import PipeflError
from pipefl.plan import plan_clusters
from pipefl.policies.clustered import Clustered
from pipefl.policies.fedat import FedAt
from pipefl.policies.fedbuff import FedBuff
from pipefl.policies.policy import RoundPolicy, Schedule
from pipefl.policies.rolling import Rolling
from pipefl.policies.rounds import RoundSchedule
from pipefl.policies.scene import Scene
from pipefl.policies.schedules import ROUND_POLICIES, schedule_by_name
from pipefl.policies.step import Step
from pipefl.policies.uniform import Uniform
from pipefl.train.weighting import Weighting, refuse_unknown_inclusion, shares

TIMES_S = np.array([1.0, 3.05, 1.1, 5.0, 3.0, 4.9, 2.9, 4.8, 4.7])
SAMPLES = np.array([10, 20, 30, 40, 50, 5, 15, 25, 1])
UPDATES = np.array([3.0, -1.0, 4.0, 1.0, -5.0, 9.0, 2.0, -6.0, 5.0])
OF_ALL = float(np.average(UPDATES, weights=SAMPLES))

Cohorts = Iterator[tuple[int, ...]]


def scene_of_nine(num_channels: int) -> Scene:
    """Clusters of 2, 3 and 4 clients."""
    plan = plan_clusters(TIMES_S, 1.9, num_clusters=3)
    return Scene(TIMES_S, np.asarray(1.9), num_channels, num_samples=SAMPLES, plan=plan)


def step_of(client: Sequence[int], version: Sequence[int] | None = None, index: int = 7) -> Step:
    clients = np.array(client, dtype=np.intp)
    given = np.full(clients.size, index) if version is None else np.array(version)
    times, nobody = np.zeros(clients.size), np.zeros(0, dtype=np.intp)
    return Step(index, 0.0, 1.0, clients, given, clients, times, times, nobody, 0)


def estimate(client: Sequence[int], schedule: Schedule, scene: Scene, how: Weighting) -> float:
    """The server's step from these clients' updates."""
    step = step_of(client)
    found = shares(step, schedule, scene, how)
    return float(found.share @ UPDATES[step.client]) / found.total(np.ones(len(client), np.bool_))


def clustered_cohorts(scene: Scene) -> Cohorts:
    plan = scene.needed_plan("")
    of_cluster = [
        combinations(plan.members(k).tolist(), min(scene.num_channels, int(plan.size[k])))
        for k in range(plan.num_clusters)
    ]
    return (tuple(chain(*parts)) for parts in product(*of_cluster))


def uniform_cohorts(scene: Scene) -> Cohorts:
    return combinations(range(scene.num_clients), scene.num_channels)


EACH_POLICY = pytest.mark.parametrize(
    ("policy", "cohorts"), [(Clustered(), clustered_cohorts), (Uniform(), uniform_cohorts)]
)


@pytest.mark.parametrize("num_channels", [1, 2, 3])
@EACH_POLICY
def test_unbiased_is_in_the_mean_what_a_round_of_all_clients_gives(
    policy: RoundPolicy, cohorts: Callable[[Scene], Cohorts], num_channels: int
) -> None:
    scene = scene_of_nine(num_channels)
    schedule = RoundSchedule(policy, "fifo")
    estimates = [estimate(each, schedule, scene, "unbiased") for each in cohorts(scene)]
    assert len(estimates) > 1
    assert np.mean(estimates) == pytest.approx(OF_ALL, rel=1e-12)


@pytest.mark.parametrize("num_channels", [1, 2, 3])
@EACH_POLICY
@pytest.mark.paper("eq:gradients_averaging")
def test_papers_average_is_by_samples_and_biased(
    policy: RoundPolicy, cohorts: Callable[[Scene], Cohorts], num_channels: int
) -> None:
    scene = scene_of_nine(num_channels)
    schedule = RoundSchedule(policy, "fifo")
    estimates = []
    for client in cohorts(scene):
        average = np.average(UPDATES[list(client)], weights=SAMPLES[list(client)])
        estimates.append(estimate(client, schedule, scene, "paper"))
        assert estimates[-1] == pytest.approx(average)
    assert abs(np.mean(estimates) - OF_ALL) > 0.001


@EACH_POLICY
def test_inclusion_is_how_often_the_policy_selects(
    policy: RoundPolicy, cohorts: Callable[[Scene], Cohorts]
) -> None:
    scene = scene_of_nine(2)
    state = state_of(scene, policy.start(scene))
    rng, num_rounds = np.random.default_rng(0), 3000
    times_selected = np.zeros(9)
    for index in range(num_rounds):
        times_selected[policy.select(index, state, rng)] += 1
    every = list(cohorts(scene))
    expected = np.array([sum(m in cohort for cohort in every) for m in range(9)]) / len(every)
    assert policy.inclusion(scene) == pytest.approx(expected)  # type: ignore[attr-defined]  # both have it
    deviation = np.sqrt(expected * (1 - expected) / num_rounds)
    assert (np.abs(times_selected / num_rounds - expected) <= 4.5 * deviation + 1e-12).all()


@pytest.mark.parametrize("batch", [1, 2, 3])
def test_without_rounds_unbiased_is_all_clients_average_times_the_damping(batch: int) -> None:
    scene = scene_of_nine(1)
    for schedule in (Rolling(in_flight=4, batch=batch), FedBuff(4, buffer_size=batch)):
        every = combinations(range(9), batch)
        mean = np.mean([estimate(client, schedule, scene, "unbiased") for client in every])
        assert mean == pytest.approx(float(schedule.weight(0)) * OF_ALL)


def test_without_rounds_late_updates_count_less_but_do_not_make_others_count_more() -> None:
    scene = scene_of_nine(1)
    step = step_of([1, 4, 6], version=[7, 4, 6])
    paper = shares(step, FedBuff(4, buffer_size=3), scene, "paper")
    assert paper.divisor == 85.0
    assert paper.share == pytest.approx([20.0, 50.0 / 2, 15 / np.sqrt(2)])
    unbiased = shares(step, FedBuff(4, buffer_size=3), scene, "unbiased")
    assert unbiased.divisor == 3.0
    mean = SAMPLES.mean()
    assert unbiased.share == pytest.approx([20 / mean, 25 / mean, 15 / np.sqrt(2) / mean])


def test_a_refused_update_is_as_if_it_had_not_been_sent() -> None:
    scene = scene_of_nine(2)
    schedule = RoundSchedule(Clustered())
    usable = np.array([True, False, True])
    found = shares(step_of([0, 1, 3]), schedule, scene, "paper")
    assert found.total(usable) == 50.0
    assert shares(step_of([0, 1, 3]), schedule, scene, "unbiased").total(usable) == 1.0
    assert shares(step_of([0, 3]), FedAt(num_tiers=2), scene, "paper").divisor is None


def _scene_with_everything() -> Scene:
    return five_clients(losses=GivenLosses((1.0,) * 5), channel=channel([1.0] * 5))


@pytest.mark.parametrize(
    "name", sorted({*ROUND_POLICIES, "fedat"} - {"clustered", "uniform", "uniform-kn"})
)
def test_policies_that_choose_have_no_unbiased_weighting(name: str) -> None:
    scene = _scene_with_everything()
    options = {"num_tiers": 2} if name in ("fedat", "tifl") else {}
    schedule = schedule_by_name(name, scene, options=options)
    with pytest.raises(PipeflError, match='"unbiased"; it must be "paper", but with .* nobody'):
        refuse_unknown_inclusion(schedule, scene, "unbiased")
    refuse_unknown_inclusion(schedule, scene, "paper")


def test_what_else_makes_chances_unknown() -> None:
    scene, jitter = scene_of_nine(2), Jitter(0.2)
    for schedule in (RoundSchedule(Clustered(), "fifo", jitter=jitter), Rolling(in_flight=3)):
        refuse_unknown_inclusion(schedule, scene, "unbiased")
    with pytest.raises(PipeflError, match="how likely a client is to miss its slot"):
        refuse_unknown_inclusion(RoundSchedule(Clustered(), jitter=jitter), scene, "unbiased")
    sometimes = five_clients(availability=trace_of([[(0.0, 5.0)]] * 5))
    for schedule in (RoundSchedule(Uniform(), "fifo"), Rolling(in_flight=3)):
        with pytest.raises(PipeflError, match="how likely a client is to be available"):
            refuse_unknown_inclusion(schedule, sometimes, "unbiased")


def test_the_population_has_clusters_of_different_sizes() -> None:
    assert scene_of_nine(1).needed_plan("").size.tolist() == [2, 3, 4]
