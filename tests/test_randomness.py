import numpy as np
import pytest

import pipefl
from pipefl.randomness import generator


def test_the_same_key_gives_the_same_numbers_whatever_was_drawn_before() -> None:
    generator(3, "other").random(10)
    assert generator(3, "draw", 5).random() == generator(3, "draw", 5).random()


def test_every_part_of_the_key_matters() -> None:
    keys: list[tuple[int, ...]] = [(), (0,), (1,), (0, 0), (1, 0)]
    drawn = {
        generator(seed, purpose, *key).random()
        for seed in (0, 1)
        for purpose in ("a", "b")
        for key in keys
    }
    assert len(drawn) == 2 * 2 * len(keys)


def test_numbers_of_different_rounds_are_not_correlated() -> None:
    rows = np.array([generator(0, "rounds", t).standard_normal(2000) for t in range(20)])
    correlation = np.corrcoef(rows) - np.eye(20)
    assert np.abs(correlation).max() < 0.12


@pytest.mark.parametrize("seed", [-1, 1.5, "a"])
def test_a_seed_that_is_none_is_refused(seed: object) -> None:
    with pytest.raises(pipefl.PipeflError, match="seed is"):
        generator(seed, "draw")  # type: ignore[arg-type]  # wrong on purpose
