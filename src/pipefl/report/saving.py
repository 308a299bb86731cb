"""Charts as files."""

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any
from zlib import crc32

from pipefl.errors import InputFileError

_CLIP = re.compile(r"(?<=url\(#)clip\d+(?=\))|(?<=id=\")clip\d+(?=\")")
_FORMATS = (".png", ".svg", ".pdf", ".json")


def save_chart(chart: Any, path: str | Path) -> Path:
    """Write a chart as .png (two pixels a point), .svg, .pdf or .json (its specification)."""
    target = Path(path)
    kind = target.suffix.lower()
    if kind not in _FORMATS:
        raise InputFileError(f"{target}: charts are saved as {', '.join(_FORMATS)}")
    if not target.parent.is_dir():
        raise InputFileError(f"{target}: there is no folder {target.parent}")
    if kind == ".svg":
        target.write_text(svg(chart), encoding="utf-8")
    elif kind == ".json":
        target.write_text(chart.to_json(), encoding="utf-8")
    else:
        _bring_fonts()
        chart.save(str(target), format=kind[1:], ppi=144)
    return target


def svg(chart: Any, *, padding: Mapping[str, int] | None = None) -> str:
    """The chart as the text of an SVG image, with another padding than its own if one is given.

    A function of the chart alone, whatever was drawn before it; names of its parts are those of
    no other chart, so that several can stand on one page.
    """
    from vl_convert import vegalite_to_svg

    _bring_fonts()
    spec = chart.to_dict()
    if padding is not None:
        spec["config"]["padding"] = dict(padding)
    return _with_own_names(str(vegalite_to_svg(spec)))


@cache
def _bring_fonts() -> None:
    """Let the renderer find the theme's fonts, so that a chart looks the same on any machine.

    It places all text by the widths of the fonts that it has, and writes it with them in
    pictures of pixels.
    """
    from vl_convert import register_font_directory

    register_font_directory(str(Path(__file__).parent / "fonts"))


def _with_own_names(text: str) -> str:
    """Name clipping paths after the chart; the renderer numbers them through its whole life."""
    chart = f"{crc32(_CLIP.sub('', text).encode()):08x}"
    given = {name: f"clip-{chart}-{i}" for i, name in enumerate(dict.fromkeys(_CLIP.findall(text)))}
    return _CLIP.sub(lambda found: given[found[0]], text)
