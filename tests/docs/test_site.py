"""The site, built as `make docs` does, and looked at in Chromium."""

import functools
import http.server
import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

import pipefl
from doc_pages import ROOT

CHROMIUM = shutil.which("chromium")
LOOKED_AT = ("index", "method", "equations", "settings", "does-it-help", "api/plan", "speed")
PATIENCE_MS = 180_000.0  # a machine with other work may take its time

needs_chromium = pytest.mark.skipif(
    CHROMIUM is None, reason="the site is looked at in Chromium, and `chromium` is not on the PATH"
)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the finished site; a warning of the build is a failure."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "-d", str(folder)]
    environment = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    built = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert built.returncode == 0, built.stderr
    return folder


class Text(HTMLParser):
    """What stands on a page outside its code, and where its elements load something from."""

    def __init__(self) -> None:
        super().__init__()
        self.text = ""
        self.loaded: list[str] = []
        self._inside: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in ("code", "pre", "script", "style"):
            self._inside.append(tag)
        names = ("src", "srcset", "poster", "data") if tag != "link" else ("href",)
        self.loaded += [value for name, value in attrs if name in names and value]

    def handle_endtag(self, tag: str) -> None:
        if self._inside and self._inside[-1] == tag:
            self._inside.pop()

    def handle_data(self, data: str) -> None:
        if not self._inside:
            self.text += data


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[str, Text]:
    """All pages but those that show files of code."""
    found = {}
    for page in sorted(site.rglob("*.html")):
        name = page.relative_to(site).as_posix()
        if not name.startswith("source/"):
            found[name] = Text()
            found[name].feed(page.read_text(encoding="utf-8"))
    return found


def test_nothing_of_docstrings_is_left_untranslated(pages: dict[str, Text]) -> None:
    assert len(pages) > 25
    for name, page in pages.items():
        found = re.search(r"\.\. \w+::|:math:|>>>|={5}|data-latex|\\frac|\w_\{", page.text)
        assert found is None, f"{name}: {found}"


def test_pages_load_nothing_from_elsewhere(pages: dict[str, Text]) -> None:
    for name, page in pages.items():
        assert page.loaded, name
        for address in page.loaded:
            assert not re.match(r"(\w+:)?//", address), f"{name}: {address}"


def test_equations_are_mathml_and_labels_lead_to_the_table(site: Path) -> None:
    plan = (site / "api" / "plan.html").read_text(encoding="utf-8")
    for name in pipefl.__all__:
        pages = [page.read_text(encoding="utf-8") for page in (site / "api").glob("*.html")]
        assert any(f'id="pipefl.{name}"' in page for page in pages), name
    assert '<math display="block">' in plan
    assert re.search(r'href="\.\./equations\.html#eq:main_optimization"', plan)
    table = (site / "equations.html").read_text(encoding="utf-8")
    assert 'id="eq:main_optimization"' in table


def test_links_to_code_open_the_line_on_the_site(site: Path) -> None:
    table = (site / "equations.html").read_text(encoding="utf-8")
    found = re.search(r'href="(source/[^"#]+)#(line-\d+)"><code>slot_times<', table)
    assert found is not None
    source = (site / found[1]).read_text(encoding="utf-8")
    line = source[source.index(f'id="{found[2]}"') :].partition("\n")[0]
    assert re.sub("<[^>]+>", "", line).endswith("def slot_times(")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        yield playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox"], timeout=PATIENCE_MS
        )


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves files and says nothing."""

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # its name there
        """Nothing."""


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    """Where the site is served on this machine."""
    handler = functools.partial(Quiet, directory=str(site))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@needs_chromium
@pytest.mark.parametrize(("width", "scheme"), [(1100, "light"), (400, "dark")])
def test_the_browser_asks_nobody_else_and_complains_of_nothing(
    browser: Browser, address: str, width: int, scheme: str
) -> None:
    is_dark = scheme == "dark"
    context = browser.new_context(
        viewport={"width": width, "height": 900}, color_scheme="dark" if is_dark else "light"
    )
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    requests, complaints = list[str](), list[str]()
    page.on("request", lambda request: requests.append(request.url))
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    for name in LOOKED_AT:
        page.goto(f"{address}{name}.html")
        assert page.evaluate("document.documentElement.scrollWidth") == width, name
    page.goto(f"{address}method.html")
    assert page.evaluate(
        "document.fonts.ready.then(() => document.fonts.check('1em STIX Two Math'))"
    )
    drawn = page.locator("img:visible").all()
    assert len(drawn) == 5
    assert all(("-dark.svg" in (each.get_attribute("src") or "")) == is_dark for each in drawn)
    context.close()
    assert complaints == []
    assert all(each.startswith((address, "data:")) for each in requests), requests
    assert any(each.endswith("stix-two-math.woff2") for each in requests)
