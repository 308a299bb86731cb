from pathlib import Path

import pytest

from pipefl.errors import InputFileError, MissingFileError, PipeflError
from pipefl.sweeps.config import CellConfig
from pipefl.sweeps.directory import SweepDirectory
from small_runs import small
from small_sweeps import CLUSTERED, UNIFORM, begun, small_sweep


def test_a_sweep_is_read_back_whole(tmp_path: Path) -> None:
    sweep = small_sweep(num_tuning_seeds=1, title="A small one")
    assert begun(sweep, tmp_path).config() == sweep


def test_a_sweep_of_another_configuration_shows_the_difference(tmp_path: Path) -> None:
    directory = begun(small_sweep(), tmp_path)
    other = small_sweep(
        base=small(target_accuracy=0.65, max_rounds=40, batch_size=8),
        grids={"learning_rate": (0.05, 0.1)},
    )
    with pytest.raises(PipeflError) as complaint:
        directory.begin(other)
    text = str(complaint.value)
    assert f"{directory.path} is a sweep of another configuration" in text
    assert "base.batch_size 16 → 8" in text
    assert "grids.learning_rate (0.05, 0.1, 0.2) → (0.05, 0.1)" in text
    assert "seeds" not in text
    assert directory.config() == small_sweep()


def test_a_cell_of_other_settings_is_another_configuration(tmp_path: Path) -> None:
    directory = begun(small_sweep(), tmp_path)
    cell = CLUSTERED.model_copy(update={"settings": {**CLUSTERED.settings, "num_clusters": 2}})
    with pytest.raises(PipeflError, match=r"cells\.k3-n2\.settings\.num_clusters 3 → 2"):
        directory.begin(small_sweep(cells=(cell, UNIFORM)))


def test_a_sweep_may_grow_by_cells_and_seeds(tmp_path: Path) -> None:
    directory = begun(small_sweep(num_tuning_seeds=1), tmp_path)
    cells = (UNIFORM, CellConfig(name="new"), CLUSTERED)
    grown = small_sweep(seeds=(0, 1, 2), cells=cells, title="Grown")
    directory.begin(grown)
    assert directory.config() == grown
    with pytest.raises(PipeflError, match=r"seeds \(0, 1, 2\) → \(0, 1\)"):
        directory.begin(small_sweep(cells=cells))
    with pytest.raises(PipeflError, match=r"cells\.new\.name 'new' → None"):
        directory.begin(small_sweep(seeds=(0, 1, 2)))


def test_where_there_is_no_sweep_that_is_said(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError, match="there is no sweep here"):
        SweepDirectory(tmp_path).config()


def test_a_damaged_definition_is_named(tmp_path: Path) -> None:
    directory = begun(small_sweep(), tmp_path)
    directory.config_path.write_text('name = "small"\n')
    with pytest.raises(InputFileError, match=r"sweep\.toml: base is"):
        directory.config()


def test_nobody_else_runs_a_sweep_meanwhile(tmp_path: Path) -> None:
    directory = begun(small_sweep(), tmp_path)
    with (
        directory.locked(),
        pytest.raises(PipeflError, match="in use by another process"),
        directory.locked(),
    ):
        pass
