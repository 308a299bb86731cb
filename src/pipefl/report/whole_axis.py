"""Axes of whole numbers, which have no ticks between them."""

import altair as alt

_MOST_WRITTEN = 13


def whole_axis(low: int, high: int, *, grid: bool = True) -> alt.Axis:
    """Ticks at all whole numbers where these are few, else where Vega puts them."""
    if high - low < _MOST_WRITTEN:
        return alt.Axis(values=list(range(low, high + 1)), format="d", grid=grid)
    return alt.Axis(tickMinStep=1, format=",d", grid=grid)
