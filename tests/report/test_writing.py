import shutil
from pathlib import Path

import altair as alt
import polars as pl
import pytest

from pipefl.errors import InputFileError, PipeflError
from pipefl.report.markdown import page_markdown
from pipefl.report.parts import Figure, Page, Section
from pipefl.report.printing import printed
from pipefl.report.theme import Mode, themed
from pipefl.report.writing import write_html, write_markdown, write_pdf
from writing_room import room_for


def dots(mode: Mode) -> object:
    frame = pl.DataFrame({"x": [0, 1], "y": [0, 2]})
    return themed(alt.Chart(frame).mark_point().encode(x="x:Q", y="y:Q"), mode)


PAGE = Page("A page", "of one figure", [Section("Dots", [Figure("dots", "Two dots.", dots)])])


def test_markdown_has_its_figures_beside_it(tmp_path: Path) -> None:
    assert write_markdown(PAGE, tmp_path / "my.md") == tmp_path / "my.md"
    text = (tmp_path / "my.md").read_text(encoding="utf-8")
    assert text == page_markdown(PAGE, "my-figures")
    assert "(my-figures/dots.svg)" in text
    assert (tmp_path / "my-figures" / "dots.svg").read_text(encoding="utf-8").startswith("<svg")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["my-figures", "my.md"]


def test_a_full_disk_leaves_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    write_html(PAGE, path)
    before = path.read_bytes()
    with room_for(2000), pytest.raises(InputFileError) as caught:
        write_html(PAGE, path)
    assert str(caught.value) == f"{path} cannot be written: File too large"
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_in_the_figures_place_is_named(tmp_path: Path) -> None:
    (tmp_path / "my-figures").write_text("")
    with pytest.raises(InputFileError, match="my-figures cannot be made: File exists"):
        write_markdown(PAGE, tmp_path / "my.md")


@pytest.mark.skipif(shutil.which("chromium") is None, reason="`chromium` is not on the PATH")
def test_a_pdf_is_printed(tmp_path: Path) -> None:
    content = write_pdf(PAGE, tmp_path / "page.pdf").read_bytes()
    assert content.startswith(b"%PDF-")
    assert content.rstrip().endswith(b"%%EOF")
    assert [path.name for path in tmp_path.iterdir()] == ["page.pdf"]


def test_without_a_browser_one_line_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(PipeflError, match="none is on the PATH: install chromium"):
        write_pdf(PAGE, tmp_path / "page.pdf")
    assert list(tmp_path.iterdir()) == []


def test_a_browser_that_fails_is_quoted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "google-chrome"
    program.write_text("#!/bin/sh\necho 'cannot open display' >&2\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(PipeflError, match="google-chrome printed no PDF: cannot open display"):
        printed("<p>text</p>")
