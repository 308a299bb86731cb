"""The page of results, from outcomes whose numbers are known."""

import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pipefl.sweeps.contest import entrants
from pipefl.sweeps.measured import MeasuredCell, MeasuredSeed, MeasuredSession, MeasuredSweep
from pipefl.sweeps.retiming import Clock

DOCS = Path(__file__).parents[2] / "docs"
Page = Callable[[list[MeasuredSweep], str], str]


@pytest.fixture(scope="module")
def page() -> Page:
    made: Page = runpy.run_path(str(DOCS / "results_page.py"))["page"]
    return made


def cell(name: str, rounds: tuple[int | None, ...], **changes: Any) -> MeasuredCell:
    """A cell at its best point, on all the clocks that contests want."""
    everybody = [e for k in (2, 3, 4) for n in (1, 2, 4, 8) for e in entrants(k, n)]
    clocks = {entrant.clock for entrant in everybody if entrant.cell == name}
    runs = tuple(
        MeasuredSeed(
            seed=seed,
            rounds=each,
            is_over=True,
            seconds={} if each is None else {c.name: each * pace(c) for c in clocks},
        )
        for seed, each in enumerate(rounds)
    )
    fields: dict[str, Any] = {
        "settings": {}, "point": {"learning_rate": 0.1}, "is_settled": True, "tried": (), **changes
    }  # fmt: skip
    return MeasuredCell(name=name, runs=runs, **fields)


def pace(clock: Clock) -> float:
    """Seconds of a round: rolling is the fastest, then slots."""
    minutes = {"rolling": 1, "slots": 2, "eager-slots": 3, "fifo": 4, "wait-all": 5}
    return 60.0 * minutes[clock.discipline]


def sweep(*cells: MeasuredCell, num_seeds: int = 3) -> MeasuredSweep:
    session = MeasuredSession(
        began="2026-01-01", wall_s=5400.0, command="pipefl paper table1", jobs=2,
        machine="a machine", versions={"torch": "2"},
    )  # fmt: skip
    return MeasuredSweep(
        name="table1", title="Table I: a test", paper="mnist-cnn", target_accuracy=0.97,
        dataset="mnist", source="nowhere", num_clients=10, seeds=tuple(range(num_seeds)),
        num_tuning_seeds=1, sessions=(session,), cells=cells,
    )  # fmt: skip


WHOLE = sweep(
    cell("k1-n1", (280, 300, 260)),
    cell("k4-n1", (60, 70, 65)),
    cell("rolling-n1", (50, 40, 45)),
)


def row(text: str, name: str) -> str:
    """The first line of a table with that name."""
    return next(line for line in text.splitlines() if line.startswith(f"| {name} |"))


def test_the_contest_comes_first_with_the_fastest_bold(page: Page) -> None:
    text = page([WHOLE], "Notes.")
    assert text.index("Which schedule is first") < text.index("in rounds")
    assert row(text, "conventional").endswith("| 1,400.0 min (1,300.0–1,500.0)<br>1.00× |")
    assert row(text, "clusters, slots (the paper)").endswith("130.0 min (120.0–140.0)<br>0.09× |")
    assert row(text, "rolling").split(" | ")[1].startswith("**45.0 min** (40.0–50.0)<br>0.03×")
    assert "With N = 1 the paper's slots took 91 % less time than the conventional scheme" in text
    assert "and `rolling` took 65 % less time than the slots." in text


def test_seeds_that_overlap_are_said_to(page: Page) -> None:
    close = sweep(*WHOLE.cells[:2], cell("rolling-n1", (50, 130, 125)))
    assert "took 4 % less time (their seeds overlap) than the slots" in page([close], "")


def test_cells_that_differ_from_the_paper_are_marked(page: Page) -> None:
    lines = page([WHOLE], "").splitlines()
    assert "| **1** | 280 (260–300)<br>*273* |" in lines
    assert "| **4** | 65 (60–70) 77 %<br>*131 52 %* ≠ |" in lines


def test_what_is_unfinished_is_marked_and_not_hidden(page: Page) -> None:
    unfinished = sweep(
        cell("k1-n1", (280,)), cell("k4-n1", (60, 70, None), is_settled=False),
        cell("k2-n1", (), point=None, is_settled=False),
    )  # fmt: skip
    lines = page([unfinished], "").splitlines()
    assert "| **1** | 280<br>*1 of 3 seeds*<br>*273* |" in lines
    assert "| **2** | –<br>*186 32 %* |" in lines
    assert "| **4** | 70 (60–∞) 75 %<br>*still being tuned*<br>*131 52 %* |" in lines


def test_what_rests_on_missing_runs_is_said_with_care(page: Page) -> None:
    early = sweep(cell("k1-n1", (280,), is_settled=False), cell("k4-n1", (60,)))
    text = page([early], "")
    doubt = "Runs are still missing, so that all of this may change."
    assert f"{doubt} With N = 1 the paper's slots" in text
    assert doubt not in page([WHOLE], "")


def test_it_says_how_it_was_made_and_what_is_missing(page: Page) -> None:
    text = page([WHOLE], "Notes of hand.")
    assert "Notes of hand." in text
    assert "    pipefl paper table1\n" in text
    assert "It took 1.5 h on a machine, shared with other work; torch 2." in text
    assert "`pipefl paper table4` runs it" in text
    assert "`pipefl paper table1` runs it" not in text
