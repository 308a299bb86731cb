"""A sweep's tables as the paper has them, on its page."""

from pathlib import Path

import pytest

from commands import output_of
from pipefl.report.paper_sections import paper_sections
from pipefl.report.parts import Cell, Section, Table
from pipefl.sweeps.config import CellConfig, SweepConfig
from pipefl.sweeps.contest import CONVENTIONAL, PAPER_SLOTS, contest
from pipefl.sweeps.directory import SweepDirectory
from pipefl.sweeps.measuring import measured
from pipefl.train.sweeping.engine import run_sweep
from small_sweeps import HerePool, begun, small_sweep

CELLS = (
    CellConfig(
        name="k1-n2", settings={"policy": "uniform", "discipline": "wait-all", "num_clusters": 1}
    ),
    CellConfig(
        name="k3-n2", settings={"policy": "clustered", "discipline": "slots", "num_clusters": 3}
    ),
)


def whole(folder: Path, **changes: object) -> SweepDirectory:
    """A finished sweep of the conventional cell and one of the paper's, beside its table II."""
    fields = {"cells": CELLS, "grids": {"learning_rate": (0.1,)}, "paper": "mnist-mlp", **changes}
    directory = begun(small_sweep(**fields), folder)
    assert run_sweep(directory, HerePool())
    return directory


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> SweepDirectory:
    return whole(tmp_path_factory.mktemp("sweeps"))


@pytest.fixture(scope="module")
def sections(finished: SweepDirectory) -> list[Section]:
    return paper_sections(finished)


def rows(section: Section) -> list[list[Cell]]:
    (table,) = (part for part in section.parts if isinstance(part, Table))
    return table.cells


def test_our_rounds_stand_above_the_papers(
    finished: SweepDirectory, sections: list[Section]
) -> None:
    sweep = measured(finished)
    for row, name, paper in zip(
        rows(sections[0]), ("k1-n2", "k3-n2"), ("paper 767", "paper 451, 41%"), strict=True
    ):
        cell = sweep.cell(name)
        assert cell is not None
        assert cell.rounds_spread is not None
        assert row[1].text == f"{cell.rounds_spread.median:,.0f}"
        least, most = cell.rounds_spread.least, cell.rounds_spread.most
        assert row[1].below[0] == f"{least:.0f} – {most:.0f}"
        assert row[1].below[-1].removesuffix(" ≠") == paper
    assert rows(sections[0])[1][1].below[1].startswith("gain ")


def test_the_same_runs_are_timed_in_every_discipline(
    finished: SweepDirectory, sections: list[Section]
) -> None:
    table = {row[0].text: row[1] for row in rows(sections[1])}
    assert {CONVENTIONAL, PAPER_SLOTS, "clusters, eager slots", "clusters, fifo"} <= table.keys()
    standings = {each.entrant.title: each for each in contest(measured(finished), 3, 2)}
    slots = standings[PAPER_SLOTS]
    assert slots.seconds is not None
    assert table[PAPER_SLOTS].text in (
        f"{slots.seconds.median:,.3g}", f"{slots.seconds.median / 60:,.3g}"
    )  # fmt: skip
    assert table[PAPER_SLOTS].below[-1] == f"{slots.ratio:.2f}×"
    (best,) = (title for title, cell in table.items() if cell.tone == "best")
    fastest = min(
        s.seconds.median for s in standings.values() if s.seconds and not s.entrant.uplink
    )
    found = standings[best].seconds
    assert found is not None
    assert found.median == fastest


def test_they_come_first_on_the_page_of_the_command(
    finished: SweepDirectory, tmp_path: Path
) -> None:
    output_of("report", finished.path, "--html", tmp_path / "a.html")
    page = (tmp_path / "a.html").read_text(encoding="utf-8")
    first, second, cells = (
        page.index(f"{title}</h2>")
        for title in ("Rounds, as in the paper", "Time, or only rounds?", "Cells")
    )
    assert first < second < cells


def test_a_sweep_of_other_cells_has_none(tmp_path: Path) -> None:
    sweep: SweepConfig = small_sweep(cells=(CellConfig(name="mine"),))
    assert paper_sections(begun(sweep, tmp_path)) == []


def test_runs_that_fit_no_other_clock_say_so(tmp_path: Path) -> None:
    base = small_sweep().base
    devices = base.devices.model_copy(update={"jitter": 0.2})
    directory = whole(tmp_path, base=base.model_copy(update={"devices": devices}), seeds=(0,))
    (text,) = paper_sections(directory)[1].parts
    assert isinstance(text, str)
    assert "its compute times vary" in text
