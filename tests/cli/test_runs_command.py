import json
import re
import shutil
from pathlib import Path

import pytest

from commands import complaint_of, output_of, pipefl


def rows(out: str) -> list[str]:
    """The first word of each row of the printed table."""
    return re.findall(r"^ ?(\S+)  +linear", out, re.MULTILINE)


def test_all_runs_are_listed_with_what_came_of_them(recorded: Path) -> None:
    out = output_of("runs", "--runs-dir", recorded / "runs")
    assert rows(out) == ["carry", "full", "rolling", "target", "unfinished"]
    outcome = json.loads((recorded / "runs/target/result.json").read_text())
    (line,) = (line for line in out.splitlines() if line.strip().startswith("target "))
    assert re.search(r"uniform/wait-all +3 +2 +0\.1 +0 +target ", line)
    assert re.search(rf" {outcome['num_rounds']} +40 % +{outcome['rounds_to_target']} ", line)
    assert line.rstrip().endswith(f"{outcome['best_accuracy']:.4f}")


def test_runs_are_filtered_and_sorted(recorded: Path) -> None:
    runs = ("runs", "--runs-dir", recorded / "runs")
    assert rows(output_of(*runs, "--filter", "policy=rolling")) == ["rolling"]
    both = output_of(*runs, "--filter", "state=max_rounds", "--filter", "name=*r*")
    assert rows(both) == ["carry", "rolling"]
    assert rows(output_of(*runs, "--sort", "seconds"))[0] == "target"
    entries = json.loads(output_of(*runs, "--sort", "accuracy", "--json"))
    best = [entry["best_accuracy"] for entry in entries if entry["best_accuracy"] is not None]
    assert best == sorted(best, reverse=True)
    assert [entry["best_accuracy"] for entry in entries][: len(best)] == best
    states = [entry["state"] for entry in json.loads(output_of(*runs, "--sort", "state", "--json"))]
    assert states == sorted(states)


def test_nothing_that_fits_is_said(recorded: Path, tmp_path: Path) -> None:
    out = output_of("runs", "--runs-dir", recorded / "runs", "--filter", "seed=9")
    assert out == f"none of the 5 runs in {recorded / 'runs'} is so\n"
    out = output_of("runs", "--runs-dir", tmp_path)
    assert out == f"there are no runs in {tmp_path}; `pipefl run demo` makes two\n"


def test_the_runs_of_a_sweep_are_listed(recorded: Path) -> None:
    entries = json.loads(output_of("runs", "--runs-dir", recorded / "sweep", "--json"))
    assert [entry["name"] for entry in entries][:2] == ["k1-n2-at-0.1-s0", "k1-n2-at-0.1-s1"]
    assert len(entries) == 5


def test_what_cannot_be_listed_is_said_in_one_line_each(recorded: Path, tmp_path: Path) -> None:
    shutil.copytree(recorded / "runs" / "full", tmp_path / "full")
    shutil.copytree(recorded / "sweep", tmp_path / "many")
    broken = shutil.copytree(recorded / "runs" / "full", tmp_path / "broken")
    (broken / "result.json").write_text("oh")
    (tmp_path / "demo.png").write_bytes(b"")
    (tmp_path / "empty").mkdir()
    ran = pipefl("runs", "--runs-dir", tmp_path)
    assert ran.code == 0
    assert rows(ran.out) == ["full"]
    first, second, third = ran.err.splitlines()
    assert first.startswith(f"left out: {broken / 'result.json'}: not a JSON file")
    assert (
        second
        == f"{tmp_path / 'many'} is a sweep; its runs: pipefl runs --runs-dir {tmp_path}/many"
    )
    assert third == "left out, for they are no runs: demo.png, empty"


def test_runs_are_compared_by_settings_and_outcomes(recorded: Path) -> None:
    out = output_of("runs", "compare", "full", "carry", "--runs-dir", recorded / "runs")
    lines = [line.split() for line in out.splitlines()]
    assert ["setting", "or", "outcome", "full", "carry"] in lines
    assert ["missed", "drop", "carry"] in lines
    assert ["devices.jitter", "0", "0.3"] in lines
    assert ["rounds", "done", "6", "8"] in lines
    assert not any(line[:1] == ["seed"] for line in lines), "it is alike in both"
    assert any(line[:2] == ["Jain's", "index"] for line in lines)


def test_a_comparison_as_json(recorded: Path) -> None:
    folders = [recorded / "runs" / name for name in ("target", "rolling", "unfinished")]
    found = json.loads(output_of("runs", "compare", *folders, "--json"))
    assert found["runs"] == [str(folder) for folder in folders]
    assert found["settings"]["policy"] == ["uniform", "rolling", "clustered"]
    assert found["outcomes"]["state"] == ["target", "max_rounds", "unfinished"]
    assert found["outcomes"]["ratio"] == [None, None, None], "their targets are not the same"


def test_seconds_to_one_target_are_compared(recorded: Path) -> None:
    names = ("k1-n2-at-0.1-s0", "k3-n2-at-0.1-s0")
    out = output_of("runs", "compare", *names, "--runs-dir", recorded / "sweep", "--json")
    outcomes = json.loads(out)["outcomes"]
    first_s, second_s = outcomes["seconds_to_target"]
    assert outcomes["ratio"] == [1.0, second_s / first_s]


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("--runs-dir", "nowhere"), "nowhere: there is no such folder of runs"),
        (("--filter", "seed"), "--filter is 'seed'; it must have the form name=value"),
        (("--filter", "sed=1"), "there is no setting 'sed'; did you mean seed?"),
        (("--sort", "size"), "--sort is 'size'; it must be one of name, state, rounds"),
        (("compare", "full"), "it takes two runs at least to compare"),
        (("compare", "full", "none"), "there is no such run, in runs or here"),
    ],
)
def test_a_mistake_is_one_line(
    recorded: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
    complaint: str,
) -> None:
    monkeypatch.chdir(recorded)
    assert complaint in complaint_of("runs", *arguments)
