"""Docstrings as Markdown: equations, tables, examples and the paper's labels in them."""

import re
from pathlib import Path
from typing import Any

from griffe import Extension, GriffeLoader, Object

from equations import place_of  # the site's hooks have imported it

_TABLE_OF_LABELS = Path(__file__).parents[1] / "equations.md"
LABELS = re.findall(r"^\| `(.*?)` \|", _TABLE_OF_LABELS.read_text(encoding="utf-8"), re.MULTILINE)

_EQUATION = re.compile(r"^\.\. math:: (.*?)(?=\n\s*\n|\n(?!\s)|\Z)", re.MULTILINE | re.DOTALL)
_INLINE_EQUATION = re.compile(r":math:`([^`]*)`")
_EXAMPLE = re.compile(r"^ *>>> .*?(?=\n\s*\n|\Z)", re.MULTILINE | re.DOTALL)
_TABLE = re.compile(r"^(=+(?: +=+)+)\n(.*?)\n\1\n(.*?)\n\1$", re.MULTILINE | re.DOTALL)
_LABEL = re.compile(r"\b(?:eq|lem|theorem|example|alg|sec|fig):[\w-]+")


class Docstrings(Extension):
    """Translates every docstring before it is rendered."""

    def on_object(self, *, obj: Object, loader: GriffeLoader, **_: Any) -> None:
        """Griffe's event: an object has been read."""
        if obj.docstring is not None:
            obj.docstring.value = as_markdown(obj.docstring.value)


def as_markdown(text: str) -> str:
    """A docstring of this package as Markdown."""
    text = _TABLE.sub(_pipe_table, text)
    text = _EXAMPLE.sub(lambda match: f"```pycon\n{match[0]}\n```", text)
    text = _LABEL.sub(_linked, text)
    text = _EQUATION.sub(lambda match: f"{place_of(match[1], block=True)}\n", text)
    return _INLINE_EQUATION.sub(lambda match: place_of(match[1], block=False), text)


def _linked(match: re.Match[str]) -> str:
    """A label of the table of equations as a link to its row; others as they are."""
    label = match[0]
    return f"[`{label}`][{label}]" if label in LABELS else label


def _pipe_table(match: re.Match[str]) -> str:
    """A table between lines of `=`, whose columns begin where these do."""
    columns = [(each.start(), each.end()) for each in re.finditer("=+", match[1])]
    head, *rows = [_cells(line, columns) for line in (match[2], *match[3].split("\n"))]
    joined: list[list[str]] = []
    for row in rows:
        if row[0]:
            joined.append(row)
        else:  # the line before goes on
            joined[-1] = [f"{a} {b}".strip() for a, b in zip(joined[-1], row, strict=True)]
    lines = [head, ["---"] * len(columns), *joined]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cells(line: str, columns: list[tuple[int, int]]) -> list[str]:
    starts = [start for start, _ in columns]
    ends = [*starts[1:], len(line)]
    return [line[a:b].strip().replace("|", "\\|") for a, b in zip(starts, ends, strict=True)]
