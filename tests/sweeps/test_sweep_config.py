import pytest
from pydantic import ValidationError

from pipefl.sweeps.config import CellConfig, SweepConfig
from small_sweeps import CLUSTERED, UNIFORM, small_sweep


def test_points_are_all_combinations_the_middle_first() -> None:
    grids = {"learning_rate": (0.1, 0.2, 0.4), "server_learning_rate": (1.0, 2.0, 4.0)}
    sweep = small_sweep(grids=grids)
    points = sweep.points_of(CLUSTERED)
    assert points[0] == (0.2, 2.0)
    assert sorted(points) == [(a, b) for a in (0.1, 0.2, 0.4) for b in (1.0, 2.0, 4.0)]
    assert {points[i] for i in range(5, 9)} == {(0.1, 1.0), (0.1, 4.0), (0.4, 1.0), (0.4, 4.0)}


def test_a_grid_of_the_cell_takes_the_place_of_the_sweeps() -> None:
    own = CellConfig(name="own", grids={"learning_rate": (0.3,), "batch_size": (8,)})
    sweep = small_sweep(cells=(own, UNIFORM))
    assert sweep.points_of(own) == [(0.3, 8.0)]
    assert len(sweep.points_of(UNIFORM)) == 3


def test_the_first_seeds_choose() -> None:
    assert small_sweep(seeds=(5, 6, 7)).tuning_seeds == (5, 6, 7)
    assert small_sweep(seeds=(5, 6, 7), num_tuning_seeds=1).tuning_seeds == (5,)


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"cells": (UNIFORM, UNIFORM)}, "two cells of the sweep have the same name"),
        ({"seeds": (1, 1)}, "a seed stands twice"),
        ({"seeds": (1,), "num_tuning_seeds": 2}, "num_tuning_seeds is 2; the sweep has 1 seeds"),
        ({"seeds": ()}, "at least 1 item"),
        ({"grids": {"learning_rate": (0.0,)}}, "greater than 0"),
        ({"cells": ({"name": "Über"},)}, "match pattern"),
    ],
)
def test_what_makes_no_sweep_is_refused(changes: dict[str, object], complaint: str) -> None:
    with pytest.raises(ValidationError, match=complaint):
        small_sweep(**changes)


def test_without_a_target_there_is_nothing_to_count() -> None:
    base = small_sweep().base.model_copy(update={"target_accuracy": None, "evaluation": "full"})
    with pytest.raises(ValidationError, match="target_accuracy is missing"):
        SweepConfig.model_validate({**small_sweep().model_dump(), "base": base})
