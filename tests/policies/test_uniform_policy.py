from itertools import permutations

import numpy as np
import pytest

import hand
from pipefl.policies.policy import KnownInclusion
from pipefl.policies.uniform import Uniform


def test_five_clients_of_which_any_two_are_as_likely() -> None:
    state = hand.state_of(hand.five_clients(2))

    def draw(rng: np.random.Generator) -> tuple[int, ...]:
        return tuple(Uniform().select(0, state, rng).tolist())

    hand.check_frequencies(draw, dict.fromkeys(permutations(range(5), 2), 1 / 20))


@pytest.mark.parametrize(("per_channel", "chance"), [(1, 2 / 5), (2, 4 / 5)])
def test_everybody_takes_part_as_likely(per_channel: int, chance: float) -> None:
    policy: KnownInclusion = Uniform(per_channel=per_channel)
    assert policy.inclusion(hand.five_clients(2)).tolist() == [chance] * 5


def test_all_that_can_be_reached_take_part_if_they_are_fewer() -> None:
    state = hand.state_of(hand.five_clients(2), available=[False, False, False, True, False])
    assert Uniform().select(0, state, np.random.default_rng(0)).tolist() == [3]
