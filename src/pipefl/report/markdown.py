"""A page as Markdown, as GitHub and most other places read it, with its figures as files."""

import re
from collections.abc import Iterable, Iterator

import pipefl
from pipefl.report.parts import Cell, Facts, Figure, Page, Part, Table, Tiles
from pipefl.report.saving import svg

_SPECIAL = re.compile(r"([\\`*_\[\]<>|#~$])")


def page_markdown(page: Page, figures_folder: str) -> str:
    """The page's text; figure `name` is the file `name`.svg of that folder beside it."""
    lines = [f"# {escaped(page.title)}", "", escaped(page.lead), ""]
    for part in page.opening:
        lines += _part(part, figures_folder)
    for section in page.sections:
        lines += [f"## {escaped(section.title)}", ""]
        for part in section.parts:
            lines += _part(part, figures_folder)
    return "\n".join([*lines, "---", "", f"PipeFL {pipefl.__version__}", ""])


def figure_files(page: Page) -> dict[str, str]:
    """The files of a page's figures: their names, and their SVG."""
    return {f"{figure.name}.svg": svg(figure.draw("light")) for figure in page.figures}


def table_markdown(table: Table) -> str:
    """One table as Markdown, its caption above and its notes below.

    >>> print(table_markdown(Table(["K", "N = 1"], [["4", Cell("131", ["paper 139"])]])))
    | K | N = 1 |
    |:---|---:|
    | 4 | 131<br>paper 139 |
    """
    return "\n".join(_table(table)).strip()


def escaped(text: str) -> str:
    r"""The text with signs that Markdown would take for its own made plain.

    >>> print(escaped("mnist_cnn | 5 * 3"))
    mnist\_cnn \| 5 \* 3
    """
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))


def _part(part: Part, folder: str) -> Iterator[str]:
    match part:
        case str():
            yield escaped(part)
            yield ""
        case Table():
            yield from _table(part)
        case Facts():
            yield from _facts(part)
        case Tiles():
            yield from (f"- **{escaped(t.value)}** {escaped(t.text)}" for t in part.tiles)
            yield ""
        case Figure():
            yield f"![{escaped(part.description)}]({folder}/{part.name}.svg)"
            yield ""
            if part.caption:
                yield f"*{escaped(part.caption)}*"
                yield ""


def _table(table: Table) -> Iterator[str]:
    if table.caption:
        yield f"**{escaped(table.caption)}**"
        yield ""
    yield _row(escaped(name) for name in table.columns)
    left = table.num_text_columns
    yield f"|{'|'.join(':---' if i < left else '---:' for i in range(len(table.columns)))}|"
    for row in table.cells:
        yield _row(_cell(cell) for cell in row)
    yield ""
    for note in table.notes:
        yield escaped(note)
        yield ""


def _cell(cell: Cell) -> str:
    text = escaped(cell.text)
    first = f"**{text}**" if cell.tone == "best" and text else text
    return "<br>".join([first, *map(escaped, cell.below)])


def _facts(facts: Facts) -> Iterator[str]:
    rows = [
        [
            Cell(each.name),
            Cell(each.value, tone="best" if each.marked else "plain"),
            Cell(each.note),
        ]
        for each in facts.facts
    ]
    columns = ["what", "value", "remark"]
    yield from _table(Table(columns, rows, caption=facts.title, num_text_columns=3))


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
