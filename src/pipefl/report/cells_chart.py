"""What each cell of a sweep took to its target, a row a cell."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt
import polars as pl

from pipefl.report.durations import TimeUnit, time_unit
from pipefl.report.sweep_view import CellView, middle
from pipefl.report.theme import TOTAL_WIDTH, Mode, ink, series_colours, themed

_ROW_HEIGHT = 22
_LABELS = 150


def cells_chart(cells: Sequence[CellView], mode: Mode = "light") -> Any:
    """Rounds and simulated time to the target: a dot a seed, a tick at the middle one."""
    unit = time_unit(max((s for cell in cells for s in cell.result.seconds if s), default=0.0))
    frame = pl.DataFrame(
        [
            {"cell": cell.name, "rounds": rounds, "clock": None if s is None else s / unit.seconds}
            for cell in cells
            for rounds, s in zip(cell.result.rounds, cell.result.seconds, strict=True)
        ],
        schema={"cell": pl.String, "rounds": pl.Float64, "clock": pl.Float64},
    )
    middles = pl.DataFrame(
        {
            "cell": [cell.name for cell in cells],
            "rounds": [middle(cell.result.rounds) for cell in cells],
            "clock": [_over(middle(cell.result.seconds), unit) for cell in cells],
        },
        schema=frame.schema,
    )
    names = [cell.name for cell in cells]
    room = min(_LABELS, 8 * max(map(len, names), default=0))
    panel = _Panel(frame, middles, names, (TOTAL_WIDTH - room - 56) // 2, mode)
    clock = panel.drawn("clock", f"{unit.name} on the simulated clock", has_names=False)
    rounds = panel.drawn("rounds", "rounds or steps to the target", has_names=True)
    return themed(alt.hconcat(rounds, clock, spacing=24), mode)


@dataclass(frozen=True, eq=False)
class _Panel:
    """What the panel of rounds and that of seconds have in common."""

    frame: pl.DataFrame
    middles: pl.DataFrame
    names: list[str]
    width: int
    mode: Mode

    def drawn(self, along: str, title: str, *, has_names: bool) -> Any:
        """A rule from the least to the most, a dot a seed, a tick at the middle."""
        axis = alt.Axis(
            labels=has_names,
            labelLimit=_LABELS,
            ticks=False,
            domain=False,
            labelPadding=8,
            grid=True,
        )
        y = alt.Y("cell:N", sort=self.names, title=None, axis=axis)
        x = alt.X(f"{along}:Q", title=title, axis=alt.Axis(tickCount=6, labelFlush=False))
        ends = {"x": alt.X(f"min({along}):Q", title=title), "x2": f"max({along}):Q"}
        dots = alt.Chart(self.frame).mark_point(
            filled=True, size=40, opacity=0.9, color=series_colours(self.mode)[0]
        )
        ticks = alt.Chart(self.middles).mark_tick(
            color=series_colours(self.mode)[1], thickness=3, size=15
        )
        return alt.layer(
            alt.Chart(self.frame).mark_rule(color=ink(self.mode)).encode(y=y, **ends),
            dots.encode(x=x, y=y),
            ticks.encode(x=x, y=y),
        ).properties(width=self.width, height=_ROW_HEIGHT * len(self.names))


def _over(seconds: float | None, unit: TimeUnit) -> float | None:
    return None if seconds is None else seconds / unit.seconds
