import shutil
from pathlib import Path

import numpy as np
import pytest

from charts import layers_of, rows
from page_outline import refuse_repeated_ids, refuse_scripts_and_requests
from pipefl.errors import InputFileError
from pipefl.report.page import page_html
from pipefl.report.parts import Facts, Page, Section, Table, Tiles
from pipefl.report.saving import svg
from pipefl.report.seeds_chart import SeedCurves, seeds_chart
from pipefl.report.sweep_page import sweep_page
from pipefl.report.sweep_view import SweepView, sweep_view


@pytest.fixture(scope="module")
def view(recorded: Path) -> SweepView:
    return sweep_view(recorded / "sweep")


@pytest.fixture(scope="module")
def page(view: SweepView) -> Page:
    return sweep_page(view, [Section("As in the paper", [Table(["K", "N = 2"], [["1", "54"]])])])


def table(page: Page, title: str) -> Table:
    section = next(each for each in page.sections if each.title == title)
    return next(part for part in section.parts if isinstance(part, Table))


def test_the_page_is_whole_and_begins_with_the_tables_given(page: Page) -> None:
    assert [section.title for section in page.sections] == [
        "As in the paper", "Cells", "Accuracy and loss", "What was tried", "Settings",
        "Machine and versions",
    ]  # fmt: skip
    html = page_html(page)
    refuse_scripts_and_requests(html)
    refuse_repeated_ids(html)
    assert page.title == "A small sweep"
    assert page.lead == "linear on mnist-subset · to 70% test accuracy · 2 cells · 2 seeds"


def test_a_sweep_that_is_not_finished_says_so(page: Page) -> None:
    assert "This sweep is not finished: of 2 cells more runs are wanted" in str(page.opening[0])
    (tiles,) = (part for part in page.opening if isinstance(part, Tiles))
    assert tiles.tiles[1].value == "5"
    assert tiles.tiles[1].text == "runs, 4 of them to their end"


def test_every_cell_has_its_seeds_in_the_middle_and_in_range(view: SweepView, page: Page) -> None:
    for cell, row in zip(view.cells, table(page, "Cells").cells, strict=True):
        assert row[0].text == cell.name
        known = sorted(run.at_target.round for run in cell.runs.values() if run.at_target)
        assert len(known) == 2
        assert row[6].text == str(known[0])
        assert list(row[6].below) == [f"{known[0]} – {known[1]}"]
        assert row[9].text == "2/2"
    uploads = {row[4].text for row in table(page, "Cells").cells}
    assert len(uploads) == 2
    assert any("compare only where it does" in note for note in table(page, "Cells").notes)


def test_a_seed_that_is_still_to_come_has_not_failed(recorded: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(recorded / "sweep", tmp_path / "sweep")
    shutil.rmtree(folder / "runs" / "k1-n2-at-0.1-s1")
    definition = folder / "sweep.toml"
    definition.write_text("num_tuning_seeds = 1\n" + definition.read_text(encoding="utf-8"))
    view = sweep_view(folder)
    (run,) = view.cells[0].runs.values()
    assert run.at_target is not None
    row = table(sweep_page(view), "Cells").cells[0]
    assert (row[6].text, row[7].text) == (f"{run.at_target.round}", f"{2 * run.at_target.round}")
    assert not row[6].below
    assert not row[8].below
    assert (row[9].text, list(row[9].below)) == ("1/2", ["more to come"])


def test_what_was_tried_is_told_of_every_point(view: SweepView, page: Page) -> None:
    lines = [[cell.text for cell in row] for row in table(page, "What was tried").cells]
    rounds = [view.cells[0].result.rounds, view.cells[1].result.rounds]
    assert lines == [
        ["k1-n2", "learning_rate 0.1", ", ".join(map(str, rounds[0]))],
        ["", "learning_rate 0.2", "> 2, –"],
        ["k3-n2", "learning_rate 0.1", ", ".join(map(str, rounds[1]))],
    ]


def test_settings_leave_out_what_the_cells_vary(page: Page) -> None:
    section = next(each for each in page.sections if each.title == "Settings")
    _, grids, common = section.parts
    assert isinstance(grids, Facts)
    assert isinstance(common, Facts)
    assert grids.facts[0].value == "0.1, 0.2"
    names = {fact.name for fact in common.facts}
    assert not names & {"policy", "discipline", "num_clusters", "learning_rate", "seed", "name"}
    assert next(fact for fact in common.facts if fact.name == "model").marked


@pytest.mark.parametrize("along", ["round", "clock"])
def test_a_band_is_the_least_and_the_most_of_the_seeds(view: SweepView, along: str) -> None:
    cell = view.cells[0]
    band = SeedCurves([cell], "loss", 0.7).band("round").sort("x")
    assert (band["least"] <= band["middle"]).all()
    assert (band["middle"] <= band["most"]).all()
    first = [run.records[0].loss for run in cell.runs.values()]
    found = band.row(0, named=True)
    smoothed = [found["least"], found["most"]]
    assert smoothed == pytest.approx(sorted(x for x in first if x is not None), rel=0.2)
    chart = seeds_chart(SeedCurves(view.cells, "loss", 0.7), along)  # type: ignore[arg-type]  # it is one of them
    assert svg(chart).startswith("<svg")


def test_accuracies_are_those_that_were_measured(view: SweepView) -> None:
    curves = SeedCurves(view.cells, "accuracy", 0.7)
    spec = seeds_chart(curves, "round").to_dict()
    dots = rows(spec, layers_of(spec, "point")[0])
    reached = [run.at_target for cell in view.cells for run in cell.runs.values()]
    assert [dot["accuracy"] for dot in dots] == [each.accuracy for each in reached if each]
    assert min(dot["accuracy"] for dot in dots) >= 0.7
    measured = [r.accuracy for c in view.cells for run in c.runs.values() for r in run.records]
    known = np.array([each for each in measured if each is not None])
    assert np.isin(curves.band("round")["middle"].to_numpy(), known).all()


def test_a_sweep_that_has_only_been_defined_has_a_page(recorded: Path, tmp_path: Path) -> None:
    folder = tmp_path / "sweep"
    folder.mkdir()
    shutil.copy(recorded / "sweep" / "sweep.toml", folder)
    page = sweep_page(sweep_view(folder))
    refuse_scripts_and_requests(page_html(page))
    assert [section.title for section in page.sections] == [
        "Cells", "What was tried", "Settings", "Machine and versions",
    ]  # fmt: skip
    assert {cell.text for row in table(page, "Cells").cells for cell in row[6:9]} == {"–"}


def test_a_broken_run_of_a_sweep_is_named(recorded: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(recorded / "sweep", tmp_path / "sweep")
    broken = folder / "runs" / "k1-n2-at-0.1-s0" / "plan.json"
    broken.write_text("{}")
    with pytest.raises(InputFileError, match="k1-n2-at-0.1-s0/plan.json: not the record of a plan"):
        sweep_view(folder)
