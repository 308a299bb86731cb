"""The target accuracy as a dashed line with its name."""

from typing import Any

import altair as alt
import polars as pl

from pipefl.report.numbers import in_percent
from pipefl.report.theme import Mode, ink


def target_mark(target_accuracy: float, mode: Mode) -> list[Any]:
    """Layers for a chart whose y axis is an accuracy."""
    rule = alt.Chart(pl.DataFrame({"accuracy": [target_accuracy]})).encode(y="accuracy:Q")
    name = rule.mark_text(align="left", baseline="top", dx=4, dy=4, color=ink(mode))
    return [
        rule.mark_rule(strokeDash=[5, 4], color=ink(mode)),
        name.encode(x=alt.value(0), text=alt.value(f"target {in_percent(target_accuracy)}")),
    ]
