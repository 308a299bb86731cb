"""Sweeps of real runs, from their beginning or from wherever they were left."""

from pathlib import Path

import pytest

from pipefl.sweeps.config import SweepConfig
from pipefl.sweeps.directory import CellState, SweepDirectory
from pipefl.sweeps.results import CellResult, sweep_results
from pipefl.sweeps.trial import Trial, trial_config
from pipefl.train.sweeping.engine import run_sweep
from small_runs import ran
from small_sweeps import CLUSTERED, UNIFORM, HerePool, begun, small_sweep


def rounds_of_all(sweep: SweepConfig, folder: Path) -> dict[str, dict[tuple[float, int], int]]:
    """Every run of the sweep to its own end: the slow way to the same answer."""
    found: dict[str, dict[tuple[float, int], int]] = {}
    for cell in sweep.cells:
        for point in sweep.points_of(cell):
            for seed in sweep.seeds:
                result = ran(trial_config(sweep, cell, Trial(cell.name, point, seed)), folder)
                rounds = result.rounds_to_target
                found.setdefault(cell.name, {})[point[0], seed] = rounds or 10**6
    return found


def summary(results: tuple[CellResult, ...]) -> list[object]:
    return [(each.name, each.point, each.rounds, each.seconds) for each in results]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[SweepDirectory, HerePool]:
    directory, pool = begun(small_sweep(), tmp_path_factory.mktemp("whole")), HerePool()
    assert run_sweep(directory, pool)
    return directory, pool


def test_a_sweep_finds_what_running_everything_finds(
    whole: tuple[SweepDirectory, HerePool], tmp_path: Path
) -> None:
    directory, pool = whole
    everything = rounds_of_all(small_sweep(), tmp_path)
    for result in sweep_results(directory):
        table = everything[result.name]
        rates = sorted({rate for rate, _ in table})
        best = min(rates, key=lambda rate: (min(table[rate, 0], table[rate, 1]), rate))
        assert result.point == {"learning_rate": best}
        assert result.rounds == (table[best, 0], table[best, 1])
        assert result.is_settled
    assert any(most is not None for _, most in pool.taken)
    assert pool.num_rounds < sum(min(n, 40) for t in everything.values() for n in t.values())


def test_a_finished_sweep_runs_nothing_more(whole: tuple[SweepDirectory, HerePool]) -> None:
    pool = HerePool()
    assert run_sweep(whole[0], pool)
    assert pool.taken == []


def test_checkpoints_go_when_nobody_needs_them(whole: tuple[SweepDirectory, HerePool]) -> None:
    assert list(whole[0].runs_path.glob("*/rounds.jsonl"))
    assert not list(whole[0].runs_path.rglob("*.safetensors"))


def test_a_stopped_sweep_is_gone_on_with_and_redoes_nothing(
    whole: tuple[SweepDirectory, HerePool], tmp_path: Path
) -> None:
    directory, first, second = begun(small_sweep(), tmp_path), HerePool(stop_after=17), HerePool()
    assert not run_sweep(directory, first, stop=lambda: first.has_stopped)
    assert run_sweep(directory, second)
    assert first.num_rounds + second.num_rounds == whole[1].num_rounds
    assert summary(sweep_results(directory)) == summary(sweep_results(whole[0]))


def test_some_cells_can_be_run_alone(tmp_path: Path) -> None:
    directory, pool = begun(small_sweep(), tmp_path), HerePool()
    assert run_sweep(directory, pool, only=["k1-n2"])
    assert {trial.cell for trial, _ in pool.taken} == {"k1-n2"}
    clustered, uniform = sweep_results(directory)
    assert (clustered.point, clustered.is_settled) == (None, False)
    assert uniform.is_settled


def test_a_run_that_diverges_is_an_outcome(tmp_path: Path) -> None:
    grids = {"learning_rate": (0.1, 1e9)}
    directory = begun(small_sweep(cells=(UNIFORM,), grids=grids, seeds=(0,)), tmp_path)
    assert run_sweep(directory, HerePool())
    (result,) = sweep_results(directory)
    assert result.point == {"learning_rate": 0.1}
    failed = result.tried[(1e9,), 0]
    assert failed.is_over
    assert failed.rounds is None
    assert "no update could be used in 3 rounds in a row" in str(failed.failure)
    again = HerePool()
    assert run_sweep(directory, again)
    assert again.taken == []


def test_a_cell_that_never_reaches_its_target_is_settled_too(tmp_path: Path) -> None:
    base = small_sweep().base.model_copy(update={"target_accuracy": 1.0, "max_rounds": 3})
    directory = begun(small_sweep(base=base, cells=(UNIFORM,)), tmp_path)
    assert run_sweep(directory, HerePool())
    (result,) = sweep_results(directory)
    assert (result.point, result.rounds_spread, result.is_settled) == (None, None, True)
    assert {outcome.done for outcome in result.tried.values()} == {3}


def test_a_grid_whose_best_is_at_its_edge_is_continued(tmp_path: Path) -> None:
    grids = {"learning_rate": (0.0025, 0.005)}
    sweep = small_sweep(grids=grids, extend=True, most_extensions=2, cells=(CLUSTERED,), seeds=(0,))
    directory, pool = begun(sweep, tmp_path), HerePool()
    assert run_sweep(directory, pool)
    rates = [trial.point[0] for trial, _ in pool.taken]
    assert rates == [0.0025, 0.005, 0.01, 0.02]
    (result,) = sweep_results(directory)
    assert result.point == {"learning_rate": 0.02}
    # What is on disk is enough to know that it has been continued, and how often.
    state = CellState(sweep, CLUSTERED, directory)
    assert state.search.wanted() == []


def few_seeds(num_seeds: int) -> SweepConfig:
    return small_sweep(cells=(UNIFORM,), seeds=tuple(range(num_seeds)))


def test_more_seeds_are_added_to_a_finished_sweep(tmp_path: Path) -> None:
    directory, first, second = begun(few_seeds(1), tmp_path), HerePool(), HerePool()
    assert run_sweep(directory, first)
    directory.begin(few_seeds(2))
    assert run_sweep(directory, second)
    assert {trial for trial, most in first.taken if most is None}.isdisjoint(
        trial for trial, _ in second.taken
    )
    assert all(len(result.rounds) == 2 for result in sweep_results(directory))
