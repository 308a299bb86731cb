import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from page_outline import Outline, refuse_repeated_ids, refuse_scripts_and_requests
from pipefl.report.markdown import page_markdown
from pipefl.report.page import page_html
from pipefl.report.parts import Facts, Figure, Page, Table, Tiles
from pipefl.report.run_page import run_page
from pipefl.report.run_settings import Reference
from pipefl.report.run_view import RunView, run_view
from pipefl.runs.flat import flat_settings
from small_runs import small

EVERYTHING = [
    "What was run",
    "Accuracy and loss",
    "Timeline",
    "Participation and fairness",
    "Missed and refused",
    "Clusters",
    "Settings",
    "Machine and versions",
]


def page_of(folder: Path, name: str, reference: Reference | None = None) -> Page:
    return run_page(run_view(folder / name), reference)


def titles(page: Page) -> list[str]:
    return [section.title for section in page.sections]


def texts(page: Page, title: str | None = None) -> str:
    """The paragraphs of the opening, or of a section."""
    parts = page.opening if title is None else section(page, title)
    return " ".join(part for part in parts if isinstance(part, str))


def section(page: Page, title: str) -> list[object]:
    return list(next(each for each in page.sections if each.title == title).parts)


def tables(page: Page, title: str) -> list[Table]:
    return [part for part in section(page, title) if isinstance(part, Table)]


def settings(page: Page) -> dict[str, tuple[str, str, bool]]:
    return {
        fact.name: (fact.value, fact.note, fact.marked)
        for part in section(page, "Settings")
        if isinstance(part, Facts)
        for fact in part.facts
    }


def tiles(page: Page) -> dict[str, str]:
    (found,) = (part for part in page.opening if isinstance(part, Tiles))
    return {tile.text: tile.value for tile in found.tiles}


@pytest.mark.parametrize("name", ["full", "target", "rolling", "carry", "unfinished"])
def test_every_run_has_a_whole_page(recorded: Path, name: str) -> None:
    page = page_of(recorded / "runs", name)
    assert titles(page) == EVERYTHING
    html = page_html(page)
    refuse_scripts_and_requests(html)
    refuse_repeated_ids(html)
    described = [each.get("aria-label") for each in Outline(html).attributes("div")]
    assert all(figure.description in described for figure in page.figures)
    assert html.count('role="img"') == 2 * len(page.figures)
    assert "nan" not in html.lower().replace("financ", "")
    assert f"# {name}" in page_markdown(page, "figures")


def test_the_outcome_is_what_the_records_say(recorded: Path) -> None:
    outcome = json.loads((recorded / "runs/target/result.json").read_text())
    page = page_of(recorded / "runs", "target")
    found = tiles(page)
    assert found["rounds to 40% test accuracy"] == str(outcome["rounds_to_target"])
    assert found["best test accuracy measured"] == f"{outcome['best_accuracy']:.2%}"
    assert texts(page).startswith(
        f"The target accuracy was reached after {outcome['num_rounds']} rounds."
    )
    assert (
        page.lead
        == "linear on mnist-subset · uniform/wait-all · 3 clusters · 2 sub-channels · seed 0"
    )


def test_a_run_that_is_not_finished_says_so(recorded: Path) -> None:
    said = texts(page_of(recorded / "runs", "unfinished"))
    assert "This run is not finished: it is unfinished, and can be resumed." in said
    assert "what is there so far: 3 rounds of at most 50" in said
    assert "The target, 99% test accuracy, has not been reached." in said


def test_bounds_are_told_from_accuracies(recorded: Path) -> None:
    rolling = page_of(recorded / "runs", "rolling")
    assert "judged after 10 of 40 steps, never in full" in texts(rolling, "Accuracy and loss")
    (bound,) = (value for text, value in tiles(rolling).items() if "never measured" in text)
    assert bound.startswith("≤ ")
    full = page_of(recorded / "runs", "full")
    assert "on all test samples each time" in texts(full, "Accuracy and loss")


def test_every_setting_is_there_and_only_those_that_differ_are_marked(recorded: Path) -> None:
    page = page_of(recorded / "runs", "carry")
    found = settings(page)
    assert found.keys() == flat_settings(small()).keys()
    assert found["missed"] == ("carry", "default drop", True)
    assert found["devices.jitter"] == ("0.3", "default 0", True)
    assert found["batch_size"] == ("16", "", False)
    assert found["name"][2] is False


