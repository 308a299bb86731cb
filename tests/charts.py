"""A chart's specification, taken apart: what it draws and from which rows."""

from collections.abc import Iterator
from typing import Any

Spec = dict[str, Any]


def layers(spec: Spec) -> Iterator[Spec]:
    """Every part of a chart that draws marks, in the order of drawing, each with its data."""
    for part in [part for kind in ("vconcat", "hconcat", "layer") for part in spec.get(kind, [])]:
        shared = {"data": spec["data"]} if "data" in spec else {}
        yield from layers(shared | part)
    if "mark" in spec:
        yield spec


def layers_of(spec: Spec, mark: str) -> list[Spec]:
    """The parts that draw one kind of mark, such as `bar`."""
    return [layer for layer in layers(spec) if layer["mark"]["type"] == mark]


def rows(spec: Spec, layer: Spec) -> list[dict[str, Any]]:
    """The rows that a part of a chart draws."""
    datasets: dict[str, list[dict[str, Any]]] = spec["datasets"]
    return datasets[layer["data"]["name"]]
