import shutil
from pathlib import Path

import pytest

from pipefl.errors import MissingFileError, PipeflError
from pipefl.runs.directory import RunDirectory
from pipefl.runs.flat import default_settings, differing, flat_settings
from pipefl.runs.listing import LISTED, is_wanted, list_runs, run_entry
from pipefl.runs.recorded import read_run
from small_runs import small


def test_every_run_is_listed_as_it_is_read(recorded: Path) -> None:
    listing = list_runs(recorded / "runs")
    assert [entry.name for entry in listing.entries] == [
        "carry", "full", "rolling", "target", "unfinished",
    ]  # fmt: skip
    for entry in listing.entries:
        run = read_run(entry.path)
        assert entry.config == run.config
        assert entry.state == run.state
        assert entry.num_rounds == len(run.records)
        assert entry.clock_s == run.clock_s
        assert entry.best_accuracy == run.best_accuracy
        found = run.at_target
        assert entry.rounds_to_target == (None if found is None else found.round)
        assert entry.seconds_to_target == (None if found is None else found.clock_s)
    assert (listing.broken, listing.foreign) == ([], [])


def test_what_a_config_leaves_open_is_told_as_it_came_out(recorded: Path) -> None:
    target, rolling = (run_entry(recorded / "runs" / name) for name in ("target", "rolling"))
    assert (target.discipline, target.schedule) == ("wait-all", "uniform/wait-all")
    assert (rolling.discipline, rolling.schedule) == (None, "rolling")
    assert target.num_clusters == 3


def test_broken_runs_and_foreign_files_do_not_hide_the_others(
    recorded: Path, tmp_path: Path
) -> None:
    shutil.copytree(recorded / "runs" / "full", tmp_path / "full")
    broken = shutil.copytree(recorded / "runs" / "full", tmp_path / "broken")
    (broken / "config.toml").write_text("seed = [")
    (tmp_path / "notes.txt").write_text("mine")
    (tmp_path / "empty").mkdir()
    (tmp_path / ".hidden").mkdir()
    listing = list_runs(tmp_path)
    assert [entry.name for entry in listing.entries] == ["full"]
    assert [path.name for path in listing.foreign] == ["empty", "notes.txt"]
    (reason,) = listing.broken
    assert reason.startswith(f"{broken / 'config.toml'}: not a TOML file")


def test_a_run_in_use_is_listed_as_running(recorded: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(recorded / "runs" / "full", tmp_path / "full")
    with RunDirectory(folder).locked():
        assert run_entry(folder).state == "running"


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError, match="there is no such folder of runs"):
        list_runs(tmp_path / "nowhere")


@pytest.mark.parametrize(
    ("wanted", "names"),
    [
        ({}, ["carry", "full", "rolling", "target", "unfinished"]),
        ({"policy": "rolling"}, ["rolling"]),
        ({"discipline": "slots", "state": "max_rounds"}, ["carry", "full"]),
        ({"name": "*r*"}, ["carry", "rolling", "target"]),
        ({"jitter": 0.3}, ["carry"]),
        ({"devices.jitter": 0}, ["full", "rolling", "target", "unfinished"]),
        ({"target_accuracy": None}, ["full"]),
        ({"num_clusters": 3, "max_rounds": 60}, ["target"]),
        ({"stop_at_target": True}, ["carry", "full", "rolling", "target", "unfinished"]),
        ({"stop_at_target": 1}, []),
        ({"model_options.dense": 3}, []),
    ],
)
def test_filters_look_at_settings_and_outcomes(
    recorded: Path, wanted: dict[str, object], names: list[str]
) -> None:
    entries = list_runs(recorded / "runs").entries
    assert [entry.name for entry in entries if is_wanted(entry, wanted)] == names


def test_a_filter_by_no_setting_is_refused(recorded: Path) -> None:
    with pytest.raises(PipeflError, match="did you mean policy"):
        is_wanted(run_entry(recorded / "runs" / "full"), {"polcy": "rolling"})


def test_an_entry_is_a_table_of_what_is_listed(recorded: Path) -> None:
    table = run_entry(recorded / "runs" / "full").to_dict()
    assert tuple(table) == LISTED
    assert table["dataset"] == "mnist-subset"


def test_a_flat_table_has_every_setting_once() -> None:
    flat = flat_settings(small(model_options={"dense": 3}))
    assert flat["data.num_clients"] == 40
    assert flat["model_options"] == {"dense": 3}
    assert flat.keys() == default_settings().keys()


def test_what_differs_has_a_value_for_each() -> None:
    configs = [small(seed=1), small(seed=2, data={"num_clients": 40, "test_samples": 300})]
    assert differing(configs) == {"seed": [1, 2], "data.test_samples": [400, 300]}
