from itertools import islice

import numpy as np
import pytest

import hand
from pipefl.errors import ArgumentError
from pipefl.policies.fedbuff import FedBuff
from pipefl.policies.policy import Schedule
from pipefl.policies.rolling import Rolling
from pipefl.policies.scene import Scene
from pipefl.policies.staleness import mean_staleness

SCENE = Scene(np.linspace(1.0, 9.0, 12), np.array(0.75), 2, 0.5)


def test_the_server_steps_when_the_buffer_is_full_by_hand() -> None:
    # All clients are out, so each is followed by itself. Uploads end at 3 (client 0), 5 (1),
    # 7 (0), 9 (2), 11 (1), 13 (0) and 15 s (2).
    scene = Scene(np.array([1.0, 3.0, 6.0]), np.array(2.0))
    steps = list(islice(FedBuff(concurrency=3, buffer_size=3).steps(scene), 2))
    assert [step.end_s for step in steps] == [7.0, 13.0]
    assert [step.client.tolist() for step in steps] == [[0, 1, 0], [2, 1, 0]]
    # The first client 0 and client 1 were replaced when the server had 1 and 2 uploads.
    assert [step.version.tolist() for step in steps] == [[0, 0, 0], [0, 0, 1]]
    assert steps[1].upload_end_s.tolist() == [9.0, 11.0, 13.0]


def test_five_clients_of_which_two_are_out_in_steps_of_two() -> None:
    # The clock of `rolling`, whose test has it: clients 0, 2, 3, 4, 3 and 0 upload until 3, 5,
    # 9.5, 12.5, 16 and 18 s, drawn when the server had 0, 0, 1, 2, 3 and 4 uploads. Half of
    # that, rounded down, are the steps that were in their model.
    policy = FedBuff(concurrency=2, buffer_size=2)
    scene = hand.five_clients(1, upload_time_s=2.0, server_time_s=0.5)
    steps = list(islice(policy.steps(scene), 3))
    assert [step.client.tolist() for step in steps] == [[0, 2], [3, 4], [3, 0]]
    assert [step.version.tolist() for step in steps] == [[0, 0], [0, 1], [1, 2]]
    assert [step.end_s for step in steps] == [5.5, 13.0, 18.5]
    assert policy.weight(steps[2].staleness) == pytest.approx([2**-0.5, 1.0])


def test_with_a_buffer_of_one_its_clock_is_that_of_rolling() -> None:
    fedbuff: Schedule = FedBuff(concurrency=5, buffer_size=1)
    assert fedbuff.name == "fedbuff"
    for ours, theirs in islice(
        zip(Rolling(5).steps(SCENE, seed=3), fedbuff.steps(SCENE, seed=3), strict=True), 300
    ):
        assert (ours.client == theirs.client).all()
        assert (ours.version == theirs.version).all()
        assert (ours.start_s, ours.end_s) == (theirs.start_s, theirs.end_s)


@pytest.mark.parametrize("buffer_size", [4, 10])
def test_updates_are_concurrency_less_one_over_buffer_steps_old(buffer_size: int) -> None:
    steps = islice(FedBuff(7, buffer_size).steps(SCENE), 1500)
    mean = np.mean([step.staleness.mean() for step in steps])
    assert mean == pytest.approx(mean_staleness(7, buffer_size), rel=0.01)


def test_weights_are_those_of_the_paper() -> None:
    assert FedBuff(5).weight([0, 3, 8, 24]).tolist() == [1.0, 1 / 2, 1 / 3, 1 / 5]
    assert FedBuff(5, server_learning_rate=0.5).weight(3) == 0.25


@pytest.mark.parametrize(
    ("settings", "name"),
    [
        ({"concurrency": 0}, "concurrency"),
        ({"concurrency": 5, "buffer_size": 0}, "buffer_size"),
        ({"concurrency": 5, "server_learning_rate": 0}, "server_learning_rate"),
    ],
)
def test_settings_that_cannot_be_are_refused(settings: dict[str, int], name: str) -> None:
    with pytest.raises(ArgumentError, match=f"{name} is 0"):
        FedBuff(**settings)  # type: ignore[arg-type]  # wrong values are the point


def test_more_concurrency_than_clients_is_refused_before_the_first_step() -> None:
    with pytest.raises(ArgumentError, match="concurrency is 13; .* from 1 to 12"):
        FedBuff(concurrency=13).steps(SCENE)
