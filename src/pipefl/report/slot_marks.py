"""The slots θ_1 … θ_K as dashed lines with their names above a chart."""

from collections.abc import Sequence
from typing import Literal

import altair as alt
import polars as pl

from pipefl.report.theme import Mode, ink

_MOST_DRAWN = 13
_NAME_WIDTH = 26  # pixels that a name needs beside the next


def slot_marks(slot_time_s: Sequence[float], mode: Mode, *, pixels_per_s: float) -> list[alt.Chart]:
    """Layers for a chart whose x axis is time: all lines, then their names.

    Beyond 13 slots only the first and the last are drawn. Where names would run into each
    other only these two are named, and stand apart.
    """
    slots = pl.DataFrame({"slot_s": list(slot_time_s)}).with_row_index("k", offset=1)
    drawn = slots[[0, -1]] if slots.height > _MOST_DRAWN else slots
    spacing_s = (slot_time_s[-1] - slot_time_s[0]) / max(1, drawn.height - 1)
    is_crowded = drawn.height > 1 and spacing_s * pixels_per_s < _NAME_WIDTH
    layers = [alt.Chart(drawn).mark_rule(strokeDash=[4, 3], color=ink(mode)).encode(x="slot_s:Q")]
    if is_crowded:
        return [*layers, _names(drawn[:1], mode, "right"), _names(drawn[-1:], mode, "left")]
    return [*layers, _names(drawn, mode, "center")]


def _names(slots: pl.DataFrame, mode: Mode, align: Literal["left", "center", "right"]) -> alt.Chart:
    names = slots.with_columns(name=pl.Series([f"θ{_subscript(k)}" for k in slots["k"]]))
    mark: alt.Chart = alt.Chart(names).mark_text(
        dy=-7, baseline="bottom", align=align, color=ink(mode)
    )
    return mark.encode(x="slot_s:Q", y=alt.value(0), text="name:N")


def _subscript(k: int) -> str:
    return str(k).translate(str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉"))
