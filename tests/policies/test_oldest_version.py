"""What a step says about the models that later steps may still refer to."""

from collections.abc import Sequence
from itertools import islice

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hand
from pipefl.devices.jitter import Jitter
from pipefl.plan import plan_clusters
from pipefl.policies.clustered import Clustered
from pipefl.policies.fedat import FedAt
from pipefl.policies.fedbuff import FedBuff
from pipefl.policies.policy import Schedule
from pipefl.policies.rolling import Rolling
from pipefl.policies.rounds import RoundSchedule
from pipefl.policies.scene import Scene
from pipefl.policies.step import Step
from pipefl.policies.uniform import Uniform

TIMES = np.array([1.0, 1.5, 2.5, 3.0, 4.0, 5.5])
SCHEDULES: list[Schedule] = [
    Rolling(4, batch=2),
    FedBuff(3, buffer_size=2, jitter=Jitter(0.5)),
    FedAt(3, clients_per_round=1, jitter=Jitter(0.5)),
    RoundSchedule(Uniform(), "fifo"),
    RoundSchedule(Clustered(), "slots", "carry", Jitter(0.5)),
]


def check(steps: Sequence[Step]) -> None:
    """No later step refers to an older model, and what is named never gets older."""
    oldest = [step.oldest_version for step in steps]
    assert (np.diff(oldest) >= 0).all()
    for step in steps:
        assert step.oldest_version <= step.index + 1
        later = steps[step.index + 1 :]
        assert all((after.version >= step.oldest_version).all() for after in later)


@pytest.mark.parametrize("schedule", SCHEDULES, ids=lambda schedule: schedule.name)
@given(st.data())
@settings(max_examples=20)
def test_no_later_step_refers_to_a_model_that_may_be_forgotten(
    schedule: Schedule, data: st.DataObject
) -> None:
    starts = st.lists(st.integers(0, 70), min_size=6, max_size=6)
    days = [[(start / 8, start / 8 + 2.0)] for start in data.draw(starts)]
    trace = data.draw(st.sampled_from([None, hand.trace_of(days, period_s=11.0)]))
    plan = plan_clusters(TIMES, 1.0, num_clusters=3)
    scene = Scene(TIMES, np.asarray(1.0), 2, 0.25, plan=plan, availability=trace)
    check(list(islice(schedule.steps(scene, seed=data.draw(st.integers(0, 9))), 40)))


@pytest.mark.parametrize("schedule", SCHEDULES[:3], ids=lambda schedule: schedule.name)
def test_a_model_is_kept_no_longer_than_somebody_works_from_it(schedule: Schedule) -> None:
    # Everybody comes back some time, so whatever is named must turn up in a later step.
    steps = list(islice(schedule.steps(Scene(TIMES, np.asarray(1.0), 2)), 200))
    for step in steps[:150]:
        later = np.concatenate([after.version for after in steps[step.index + 1 :]])
        assert later.min() == step.oldest_version


def test_rounds_keep_nothing_but_what_is_carried() -> None:
    scene = Scene(TIMES, np.asarray(1.0), plan=plan_clusters(TIMES, 1.0, num_clusters=3))
    plain = islice(RoundSchedule(Clustered(), "slots").steps(scene), 5)
    assert [step.oldest_version for step in plain] == [1, 2, 3, 4, 5]
    waiting: dict[int, int] = {}
    most = 0
    schedule = RoundSchedule(Clustered(), "slots", "carry", Jitter(1.0))
    for step, round_ in islice(schedule.rounds(scene), 60):
        for client in round_.missed.tolist():
            waiting.setdefault(client, step.index)
        for client, version in zip(step.client.tolist(), step.version.tolist(), strict=True):
            assert waiting.pop(client, step.index) == version
        assert step.oldest_version == min(waiting.values(), default=step.index + 1)
        most = max(most, step.index + 1 - step.oldest_version)
    assert most > 1
