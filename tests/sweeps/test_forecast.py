from pathlib import Path

import pytest

from pipefl.sweeps.directory import CellState
from pipefl.sweeps.forecast import work_left, work_of_round
from pipefl.train.sweeping.engine import run_sweep
from small_sweeps import CLUSTERED, UNIFORM, HerePool, begun, small_sweep


def test_what_is_left_falls_to_nothing(tmp_path: Path) -> None:
    sweep = small_sweep(cells=(UNIFORM,), seeds=(0, 1, 2), num_tuning_seeds=1)
    directory = begun(sweep, tmp_path)
    seen: list[float] = []

    class Watcher:
        def update(self, cells: list[CellState], running: object) -> None:
            seen.append(work_left(sweep, cells, {"k1-n2": 20.0}))

    state = CellState(sweep, UNIFORM, directory)
    # Three points by one seed, then two more seeds of the best: 20 rounds each.
    assert work_left(sweep, [state], {"k1-n2": 20.0}) == 5 * 20 * work_of_round(sweep, state)
    assert run_sweep(directory, HerePool(), watcher=Watcher())  # type: ignore[arg-type]  # it takes a list
    assert seen[0] > seen[-1] == 0


@pytest.mark.parametrize(("cell", "clients"), [(CLUSTERED, 6), (UNIFORM, 2)])
def test_a_round_costs_what_its_clients_do(cell: object, clients: int, tmp_path: Path) -> None:
    sweep = small_sweep()
    states = {c.name: CellState(sweep, c, begun(sweep, tmp_path)) for c in sweep.cells}
    name = {6: "k3-n2", 2: "k1-n2"}[clients]
    judging = work_of_round(sweep, states["k1-n2"]) - 2
    assert work_of_round(sweep, states[name]) == clients + judging


def test_where_nothing_is_known_the_allowed_rounds_decide(tmp_path: Path) -> None:
    sweep = small_sweep(cells=(UNIFORM,), seeds=(0,), grids={"learning_rate": (0.1,)})
    state = CellState(sweep, UNIFORM, begun(sweep, tmp_path))
    assert work_left(sweep, [state], {}) == 40 / 4 * work_of_round(sweep, state)
