"""Equations of pages and docstrings: LaTeX in, MathML out, so that a page needs no script."""

import html
import re

from math_core import LatexError, LatexToMathML

_FENCE = re.compile(r"^```math\n(.*?)\n```$", re.MULTILINE | re.DOTALL)
_PLACE = re.compile(r'<(div|span) data-latex="(.*?)"></\1>', re.DOTALL)
_TAG = re.compile(r"(<[^>]+>)")
_AS_IT_IS = ("code", "pre", "math", "script", "style")
_SUBSCRIPT = re.compile(r"(?<!\w)([^\W\d_])_(\w+|\{[^}]+\})")
_BRACKET = re.compile(r"\\[bB]ig([()\[\]])")
_CONVERTER = LatexToMathML(fancy_error=False)


def place_of(latex: str, *, block: bool) -> str:
    """An empty element that holds an equation, which Markdown passes through as it is."""
    tag = "div" if block else "span"
    return f'<{tag} data-latex="{html.escape(" ".join(latex.split()))}"></{tag}>'


def with_places(markdown: str) -> str:
    """A page's text with places for its ```math blocks."""
    return _FENCE.sub(lambda match: place_of(match[1], block=True), markdown)


def with_mathml(page: str) -> str:
    """A page's HTML with equations in their places."""
    return _PLACE.sub(lambda match: _element(match[1], html.unescape(match[2])), page)


def with_subscripts(page: str) -> str:
    """A page's HTML with symbols in the text, such as τ_com, written as τ with a subscript."""
    parts, inside = [], 0
    for part in _TAG.split(page):
        name = part.strip("</>").partition(" ")[0] if part.startswith("<") else ""
        if name in _AS_IT_IS:
            inside += -1 if part.startswith("</") else 1
        is_text = not part.startswith("<") and not inside
        parts.append(_SUBSCRIPT.sub(_subscript, part) if is_text else part)
    return "".join(parts)


def _subscript(match: re.Match[str]) -> str:
    return f"{match[1]}<sub>{match[2].strip('{}')}</sub>"


def _with_whole_powers(latex: str) -> str:
    """A power of large brackets as a power of all that they hold, which browsers draw better."""
    opened, pieces, end = [], [], 0
    for bracket in _BRACKET.finditer(latex):
        pieces.append(latex[end : bracket.start()])
        end = bracket.end()
        if bracket[1] in "([":
            opened.append(len(pieces))
            pieces.append(bracket[0])
        else:
            start = opened.pop()
            is_power = latex[end:].startswith("^")
            pieces.append(bracket[0] + "}" * is_power)
            pieces[start] = "{" * is_power + pieces[start]
    return "".join([*pieces, latex[end:]])


def _element(tag: str, latex: str) -> str:
    is_block = tag == "div"
    try:
        mathml = _CONVERTER.convert_with_local_state(
            _with_whole_powers(latex), displaystyle=is_block
        )
    except LatexError as error:
        raise ValueError(f"the equation {latex!r}: {error}") from None
    return f'<div class="equation">{mathml}</div>' if is_block else mathml
