import fcntl
import os
from pathlib import Path

import pytest

from pipefl.errors import MissingFileError, PipeflError
from pipefl.runs.config import RunConfig
from pipefl.runs.directory import RunDirectory, write_whole

CONFIG = RunConfig(num_clusters=4, target_accuracy=0.97)


def test_a_run_is_begun_once(tmp_path: Path) -> None:
    directory = RunDirectory(tmp_path / "run")
    assert not directory.exists()
    directory.begin(CONFIG)
    assert directory.config() == CONFIG
    assert "pipefl" in directory.config_path.read_text()
    with pytest.raises(PipeflError, match="holds a run already; go on with it by --resume"):
        directory.begin(CONFIG)


def test_a_place_without_a_run_is_named(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError, match="there is no run here"):
        RunDirectory(tmp_path).config()


def test_another_configuration_is_refused_and_the_difference_shown(tmp_path: Path) -> None:
    directory = RunDirectory(tmp_path / "run")
    directory.begin(CONFIG)
    other = CONFIG.model_copy(update={"seed": 5, "learning_rate": 0.2})
    with pytest.raises(PipeflError, match=r"seed 0 → 5; learning_rate 0\.1 → 0\.2"):
        directory.refuse_other(other)


def test_what_does_not_bear_on_the_numbers_may_differ(tmp_path: Path) -> None:
    directory = RunDirectory(tmp_path / "run")
    directory.begin(CONFIG)
    changes = {"executor": "processes", "workers": 7, "checkpoint_every": 3}
    directory.refuse_other(CONFIG.model_copy(update=changes))


def test_an_executor_that_rounds_otherwise_is_another_run(tmp_path: Path) -> None:
    directory = RunDirectory(tmp_path / "run")
    directory.begin(CONFIG)
    with pytest.raises(PipeflError, match="executor 'serial' → 'vectorised'"):
        directory.refuse_other(CONFIG.model_copy(update={"executor": "vectorised"}))


def test_a_directory_in_use_is_locked(tmp_path: Path) -> None:
    directory = RunDirectory(tmp_path / "run")
    with (
        directory.locked(),
        pytest.raises(PipeflError, match="is in use by another process"),
        directory.locked(),
    ):
        pass
    with directory.locked():  # and free again afterwards
        pass


def test_a_lock_goes_with_its_holder(tmp_path: Path) -> None:
    directory = RunDirectory(tmp_path / "run")
    directory.path.mkdir()
    number = os.open(directory.path / ".lock", os.O_RDWR | os.O_CREAT)
    fcntl.flock(number, fcntl.LOCK_EX)
    os.close(number)  # as when a process is killed
    with directory.locked():
        pass


def test_a_file_is_written_whole(tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    write_whole(path, "old")
    write_whole(path, "new")
    assert path.read_text() == "new"
    assert [each.name for each in tmp_path.iterdir()] == ["plan.json"]
