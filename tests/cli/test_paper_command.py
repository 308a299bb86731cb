"""`pipefl paper`, on the small data that come with the package."""

import json
import os
import pty
import re
import shutil
import signal
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest

from commands import Ran, complaint_of, output_of
from commands import pipefl as command
from pipefl.cli.paper_figures import draw_figure
from pipefl.cli.paper_running import SweepChoices
from pipefl.sweeps.measured import read_measured

QUICK = ("paper", "table2", "--quick", "--seeds", "1", "--jobs", "1")
CELLS = ("k1-n1", "k1-n4", "k4-n1", "rolling-n1")  # the contest with N = 1


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> tuple[Ran, Path]:
    """A quick sweep of table II, and what was printed of it."""
    folder = tmp_path_factory.mktemp("finished") / "sweeps"
    ran = command(*QUICK, "--only", ",".join(CELLS), "--sweeps-dir", folder)
    assert ran.code == 0, ran.err
    return ran, folder


def test_the_tables_are_printed_and_each_trial_is_a_line(finished: tuple[Ran, Path]) -> None:
    ran, _ = finished
    assert "Table II: the MLP on MNIST to 96 %" in ran.out
    assert re.search(r"^ +4 +\d+ -?\d+ %", ran.out, re.MULTILINE)
    assert re.search(r"^ conventional +[\d.]+ .*1\.00×", ran.out, re.MULTILINE)
    assert re.search(r"^ rolling +\d+ .*×", ran.out, re.MULTILINE)
    line = r"\d\d:\d\d:\d\d k4-n1, learning_rate 0\.2, seed 0: \d+ rounds · \d of 4 cells settled"
    assert re.search(line, ran.err)
    assert ran.err.count("\n") == 4


def test_only_the_cells_that_were_asked_for_are_run(finished: tuple[Ran, Path]) -> None:
    runs = {path.name.partition("-at-")[0] for path in finished[1].glob("*/runs/*")}
    assert runs == set(CELLS)


def test_a_finished_sweep_is_only_shown(finished: tuple[Ran, Path]) -> None:
    first, folder = finished
    for more in ([], ["--show"]):
        again = command(*QUICK, "--only", ",".join(CELLS), "--sweeps-dir", folder, *more)
        assert (again.code, again.out, again.err) == (0, first.out, "")


def test_an_outcome_is_exported_with_where_it_comes_from(
    finished: tuple[Ran, Path], tmp_path: Path
) -> None:
    sweeps = tmp_path / "sweeps"
    shutil.copytree(finished[1] / "table2-quick", sweeps / "table2")
    out = output_of("paper", "export", "--sweeps-dir", sweeps, "--results-dir", "results")
    assert out == "Wrote results/table2-quick.json: 4 of 8 cells settled\n"
    sweep = read_measured(Path("results/table2-quick.json"))
    assert {cell.name for cell in sweep.cells} >= {"k1-n1", "k4-n1", "rolling-n1"}
    commands = [session.command for session in sweep.sessions]
    assert commands[0].startswith("pipefl paper table2 --seeds 1 --jobs 1 --only ")
    assert sweep.wall_s > 0
    rolling = sweep.cell("rolling-n1")
    assert rolling is not None
    assert rolling.in_flight is not None
    assert rolling.in_flight >= 4


