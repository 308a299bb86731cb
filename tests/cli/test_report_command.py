import shutil
from pathlib import Path

import pytest

from commands import complaint_of, output_of
from page_outline import refuse_scripts_and_requests
from writing_room import room_for


@pytest.fixture
def run(recorded: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A finished run in the folder `runs` of where the command is; without a plan few charts."""
    monkeypatch.chdir(tmp_path)
    folder = shutil.copytree(recorded / "runs" / "target", tmp_path / "runs" / "mine")
    (folder / "plan.json").unlink()
    return folder


def test_a_run_is_reported_in_its_own_folder(run: Path) -> None:
    assert output_of("report", run) == f"Wrote {run / 'report.html'}\n"
    page = (run / "report.html").read_text(encoding="utf-8")
    refuse_scripts_and_requests(page)
    assert "<h1>target</h1>" in page
    assert "Marked is what differs from the defaults." in page


def test_a_name_among_the_runs_will_do(run: Path) -> None:
    assert output_of("report", "mine", "--html", "a.html") == "Wrote a.html\n"


def test_several_formats_at_once(run: Path) -> None:
    out = output_of("report", run, "--html", "a.html", "--md", "b.md")
    assert out.splitlines() == ["Wrote a.html", "Wrote b.md"]
    assert not (run / "report.html").exists()
    text = Path("b.md").read_text(encoding="utf-8")
    pictures = {path.name for path in Path("b-figures").iterdir()}
    assert all(f"(b-figures/{name})" in text for name in pictures)
    assert pictures == {
        f"{what}-{along}.svg" for what in ("accuracy", "loss") for along in ("rounds", "seconds")
    }


def test_a_format_without_a_path_is_written_in_the_runs_own_folder(run: Path) -> None:
    out = output_of("report", run, "--md", "--html")
    assert out.splitlines() == [f"Wrote {run / 'report.html'}", f"Wrote {run / 'report.md'}"]
    assert (run / "report-figures").is_dir()
    assert output_of("report", "--html", run) == f"Wrote {run / 'report.html'}\n"


def test_the_recipe_of_the_runs_name_is_what_settings_are_held_against(run: Path) -> None:
    config = run / "config.toml"
    config.write_text(config.read_text().replace('name = "target"', 'name = "demo-clustered-n2"'))
    output_of("report", run)
    page = (run / "report.html").read_text(encoding="utf-8")
    assert "Marked is what differs from the recipe demo-clustered-n2." in page
    assert "<dd>linear <small>demo-clustered-n2 cnn</small></dd>" in page


def test_a_sweep_is_reported_too(recorded: Path, tmp_path: Path) -> None:
    output_of("report", recorded / "sweep", "--html", tmp_path / "a.html")
    page = (tmp_path / "a.html").read_text(encoding="utf-8")
    assert "<h1>A small sweep</h1>" in page


def test_a_run_in_use_is_reported_as_far_as_it_is(run: Path) -> None:
    (run / "result.json").unlink()
    rounds = run / "rounds.jsonl"
    rounds.write_bytes(rounds.read_bytes()[:-20])  # the last line is being written
    output_of("report", run)
    page = (run / "report.html").read_text(encoding="utf-8")
    assert "This run is not finished" in page


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("nowhere",), "nowhere: there is no such folder, here or in runs"),
        (("runs",), "runs is neither a run nor a sweep: it holds no config.toml and no sweep.toml"),
        (("mine", "--html", "a.htm"), "--html is 'a.htm'; its name must end in .html"),
        (("mine", "--pdf", "a.html"), "--pdf is 'a.html'; its name must end in .pdf"),
        (("mine", "--md", "no/a.md"), "--md no/a.md: there is no folder no"),
    ],
)
def test_a_mistake_is_one_line(run: Path, arguments: tuple[str, ...], complaint: str) -> None:
    assert complaint_of("report", *arguments) == complaint


def test_a_broken_run_is_one_line(run: Path) -> None:
    (run / "clients.json").write_text("{}")
    assert "clients.json: it does not describe a run's clients" in complaint_of("report", run)
    assert not (run / "report.html").exists()


def test_without_a_browser_a_pdf_is_refused_before_anything_is_written(
    run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(run))
    complaint = complaint_of("report", run, "--html", "a.html", "--pdf", "a.pdf")
    assert "none is on the PATH: install chromium" in complaint
    assert not Path("a.html").exists()


def test_a_full_disk_is_one_line_and_nothing_is_left_half_written(run: Path) -> None:
    before = sorted(run.iterdir())
    with room_for(5000):
        complaint = complaint_of("report", run)
    assert complaint == f"{run / 'report.html'} cannot be written: File too large"
    assert sorted(run.iterdir()) == before
