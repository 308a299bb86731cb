"""Pages as a person sees them: in a wide and a narrow window, in light and in dark."""

import shutil
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import pytest
from playwright.sync_api import Browser, sync_playwright

import in_process
import pipefl
import small_federations as small
from pipefl.plan import gain_over_conventional
from pipefl.report.page import page_html
from pipefl.report.paper_sections import paper_sections
from pipefl.report.parts import Cell, Page, Section, Table
from pipefl.report.plan_page import plan_page
from pipefl.report.run_page import run_page
from pipefl.report.run_view import run_view
from pipefl.report.sweep_page import sweep_page
from pipefl.report.sweep_view import sweep_view
from pipefl.sweeps.directory import SweepDirectory

CHROMIUM = shutil.which("chromium")
WIDE, NARROW = 1100, 400
A4 = 695  # pixels between the margins of a printed page
LARGEST_PAGE = 1_500_000  # bytes: what a phone opens at once
WIDER_THAN_WINDOW = "document.documentElement.scrollWidth - innerWidth"
SHOWN_CHARTS = "[...document.querySelectorAll('figure svg')].filter(s => s.clientWidth).length"
PAPER = "getComputedStyle(document.body).backgroundColor"

pytestmark = pytest.mark.skipif(
    CHROMIUM is None, reason="pages are looked at in Chromium, and `chromium` is not on the PATH"
)

Scheme = Literal["light", "dark"]
Note = Callable[[str, object], None]


@dataclass(frozen=True)
class Window:
    """How wide it is, and what its owner prefers."""

    width: int
    scheme: Scheme

    def __str__(self) -> str:
        return f"{self.width}-{self.scheme}"


WINDOWS = [
    Window(WIDE, "light"),
    Window(WIDE, "dark"),
    Window(NARROW, "light"),
    Window(NARROW, "dark"),
]


@dataclass(frozen=True)
class Seen:
    """A page in a window: what it asked for and complained of, and how it came out."""

    path: Path
    requests: list[str]
    complaints: list[str]
    overflow_px: int
    num_charts: int
    paper: str
    load_s: float
    picture: bytes


Look = Callable[[str, Window], Seen]


def seen(browser: Browser, path: Path, window: Window) -> Seen:
    """Open a page in a window of its own."""
    context = browser.new_context(
        viewport={"width": window.width, "height": 900}, color_scheme=window.scheme
    )
    requests: list[str] = []
    complaints: list[str] = []
    page = context.new_page()
    page.on("request", lambda request: requests.append(request.url))
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    began_s = time.monotonic()
    page.goto(path.as_uri())
    result = Seen(
        path=path,
        load_s=time.monotonic() - began_s,
        requests=requests,
        complaints=complaints,
        overflow_px=page.evaluate(WIDER_THAN_WINDOW),
        num_charts=page.evaluate(SHOWN_CHARTS),
        paper=page.evaluate(PAPER),
        picture=page.screenshot(full_page=True),
    )
    context.close()
    return result


@pytest.fixture(scope="module")
def pages(recorded: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The pages to look at."""
    folder = tmp_path_factory.mktemp("pages")
    plan = pipefl.plan_clusters(np.linspace(1.0, 7.0, 60), 1.5)
    gain = gain_over_conventional(plan, 2)
    made = {
        "plan": plan_page(plan, gain, source="sixty phones", num_channels=2),
        "run": run_page(run_view(recorded / "runs" / "carry")),
        "federation": run_page(run_view(_federation(folder))),
        "sweep": sweep_page(
            sweep_view(recorded / "sweep"), paper_sections(SweepDirectory(recorded / "sweep"))
        ),
    }
    for name, page in made.items():
        (folder / f"{name}.html").write_text(page_html(page), encoding="utf-8")
    return {name: folder / f"{name}.html" for name in made}


def _federation(folder: Path) -> Path:
    """Two rounds of six nodes in this process."""
    nodes = in_process.federation(small.COMPUTE_S)
    path = folder / "nodes"
    small.federate(nodes, rounds=2, run_dir=path, evaluate_fn=small.accuracy_of_round)
    return path


@pytest.fixture(scope="module")
def look(pages: dict[str, Path]) -> Iterator[Look]:
    """Opens one of the pages in a window."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM)
        yield lambda name, window: seen(browser, pages[name], window)
        browser.close()


def test_long_remarks_in_a_table_fit_on_paper(tmp_path: Path) -> None:
    rows: list[list[Cell | str]] = [
        [Cell("k1-n1", ["no update could be used in 3 rounds in a row, " * 6]), "12"]
    ]
    page = Page("Remarks", "", [Section("Tried", [Table(["cell", "rounds"], rows)])])
    (tmp_path / "page.html").write_text(page_html(page), encoding="utf-8")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM)
        sheet = browser.new_page(viewport={"width": A4, "height": 980})
        sheet.emulate_media(media="print")
        sheet.goto((tmp_path / "page.html").as_uri())
        assert sheet.evaluate(WIDER_THAN_WINDOW) == 0
        browser.close()


@pytest.mark.parametrize("window", WINDOWS, ids=str)
@pytest.mark.parametrize(
    ("name", "num_charts"), [("plan", 4), ("run", 10), ("federation", 14), ("sweep", 3)]
)
def test_a_page_is_drawn(
    look: Look, record_property: Note, name: str, num_charts: int, window: Window
) -> None:
    found = look(name, window)
    record_property("load_s", found.load_s)
    assert found.requests == [found.path.as_uri()]
    assert found.complaints == []
    assert found.overflow_px == 0, "something is wider than the window"
    assert found.num_charts == num_charts, "one drawing of each chart is shown"
    assert found.paper == {"light": "rgb(255, 255, 255)", "dark": "rgb(20, 23, 27)"}[window.scheme]
    assert len(found.picture) > 20_000, "the page looks blank"
    assert found.path.stat().st_size < LARGEST_PAGE
