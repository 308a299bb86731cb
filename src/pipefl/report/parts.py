"""What a page is made of: sections of text, tables, facts and figures, in no markup yet."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from pipefl.errors import ArgumentError
from pipefl.report.theme import Mode

Tone = Literal["plain", "best", "good", "bad", "quiet"]


@dataclass(frozen=True)
class Cell:
    """One place of a table: its text, smaller lines below it, and how it is to strike the eye."""

    text: str
    below: Sequence[str] = ()
    tone: Tone = "plain"


@dataclass(frozen=True)
class Table:
    """Rows of as many cells as there are `columns`; a plain text stands for a plain cell.

    The first `num_text_columns` columns are words and stand left, the others numbers and
    stand right. `caption` is above the table, `notes` are below.
    """

    columns: Sequence[str]
    rows: Sequence[Sequence[Cell | str]]
    caption: str = ""
    notes: Sequence[str] = ()
    num_text_columns: int = 1

    def __post_init__(self) -> None:
        for number, row in enumerate(self.rows, 1):
            if len(row) != len(self.columns):
                accepted = f"the table has {len(self.columns)} columns"
                raise ArgumentError(f"the number of cells in row {number}", len(row), accepted)

    @property
    def cells(self) -> list[list[Cell]]:
        """The rows, every place of them a `Cell`."""
        return [
            [Cell(each) if isinstance(each, str) else each for each in row] for row in self.rows
        ]


@dataclass(frozen=True)
class Fact:
    """A name and its value, with a remark; `marked` where it is not what is usual."""

    name: str
    value: str
    note: str = ""
    marked: bool = False


@dataclass(frozen=True)
class Facts:
    """Names and values below each other, such as settings."""

    facts: Sequence[Fact]
    title: str = ""


@dataclass(frozen=True)
class Tile:
    """A number that is read before everything else, and what it says."""

    value: str
    text: str


@dataclass(frozen=True)
class Tiles:
    """A page's most important numbers, side by side."""

    tiles: Sequence[Tile]


@dataclass(frozen=True)
class Figure:
    """A chart: what it shows in words, for those who do not see it, and how to draw it.

    `name` is what its file is called where figures are files. A figure that is not `wide`
    shares its line with the next one. `caption` stands below it.
    """

    name: str
    description: str
    draw: Callable[[Mode], Any]
    wide: bool = True
    caption: str = ""


Part = str | Table | Facts | Tiles | Figure
"""What may stand in a section; a text is a paragraph."""


@dataclass(frozen=True)
class Section:
    """A heading and what follows it, from top to bottom."""

    title: str
    parts: Sequence[Part]


@dataclass(frozen=True)
class Page:
    """A whole page: its heading, a line that says what it is about, and its sections.

    `opening` are the parts before the first section. `kind` comes before the heading in a
    window's title.

    >>> rounds = Table(["K", "N = 1"], [["4", Cell("131", ["paper 139"])]], caption="Rounds")
    >>> page = Page("A sweep", "four cells", [Section("Tables", [rounds])])
    >>> page.sections[0].parts[0].cells[0][1].below
    ['paper 139']
    """

    title: str
    lead: str
    sections: Sequence[Section]
    opening: Sequence[Part] = field(default=())
    kind: str = "PipeFL"

    def __post_init__(self) -> None:
        names = [figure.name for figure in self.figures]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise ArgumentError("a figure's name", twice, "it stands on the page already")

    @property
    def figures(self) -> list[Figure]:
        """All figures, in the order of the page."""
        parts = [*self.opening, *(part for section in self.sections for part in section.parts)]
        return [part for part in parts if isinstance(part, Figure)]
