"""Charts as files."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pipefl.errors import InputFileError

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
        chart.save(str(target), format=kind[1:], ppi=144)
    return target


def svg(chart: Any, *, padding: Mapping[str, int] | None = None) -> str:
    """The chart as the text of an SVG image, with another padding than its own if one is given."""
    from vl_convert import vegalite_to_svg

    spec = chart.to_dict()
    if padding is not None:
        spec["config"]["padding"] = dict(padding)
    return str(vegalite_to_svg(spec))