def test_ctrl_c_stops_cleanly_and_says_how_to_go_on(tmp_path: Path) -> None:
    process = sweep_process(tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    wait_for_a_round(tmp_path, process)
    process.send_signal(signal.SIGINT)
    out, err = (stream.decode() for stream in process.communicate(timeout=180))
    assert process.returncode == 130
    assert "Traceback" not in err
    go_on = re.search(r"^Stopped; nothing is lost\. Go on: pipefl (.*)$", out, re.MULTILINE)
    assert go_on is not None
    assert go_on[1] == "paper table2 --seeds 1 --jobs 1 --quick"
    assert command(*go_on[1].split(), "--show").code == 0


def test_a_figure_that_was_stopped_says_what_draws_it(tmp_path: Path) -> None:
    figure = ("paper", "accuracy-mnist-mlp", "--quick", "--jobs", "1", "--save", "a.svg")
    process = sweep_process(tmp_path, what=figure, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    wait_for_a_round(tmp_path, process)
    process.send_signal(signal.SIGINT)
    out, _ = (stream.decode() for stream in process.communicate(timeout=180))
    assert process.returncode == 130
    (go_on,) = re.findall(r"^Stopped; nothing is lost\. Go on: pipefl (.*)$", out, re.MULTILINE)
    assert go_on == "paper accuracy-mnist-mlp --save a.svg --jobs 1 --quick"


def sweep_process(
    folder: Path, *more: str, what: tuple[str, ...] = QUICK, **streams: int
) -> "subprocess.Popen[bytes]":
    """A quick sweep, of ten seconds or so, in a process of its own."""
    line = [sys.executable, "-m", "pipefl", *what, *more]
    return subprocess.Popen(line, cwd=folder, **streams)  # type: ignore[call-overload, no-any-return]  # numbers of open files


def wait_for_a_round(folder: Path, process: "subprocess.Popen[bytes]") -> None:
    end_s = time.monotonic() + 180
    while not any(path.stat().st_size for path in folder.rglob("rounds.jsonl")):
        assert process.poll() is None
        assert time.monotonic() < end_s
        time.sleep(0.02)


def test_a_terminal_sees_a_table_that_fills_in(tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (40, 120))
    process = sweep_process(tmp_path, "--seeds", "3", stdout=theirs, stderr=theirs)
    os.close(theirs)
    seen, end_s = b"", time.monotonic() + 180
    # Some cells are over before the table is drawn again.
    running = rb"n\d+, learning_rate 0.2.*, seed \d: [1-9][\d,]* rounds"
    while not (re.search(running, seen) and b"Ctrl-C stops" in seen):
        assert time.monotonic() < end_s, seen
        seen += os.read(ours, 4096)
    process.kill()
    process.wait()
    os.close(ours)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("paper", "table5"), "No such command 'table5'"),
        ((*QUICK, "--only", "k9-n1"), "--only is 'k9-n1'; no cell is named so; there are k1-n1"),
        (("paper", "table2", "--quick", "--seeds", "0"), "--seeds is 0"),
        (("paper", "table2", "--quick", "--jobs", "0"), "--jobs is 0"),
        (("paper", "table2", "--quick", "--tuning-seeds", "4"), "--tuning-seeds is 4"),
        ((*QUICK, "--best", "--tuning-seeds", "1"), "with --best nothing is tuned"),
        ((*QUICK, "--executor", "rya"), "--executor is 'rya'; it must be one of processes, ray"),
        (
            (*QUICK, "--executor", "processes", "--ray-address", "auto"),
            "--ray-address is 'auto'; it is for --executor ray",
        ),
        ((*QUICK, "--show"), "sweeps/table2-quick: there is no sweep here"),
        (("paper", "export"), "sweeps: there is no sweep of a table here"),
        (("paper", "fig1", "--save", "fig1.txt"), "its name must end in .pdf or .svg"),
        (("paper", "fig1", "--save", "none/fig1.pdf"), "there is no folder none"),
    ],
)
def test_a_mistake_is_one_line(arguments: tuple[str, ...], complaint: str) -> None:
    assert complaint in complaint_of(*arguments)


@pytest.mark.parametrize(
    ("what", "hint"),
    [
        ("table1", "`pipefl data get mnist` fetches them"),
        ("table3", "mnist: files are missing"),
        ("table4", "`pipefl data get shakespeare` fetches them"),
        ("fig4", "files are missing"),
    ],
)
def test_missing_data_are_named_before_anything_is_begun(
    what: str, hint: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PIPEFL_DATA", str(tmp_path / "empty"))
    complaint = complaint_of("paper", what)
    assert "files are missing in" in complaint
    assert hint in complaint or what == "table3"
    assert not Path("sweeps").exists()


def test_a_sweep_of_another_configuration_shows_the_difference(
    finished: tuple[Ran, Path], tmp_path: Path
) -> None:
    shutil.copytree(finished[1], tmp_path / "sweeps")
    path = tmp_path / "sweeps/table2-quick/sweep.toml"
    path.write_text(path.read_text().replace("batch_size = 16", "batch_size = 8"))
    complaint = complaint_of(*QUICK)
    assert "is a sweep of another configuration: base.batch_size 8 → 16" in complaint
    assert "go on by" not in complaint


@pytest.mark.parametrize("name", ["fig1", "fig2", "fig3"])
def test_figures_are_drawn_by_name(name: str) -> None:
    assert output_of("paper", name) == f"Wrote {name}.svg\n"
    assert Path(f"{name}.svg").read_text().startswith("<svg")


def test_a_figure_is_saved_as_its_name_says() -> None:
    output_of("paper", "fig1", "--save", "fig1.pdf")
    assert Path("fig1.pdf").read_bytes().startswith(b"%PDF")


def test_a_plot_of_accuracy_runs_what_it_shows() -> None:
    arguments = ("paper", "accuracy-mnist-mlp", "--quick", "--jobs", "1", "--save", "curves.json")
    ran = command(*arguments)
    assert ran.code == 0, ran.err
    assert ran.out == "Wrote curves.json\n"
    chart = json.loads(Path("curves.json").read_text())
    (rows,) = (rows for rows in chart["datasets"].values() if len(rows) > 1)
    assert {row["curve"] for row in rows} == {"K = 1", "K = 4"}
    assert [row["round"] for row in rows if row["curve"] == "K = 1"] == list(range(1, 31))
    again = command(*arguments)
    assert (again.code, again.err) == (0, "")
    # Of `pipefl paper all --only k4-n4` the plots have their curves all the same.
    few = SweepChoices(
        seeds=None,
        tuning_seeds=None,
        jobs=1,
        executor=None,
        ray_address=None,
        quick=True,
        best=False,
        only="k4-n4",
        for_contest=False,
        show=False,
        sweeps_dir=Path("sweeps"),
    )
    draw_figure("accuracy-mnist-mlp", Path("few.json"), few, "pipefl paper all")
    assert json.loads(Path("few.json").read_text())["datasets"] == chart["datasets"]
