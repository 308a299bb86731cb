"""A page as HTML that runs no script and loads nothing, its figures drawn for light and dark."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import cache
from itertools import groupby
from platform import python_version
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

import pipefl
from pipefl.report.parts import Figure, Page, Part, Section
from pipefl.report.saving import svg
from pipefl.report.theme import Mode

# Charts begin where the text does; below stay the tails of letters.
_PADDING = {"left": 0, "right": 2, "top": 4, "bottom": 8}


def page_html(page: Page) -> str:
    """One file that opens offline, in light and in dark, on paper and on phones."""
    return (
        _environment()
        .get_template("page.html")
        .render(
            page=page,
            opening=_blocks(page.opening),
            sections=[
                {"title": section.title, "id": anchor(section), "blocks": _blocks(section.parts)}
                for section in page.sections
            ],
            version=pipefl.__version__,
            python=python_version(),
            made=datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        )
    )


def anchor(section: Section) -> str:
    """What a link to a section ends with.

    >>> anchor(Section("Rounds to the target", []))
    'rounds-to-the-target'
    """
    return re.sub(r"\W+", "-", section.title.lower()).strip("-")


def _blocks(parts: Sequence[Part]) -> list[dict[str, Any]]:
    """The parts by kind; those of one kind that follow each other are one block."""
    return [
        {"kind": kind, "parts": [_drawn(each) if isinstance(each, Figure) else each for each in of]}
        for kind, of in groupby(parts, _kind)
    ]


def _kind(part: Part) -> str:
    return "text" if isinstance(part, str) else type(part).__name__.lower()


def _drawn(figure: Figure) -> dict[str, Any]:
    return {
        "figure": figure,
        "light": _inline(figure, "light"),
        "dark": _inline(figure, "dark"),
    }


def _inline(figure: Figure, mode: Mode) -> str:
    """The figure's SVG, its ids unlike those of any other on the page.

    Vega numbers them from 0 in each drawing, and a browser takes the first that it finds,
    which may be in a drawing that is not shown.
    """
    prefix = f"{figure.name}-{mode}-"
    text = re.sub(r'\bid="', f'id="{prefix}', svg(figure.draw(mode), padding=_PADDING))
    return text.replace("url(#", f"url(#{prefix}").replace('href="#', f'href="#{prefix}')


@cache
def _environment() -> Environment:
    return Environment(
        loader=PackageLoader("pipefl.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
