import altair as alt
import polars as pl
import pytest

from page_outline import Outline, refuse_repeated_ids, refuse_scripts_and_requests
from pipefl.errors import ArgumentError
from pipefl.report.markdown import page_markdown, table_markdown
from pipefl.report.page import page_html
from pipefl.report.parts import (
    Cell,
    Fact,
    Facts,
    Figure,
    Page,
    Section,
    Table,
    Tile,
    Tiles,
)
from pipefl.report.theme import Mode, themed


def clipped_line(mode: Mode) -> object:
    """A chart whose drawing refers to a clip path by its id."""
    frame = pl.DataFrame({"x": [0, 1], "y": [0, 2]})
    return themed(alt.Chart(frame).mark_line(clip=True).encode(x="x:Q", y="y:Q"), mode)


TABLE = Table(
    ["K", "policy", "N = 1"],
    [
        ["1", "uniform", Cell("273", ["270–281", "paper 273"], tone="best")],
        ["4", "<clustered|slots>", Cell("140", tone="bad")],
    ],
    caption="Rounds & seconds",
    notes=["Medians of 3 seeds."],
    num_text_columns=2,
)
PAGE = Page(
    title="Two <cells>",
    lead="what * it is",
    opening=[
        Tiles([Tile("131", "rounds"), Tile("2 min", "on the clock")]),
        Figure("first", "A line that rises.", clipped_line, wide=False, caption="It rises."),
        Figure("second", "The same line again.", clipped_line, wide=False),
    ],
    sections=[
        Section("Tables", ["A paragraph with <b>markup</b>.", TABLE]),
        Section(
            "Settings & more",
            [Facts([Fact("seed", "3", "default 0", marked=True), Fact("K", "4")], "Run")],
        ),
        Section("A third", [Figure("third", "A wide line.", clipped_line)]),
    ],
)
HTML = page_html(PAGE)
OUTLINE = Outline(HTML)
MARKDOWN = page_markdown(PAGE, "two-figures")


def test_the_page_is_whole_and_asks_for_nothing() -> None:
    refuse_scripts_and_requests(HTML)
    refuse_repeated_ids(HTML)
    assert "url(#" in HTML, "nothing refers to an id, so the check above shows nothing"


def test_texts_are_never_markup() -> None:
    assert OUTLINE.texts["h1"] == ["Two <cells>"]
    assert "A paragraph with <b>markup</b>." in OUTLINE.texts["p"]
    assert "<clustered|slots>" in OUTLINE.texts["td"]


def test_every_section_is_linked_to() -> None:
    links = [each["href"] for each in OUTLINE.attributes("a")]
    assert links == ["#tables", "#settings-more", "#a-third"]


def test_a_cell_has_its_lines_and_its_tone() -> None:
    assert OUTLINE.texts["small"][:2] == ["270–281", "paper 273"]
    classes = [each.get("class") for each in OUTLINE.attributes("td")]
    assert classes == ["text", "text", "best", "text", "text", "bad"]
    assert OUTLINE.texts["caption"] == ["Rounds & seconds"]
    assert "Medians of 3 seeds." in OUTLINE.texts["p"]


def test_figures_that_are_not_wide_stand_side_by_side() -> None:
    assert HTML.count('<div class="charts">') == 2
    assert [each.get("class") for each in OUTLINE.attributes("figure")] == [None, None, "wide"]
    assert OUTLINE.texts["figcaption"] == ["It rises."]


def test_what_is_not_usual_is_marked() -> None:
    assert '<div class="marked"><dt>seed</dt><dd>3 <small>default 0</small></dd></div>' in HTML
    assert "<div><dt>K</dt><dd>4</dd></div>" in HTML


def test_the_same_in_markdown() -> None:
    lines = MARKDOWN.splitlines()
    assert lines[:3] == ["# Two \\<cells\\>", "", "what \\* it is"]
    assert "- **131** rounds" in lines
    assert "![A line that rises.](two-figures/first.svg)" in lines
    assert "| K | policy | N = 1 |" in lines
    assert "|:---|:---|---:|" in lines
    assert "| 1 | uniform | **273**<br>270–281<br>paper 273 |" in lines
    assert "| 4 | \\<clustered\\|slots\\> | 140 |" in lines
    assert "| seed | **3** | default 0 |" in lines
    assert "## Settings & more" in lines


def test_a_table_alone_in_markdown() -> None:
    text = table_markdown(TABLE)
    assert text.startswith("**Rounds & seconds**\n\n| K |")
    assert text.endswith("\n\nMedians of 3 seeds.")


def test_a_row_of_another_length_is_refused() -> None:
    with pytest.raises(ArgumentError, match="cells in row 2 is 1; the table has 2 columns"):
        Table(["a", "b"], [["1", "2"], ["1"]])


def test_two_figures_of_one_name_are_refused() -> None:
    figure = Figure("same", "A line.", clipped_line)
    with pytest.raises(ArgumentError, match="name is 'same'; it stands on the page already"):
        Page("title", "lead", [Section("one", [figure]), Section("two", [figure])])
