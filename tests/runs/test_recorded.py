import json
import shutil
from pathlib import Path

import pytest

from pipefl.errors import InputFileError, MissingFileError
from pipefl.runs.directory import RunDirectory, is_in_use
from pipefl.runs.recorded import read_run


@pytest.fixture
def run(recorded: Path, tmp_path: Path) -> Path:
    """A copy of a finished run, to be spoilt."""
    return shutil.copytree(recorded / "runs" / "target", tmp_path / "run")


def test_everything_of_a_run_is_read(recorded: Path) -> None:
    run = read_run(recorded / "runs" / "target")
    outcome = json.loads((run.path / "result.json").read_text())
    assert run.state == "target" == outcome["ending"]
    assert len(run.records) == outcome["num_rounds"]
    assert run.at_target is not None
    assert run.at_target.round == outcome["rounds_to_target"]
    assert run.at_target.clock_s == outcome["seconds_to_target"] == run.clock_s
    assert run.best_accuracy == outcome["best_accuracy"]
    assert run.clients is not None
    assert run.plan is not None
    assert run.clients.num_samples.size == run.plan.num_clients == 40
    assert run.schedule == "uniform/wait-all"
    assert run.missing == ()
    assert run.versions["torch"].startswith("2.")
    assert run.machine["python"].startswith("CPython 3.")


def test_what_is_missing_is_named_and_the_rest_is_read(run: Path) -> None:
    for name in ("plan.json", "clients.json", "rounds.jsonl"):
        (run / name).unlink()
    found = read_run(run)
    assert found.missing == ("plan.json", "clients.json", "rounds.jsonl")
    assert (found.plan, found.clients, found.records) == (None, None, ())
    assert found.schedule == "uniform"
    assert found.clock_s == 0.0


def test_a_run_that_was_left_is_unfinished(recorded: Path) -> None:
    run = read_run(recorded / "runs" / "unfinished")
    assert run.state == "unfinished"
    assert len(run.records) == 3


def test_an_outcome_of_fewer_rounds_than_there_are_does_not_hold(run: Path) -> None:
    rounds = run / "rounds.jsonl"
    lines = rounds.read_text().splitlines(keepends=True)
    further = json.loads(lines[-1]) | {"round": len(lines) + 1}
    rounds.write_text("".join([*lines, json.dumps(further) + "\n"]))
    assert read_run(run).state == "unfinished"


def test_a_run_in_use_is_running_as_long_as_it_is(run: Path) -> None:
    with RunDirectory(run).locked():
        assert read_run(run).state == "running"
    assert read_run(run).state == "target"


def test_asking_whether_a_run_is_in_use_makes_nothing(tmp_path: Path) -> None:
    assert not is_in_use(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_reason_not_to_go_on_is_given(run: Path) -> None:
    (run / "failure.json").write_text('{"reason": "no update could be used"}')
    found = read_run(run)
    assert (found.state, found.failure) == ("failed", "no update could be used")


@pytest.mark.parametrize(
    ("name", "text", "complaint"),
    [
        ("plan.json", "{}", "plan.json: not the record of a plan"),
        ("plan.json", "[1]", "plan.json: it holds no table"),
        ("plan.json", "{", "plan.json: not a JSON file"),
        ("clients.json", "{}", "clients.json: it does not describe a run's clients"),
        ("rounds.jsonl", "{}\n", "rounds.jsonl, line 1: not the record of a round"),
        ("result.json", '{"ending": "stopped"}', "result.json: not the outcome of a run"),
        ("config.toml", "seed = -1", "config.toml: seed is -1"),
    ],
)
def test_a_broken_file_is_named(run: Path, name: str, text: str, complaint: str) -> None:
    (run / name).write_text(text)
    with pytest.raises(InputFileError) as caught:
        read_run(run)
    assert complaint in str(caught.value)
    assert str(caught.value).startswith(str(run))
    assert "\n" not in str(caught.value)


def test_a_folder_without_a_run_is_named(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError, match="there is no run here"):
        read_run(tmp_path)


def test_a_run_without_notes_of_its_machine_is_read(run: Path) -> None:
    config = run / "config.toml"
    config.write_text(config.read_text().partition("[versions]")[0])
    found = read_run(run)
    assert (dict(found.versions), dict(found.machine)) == ({}, {})
