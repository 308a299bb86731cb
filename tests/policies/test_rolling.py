import math
from itertools import islice

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipefl.errors import ArgumentError
from pipefl.policies.in_flight import arrivals
from pipefl.policies.policy import Schedule
from pipefl.policies.rolling import Rolling
from pipefl.policies.scene import Scene

SCENE = Scene(np.array([1.0, 2.0, 4.0, 8.0, 3.0]), np.array(1.0), 2, 0.5)


def test_every_upload_is_a_step_and_every_client_has_the_model_of_its_predecessor() -> None:
    schedule: Schedule = Rolling(in_flight=3)
    steps = list(islice(schedule.steps(SCENE, seed=2), 200))
    uploads = list(islice(arrivals(SCENE, 3, seed=2), 200))
    assert schedule.name == "rolling"
    for index, (step, upload) in enumerate(zip(steps, uploads, strict=True)):
        assert (step.index, step.client.tolist()) == (index, [upload.client])
        assert step.version.tolist() == [upload.label]
        assert step.end_s == upload.end_s + 0.5
        assert step.missed.size == 0
    # The model of each version is given to one client, but the first to three.
    versions = [int(step.version[0]) for step in steps]
    assert versions.count(0) == 3
    assert len(set(versions)) == 198


def test_five_clients_of_which_two_are_out_by_hand() -> None:
    # Seed 0 draws clients 0 and 2, then 3, 4, 3 and 0 as uploads end. At 14 s clients 3 and 0
    # are ready; client 3 was sent out first.
    scene = Scene(np.array([1.0, 2.0, 3.0, 4.0, 5.0]), np.array(2.0), server_time_s=0.5)
    steps = islice(Rolling(in_flight=2).steps(scene), 6)
    assert [
        (int(step.client[0]), int(step.version[0]), float(step.upload_start_s[0]), step.end_s)
        for step in steps
    ] == [
        (0, 0, 1.0, 3.5),
        (2, 0, 3.0, 5.5),
        (3, 1, 7.5, 10.0),
        (4, 2, 10.5, 13.0),
        (3, 3, 14.0, 16.5),
        (0, 4, 16.0, 18.5),
    ]


@given(st.integers(1, 200), st.integers(1, 200))
def test_the_default_damping_keeps_delayed_steps_stable(in_flight: int, batch: int) -> None:
    if batch > in_flight:
        return
    delay = (in_flight - 1) / batch
    # Levin and May: x ← x − a x_delayed converges if and only if 0 < a < 2 sin(π / (4d + 2)).
    assert Rolling(in_flight, batch).learning_rate <= 2 * math.sin(math.pi / (4 * delay + 2))


@pytest.mark.parametrize(("share", "grows"), [(0.98, False), (1.02, True)])
def test_undamped_delayed_steps_diverge_where_theory_says(share: float, grows: bool) -> None:
    delay = 9
    rate = share * 2 * math.sin(math.pi / (4 * delay + 2))
    path = [1.0] * (delay + 1)
    for _ in range(4000):
        path.append(path[-1] - rate * path[-1 - delay])
    assert (abs(path[-1]) + abs(path[-7]) > 1.0) is grows


def test_weights_fall_with_staleness() -> None:
    assert Rolling(4, damping=0.5).weight([0, 1, 9]).tolist() == [0.5, 0.5, 0.5]
    falling = Rolling(4, damping=0.5, staleness_exponent=1.0)
    assert falling.weight([0, 1, 4]).tolist() == [0.5, 0.25, 0.1]
    assert Rolling(8, batch=2).weight(3) == 0.25


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"in_flight": 0}, "in_flight is 0"),
        ({"in_flight": 3, "batch": 0}, "batch is 0"),
        ({"in_flight": 3, "batch": 4}, "batch is 4; a step can wait for no more than 3"),
        ({"in_flight": 3, "damping": 0.0}, "damping is 0.0"),
        ({"in_flight": 3, "damping": math.nan}, "damping is nan"),
        ({"in_flight": 3, "staleness_exponent": -1.0}, "staleness_exponent is -1.0"),
    ],
)
def test_settings_that_cannot_be_are_refused(settings: dict[str, float], message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        Rolling(**settings)  # type: ignore[arg-type]  # wrong values are the point


def test_more_in_flight_than_there_are_clients_are_refused_before_the_first_step() -> None:
    with pytest.raises(ArgumentError, match="in_flight is 6; .* from 1 to 5"):
        Rolling(in_flight=6).steps(SCENE)
