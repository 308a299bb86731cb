"""The page of a federation: what was planned beside what was, whoever came and went."""

import json
from pathlib import Path

import pytest

import in_process
import small_federations as small
from commands import complaint_of, output_of
from page_outline import refuse_repeated_ids, refuse_scripts_and_requests
from pipefl.report.markdown import page_markdown
from pipefl.report.page import page_html
from pipefl.report.parts import Facts, Figure, Page, Table, Tiles
from pipefl.report.run_page import run_page
from pipefl.report.run_view import run_view
from pipefl.runs.planned_clients import as_planned
from pipefl.runs.recorded import read_run

TOO_SLOW_S = 0.4
COMPUTE_S = (small.COMPUTE_S[0], TOO_SLOW_S, *small.COMPUTE_S[1:])


@pytest.fixture(scope="module")
def federation(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two rounds of seven clients, the second of which is too slow to be planned for."""
    folder = tmp_path_factory.mktemp("runs") / "phones"
    small.federate(
        in_process.federation(COMPUTE_S),
        rounds=2,
        config=small.quick(longest_compute_s=0.3),
        run_dir=folder,
        evaluate_fn=small.accuracy_of_round,
    )
    return folder


@pytest.fixture(scope="module")
def page(federation: Path) -> Page:
    return run_page(run_view(federation))


def parts(page: Page, title: str) -> list[object]:
    return list(next(each.parts for each in page.sections if each.title == title))


def test_planned_and_actual_rounds_are_drawn_over_one_axis(page: Page, federation: Path) -> None:
    figures = [part for part in parts(page, "Planned and actual") if isinstance(part, Figure)]
    assert [figure.name for figure in figures] == [
        "first-as-planned", "first-as-it-was", "last-as-planned", "last-as-it-was",
    ]  # fmt: skip
    for record, sides in zip(
        small.intervals_of(federation), (figures[:2], figures[2:]), strict=True
    ):
        longest_s = max(record.planned.duration_s, record.actual.duration_s)
        for figure in sides:
            spec = figure.draw("light").to_dict()
            assert f'"domain": [0, {json.dumps(longest_s)}]' in json.dumps(spec)


def test_every_round_is_a_row_of_what_was_planned_and_what_came_of_it(
    page: Page, federation: Path
) -> None:
    (table,) = [part for part in parts(page, "Planned and actual") if isinstance(part, Table)]
    rows = [[cell.text for cell in row] for row in table.cells]
    for row, record in zip(rows, small.intervals_of(federation), strict=True):
        assert row[:3] == [f"{record.round}", "1", f"{record.planned.duration_s:.4g}"]
        assert row[3:5] == [f"{record.actual.duration_s:.4g}", "3 of 3"]
        assert row[6] == ""


def test_who_came_and_who_was_left_out_is_told(page: Page) -> None:
    (events,) = [part for part in parts(page, "Planned and actual") if isinstance(part, Facts)]
    assert events.facts[0].name == "round 1"
    assert "partition 6 joined; client 1 is left out: it computes" in events.facts[0].value


def test_the_page_is_that_of_a_run_with_a_real_clock(page: Page) -> None:
    html = page_html(page)
    refuse_scripts_and_requests(html)
    refuse_repeated_ids(html)
    assert "simulated" not in html
    (tiles,) = [part for part in page.opening if isinstance(part, Tiles)]
    assert "on the clock" in {tile.text for tile in tiles.tiles}
    assert "# phones" in page_markdown(page, "figures")


def test_the_settings_of_the_federation_are_shown(page: Page) -> None:
    own = [part for part in parts(page, "Settings") if isinstance(part, Facts)][-1]
    shown = {fact.name: fact.value for fact in own.facts}
    assert own.title == "Federation"
    assert (shown["strategy"], shown["longest_compute_s"]) == ("FedAvg", "0.3")


def test_clients_are_counted_by_their_places_in_the_plan(page: Page, federation: Path) -> None:
    run = read_run(federation)
    known = as_planned(run)
    assert run.clients is not None
    assert known.clients is not None
    assert run.clients.planned == (0, 2, 3, 4, 5, 6)
    names = [
        [each.client_id[client] for record in of.records for client in record.client]
        for of, each in ((run, run.clients), (known, known.clients))
    ]
    assert names[0] == names[1]
    assert as_planned(known) is known
    said = [part for part in parts(page, "Participation and fairness") if isinstance(part, str)]
    assert "of 6 clients" in said[0]
    assert said[1] == "1 more client did not come into the last plan, and not in here."


def test_it_is_reported_and_compared_by_the_command(federation: Path) -> None:
    assert output_of("report", federation) == f"Wrote {federation / 'report.html'}\n"
    compared = output_of("runs", "compare", federation, federation, "--runs-dir", federation.parent)
    assert "Jain's index" in compared
    assert "simulated" not in compared


@pytest.mark.parametrize(
    ("name", "content", "complaint"),
    [
        ("federation.json", "{}", "it does not hold the settings of a federation"),
        ("intervals.jsonl", '{"round": 1}\n', "line 1: not the record of a round"),
    ],
)
def test_a_broken_file_is_one_line(
    federation: Path, name: str, content: str, complaint: str
) -> None:
    path = federation / name
    before = path.read_bytes()
    path.write_text(content)
    assert complaint in complaint_of("report", federation)
    path.write_bytes(before)


def test_a_simulated_run_has_nothing_of_it(recorded: Path) -> None:
    simulated = run_page(run_view(recorded / "runs" / "full"))
    assert "Planned and actual" not in [section.title for section in simulated.sections]
    run = read_run(recorded / "runs" / "full")
    assert as_planned(run) is run
