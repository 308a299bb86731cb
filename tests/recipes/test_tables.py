from pathlib import Path

import pytest

from pipefl.errors import ArgumentError, MissingFileError
from pipefl.policies.paper_points import paper_points
from pipefl.recipes.curves import curves_sweep
from pipefl.recipes.tables import TABLES, at_points, table_recipe, table_sweep, tables_of
from pipefl.sweeps.contest import entrants
from pipefl.sweeps.trial import Trial, trial_config


@pytest.mark.paper("tab:mnist-cnn, tab:mnist-mlp, tab:emnist, tab:shakespeare")
@pytest.mark.parametrize("name", TABLES)
def test_a_table_has_the_papers_cells_and_all_that_contests_need(name: str) -> None:
    names = {cell.name for cell in table_sweep(name).cells}
    assert names >= {f"k{k}-n{n}" for k in (1, 2, 3, 4) for n in (1, 2, 4, 8)}
    assert names >= {e.cell for k in (2, 3, 4) for n in (1, 2, 4, 8) for e in entrants(k, n)}


@pytest.mark.parametrize("name", TABLES)
def test_every_cell_makes_a_run_of_its_schedule(name: str) -> None:
    sweep = table_sweep(name)
    assert sweep.base.target_accuracy == paper_points(sweep.paper).target_accuracy
    for cell in sweep.cells:
        config = trial_config(sweep, cell, Trial(cell.name, sweep.points_of(cell)[0], 1))
        assert config.seed == 1
        served = config.num_channels * (config.num_clusters or 0)
        expected = {"k": "clustered", "u": "uniform", "r": "rolling"}[cell.name[0]]
        assert config.policy == ("uniform" if cell.name.startswith("k1-") else expected)
        if cell.name.startswith("k"):
            clusters, channels = (int(part[1:]) for part in cell.name.split("-"))
            assert (config.num_clusters, config.num_channels) == (clusters, channels)
        elif cell.name.startswith("u"):
            assert served == int(cell.name[1:])
        else:
            assert config.evaluate_every == served  # judged as often as the paper's rounds


def test_settings_that_are_known_leave_nothing_to_tune() -> None:
    sweep = at_points(table_sweep("table2", 1), {"k4-n1": {"learning_rate": 0.7}})
    assert sweep.name == "table2-best"
    assert sweep.points_of(sweep.cell("k4-n1")) == [(0.7,)]
    assert sweep.points_of(sweep.cell("k4-n2")) == [(sweep.grids["learning_rate"][0],)]
    assert len(sweep.points_of(sweep.cell("rolling-n2"))) == 1
    assert not sweep.extend


def test_a_quick_sweep_needs_nothing_but_what_comes_with_the_package() -> None:
    sweep = table_sweep("table1", 2, quick=True)
    assert sweep.base.dataset == "mnist-subset"
    assert sweep.paper == ""
    assert {cell.name for cell in sweep.cells} >= {"k1-n1", "k4-n2", "rolling-n1"}
    assert sweep.seeds == (0, 1)


def test_curves_are_judged_in_full_for_as_long_as_the_paper_took() -> None:
    sweep = curves_sweep("table1", {})
    assert [cell.name for cell in sweep.cells] == ["k1-n1", "k2-n1", "k3-n1", "k4-n1"]
    assert (sweep.base.evaluation, sweep.base.stop_at_target) == ("full", False)
    assert sweep.base.max_rounds == 273


def test_without_federated_emnist_two_others_stand_in_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIPEFL_DATA", str(tmp_path))
    with pytest.raises(MissingFileError, match="mnist"):
        tables_of("table3")
    for place in (
        *(f"mnist/{part}" for part in _IDX),
        "nist-writers/qmnist-train-labels-idx2-int",
        "nist-writers/qmnist-test-labels-idx2-int",
        "nist-writers/xnist-labels-idx2-int",
    ):
        (tmp_path / place).parent.mkdir(exist_ok=True)
        (tmp_path / place).touch()
    assert tables_of("table3") == ("table3-writers", "table3-sizes")
    assert tables_of("table1") == ("table1",)


_IDX = (
    "train-images-idx3-ubyte",
    "train-labels-idx1-ubyte",
    "t10k-images-idx3-ubyte",
    "t10k-labels-idx1-ubyte",
)


def test_an_unknown_table_names_the_nearest() -> None:
    with pytest.raises(ArgumentError, match=r"table is 'tabel1'; did you mean table1\?"):
        table_recipe("tabel1")
