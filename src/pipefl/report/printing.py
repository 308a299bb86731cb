"""A page as PDF, printed by a browser that is on this machine."""

import os
import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

from pipefl.errors import PipeflError

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_PATIENCE_S = 120


def browser() -> str:
    """The path of the first of `BROWSERS` that there is; complains if there is none."""
    found = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    if found is None:
        raise PipeflError(
            "a PDF is printed by Chromium or Chrome, and none is on the PATH: install chromium, "
            "or write HTML and print it from any browser"
        )
    return found


def printed(html: str) -> bytes:
    """The page as a browser prints it, without headers of its own."""
    program = browser()
    with TemporaryDirectory(prefix="pipefl-print-") as folder:
        page, pdf = Path(folder) / "page.html", Path(folder) / "page.pdf"
        page.write_text(html, encoding="utf-8")
        said = _print(program, page, pdf)
        if not pdf.is_file():
            raise PipeflError(f"{program} printed no PDF: {_last_line(said)}")
        return pdf.read_bytes()


def _print(program: str, page: Path, pdf: Path) -> str:
    command = [
        program,
        "--headless",
        "--disable-gpu",
        "--no-first-run",
        "--disable-background-networking",
        "--no-pdf-header-footer",
        *(["--no-sandbox"] if os.geteuid() == 0 else []),  # which Chromium demands of root
        f"--user-data-dir={page.parent / 'profile'}",
        f"--print-to-pdf={pdf}",
        page.as_uri(),
    ]
    try:
        ran = subprocess.run(  # noqa: S603  # a browser from the PATH, on a page of our own
            command, capture_output=True, timeout=_PATIENCE_S, check=False
        )
    except subprocess.TimeoutExpired:
        raise PipeflError(f"{program} printed nothing within {_PATIENCE_S} s") from None
    return ran.stderr.decode(errors="replace")


def _last_line(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1].strip() if lines else "it said nothing"
