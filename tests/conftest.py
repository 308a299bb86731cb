"""Settings and the data folder, for every test."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

# The first example of a test may pay for an import; a time limit on it would be random.
settings.register_profile("pipefl", deadline=None)
settings.load_profile("pipefl")

BESIDE_THE_PROJECT = Path(__file__).parents[2] / "shared" / "data"
SUB_FOLDERS = ("mnist", "nist-writers", "shakespeare")


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder of $PIPEFL_DATA, else `../shared/data` beside the project; skips without."""
    folder = Path(os.environ.get("PIPEFL_DATA") or BESIDE_THE_PROJECT).resolve()
    missing = [name for name in SUB_FOLDERS if not (folder / name).is_dir()]
    if missing:
        pytest.skip(f"no {', '.join(missing)} in {folder}; PIPEFL_DATA may name another folder")
    return folder


@pytest.fixture(scope="session")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folders `runs` and `sweep` of `recorded_runs`; nobody may write to them."""
    from recorded_runs import make_runs, make_sweep  # they import torch

    folder = tmp_path_factory.mktemp("recorded")
    make_runs(folder / "runs")
    make_sweep(folder / "sweep")
    return folder