def test_settings_are_held_against_the_recipe(recorded: Path) -> None:
    view = run_view(recorded / "runs" / "carry")
    recipe = Reference("carrying", view.run.config.model_copy(update={"seed": 7}))
    found = settings(run_page(view, recipe))
    assert [name for name, (_, _, marked) in found.items() if marked] == ["seed"]
    assert found["seed"] == ("0", "carrying 7", True)


def test_what_was_left_open_says_what_came_of_it(recorded: Path) -> None:
    found = settings(page_of(recorded / "runs", "target"))
    upload_s = run_view(recorded / "runs" / "target").run.plan
    assert upload_s is not None
    assert found["upload_time_s"][1] == f"{upload_s.upload_time_s:,.4g} s came of it"
    assert found["discipline"][:2] == ("not set", "wait-all is the policy's own")


def test_clusters_share_all_updates_and_samples(recorded: Path) -> None:
    view = run_view(recorded / "runs" / "carry")
    page = run_page(view)
    (by_cluster,) = tables(page, "Participation and fairness")
    updates = [int(row[3].text) for row in by_cluster.cells]
    missed = [int(row[6].text) for row in by_cluster.cells]
    assert sum(updates) == sum(len(record.client) for record in view.run.records)
    assert sum(missed) == sum(len(record.missed) for record in view.run.records) > 0
    assert sum(int(row[1].text) for row in by_cluster.cells) == 40


def test_clients_that_missed_are_named(recorded: Path) -> None:
    view = run_view(recorded / "runs" / "carry")
    (often,) = tables(run_page(view), "Missed and refused")
    missed = [client for record in view.run.records for client in record.missed]
    client, times = often.cells[0][0].text, int(often.cells[0][1].text)
    assert missed.count(int(client)) == times == max(missed.count(each) for each in missed)


def test_refused_updates_are_given_with_their_reasons(recorded: Path) -> None:
    run = run_view(recorded / "runs" / "full").run
    client = run.records[1].client[0]
    spoilt = replace(run.records[1], refused={str(client): "a weight is not finite"})
    page = run_page(RunView(replace(run, records=(run.records[0], spoilt, *run.records[2:]))))
    (reasons,) = tables(page, "Missed and refused")
    assert [cell.text for cell in reasons.cells[0]] == [
        "a weight is not finite", "1", f"{client}, round 2",
    ]  # fmt: skip
    assert "1 update of" in texts(page, "Missed and refused")


def test_a_run_where_nobody_missed_says_so(recorded: Path) -> None:
    assert texts(page_of(recorded / "runs", "full"), "Missed and refused").startswith("None: all")


def test_the_first_round_is_drawn_up_to_what_a_page_holds(recorded: Path) -> None:
    page = page_of(recorded / "runs", "full")
    names = [part.name for part in section(page, "Timeline") if isinstance(part, Figure)]
    assert names == ["first-round", "uplink"]
    flow = page_of(recorded / "runs", "rolling")
    names = [part.name for part in section(flow, "Timeline") if isinstance(part, Figure)]
    assert names == ["first-round", "uplink", "utilisation", "durations"]


@pytest.fixture
def spoilt(recorded: Path, tmp_path: Path) -> Path:
    """A copy of a finished run, to be spoilt."""
    return shutil.copytree(recorded / "runs" / "full", tmp_path / "spoilt")


def test_a_run_without_any_round_has_a_page(spoilt: Path) -> None:
    (spoilt / "rounds.jsonl").write_text("")
    (spoilt / "result.json").unlink()
    page = page_of(spoilt.parent, "spoilt")
    assert titles(page) == ["What was run", "Clusters", "Settings", "Machine and versions"]
    assert "what is there so far: 0 rounds" in texts(page)
    refuse_scripts_and_requests(page_html(page))


def test_missing_files_are_named_and_the_rest_is_shown(spoilt: Path) -> None:
    (spoilt / "plan.json").unlink()
    (spoilt / "clients.json").unlink()
    page = page_of(spoilt.parent, "spoilt")
    assert "Missing in the run's folder, and therefore on this page: plan.json and" in texts(page)
    assert titles(page) == [
        "What was run", "Accuracy and loss", "Missed and refused", "Settings",
        "Machine and versions",
    ]  # fmt: skip
    refuse_scripts_and_requests(page_html(page))


def test_a_run_of_an_older_version_has_no_machine(spoilt: Path) -> None:
    config = spoilt / "config.toml"
    config.write_text(config.read_text().partition("[versions]")[0])
    assert texts(page_of(spoilt.parent, "spoilt"), "Machine and versions") == "Neither was noted."
