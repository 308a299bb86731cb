from dataclasses import replace

import numpy as np
import pytest

import hand
import pipefl
from pipefl.policies.clustered import Clustered
from pipefl.policies.policy import KnownInclusion
from pipefl.policies.scene import Scene


def _scene(num_channels: int) -> Scene:
    """Slots at 3 and 5 s: clients 0 to 2 are ready by the first, and 2.5 rounds up to 3."""
    scene = hand.five_clients(num_channels)
    return replace(scene, plan=pipefl.plan_clusters(scene.compute_time_s, 2.0, num_clusters=2))


def test_five_clients_two_of_three_and_two_of_two() -> None:
    scene = _scene(2)
    memory = Clustered().start(scene)
    assert [members.tolist() for members in memory] == [[0, 1, 2], [3, 4]]
    state = hand.state_of(scene, memory)

    def draw(rng: np.random.Generator) -> tuple[int, ...]:
        return tuple(sorted(Clustered().select(0, state, rng).tolist()))

    pairs = ((0, 1), (0, 2), (1, 2))
    hand.check_frequencies(draw, {(*pair, 3, 4): 1 / 3 for pair in pairs})


def test_a_cluster_smaller_than_the_channels_takes_part_as_a_whole() -> None:
    assert all(
        sorted(cohort) == [0, 1, 2, 3, 4] for cohort in hand.cohorts(Clustered(), _scene(3), 9)
    )


@pytest.mark.parametrize(
    ("num_channels", "chances"),
    [(1, [1 / 3] * 3 + [1 / 2] * 2), (2, [2 / 3] * 3 + [1.0] * 2), (3, [1.0] * 5)],
)
def test_a_client_takes_part_as_likely_as_its_cluster_is_small(
    num_channels: int, chances: list[float]
) -> None:
    policy: KnownInclusion = Clustered()
    assert policy.inclusion(_scene(num_channels)).tolist() == pytest.approx(chances)


def test_who_is_out_of_reach_is_not_drawn() -> None:
    scene = _scene(2)
    state = hand.state_of(
        scene, Clustered().start(scene), available=[False, True, False, True, False]
    )
    assert Clustered().select(0, state, np.random.default_rng(0)).tolist() == [1, 3]
