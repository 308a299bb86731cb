"""How the models of a sweep's cells got on, their seeds as bands."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import altair as alt
import numpy as np
import polars as pl
from numpy.typing import NDArray

from pipefl.report.curve_chart import Along
from pipefl.report.durations import TimeUnit, time_unit
from pipefl.report.sweep_view import CellView
from pipefl.report.target_mark import target_mark
from pipefl.report.theme import HALF_WIDTH, Mode, series_colours, themed
from pipefl.runs.records import RoundRecord

Measure = Literal["accuracy", "loss"]

_NUM_POINTS = 120
_PARTS = 15  # of a run; over one of them the loss is averaged, to be seen in its noise
_TITLES: dict[Measure, str] = {"accuracy": "Test accuracy", "loss": "Training loss"}


@dataclass(frozen=True, eq=False)
class SeedCurves:
    """Some cells' curves over their seeds; at most as many cells as there are colours."""

    cells: Sequence[CellView]
    measure: Measure
    target_accuracy: float | None
    about: str = ""

    @cached_property
    def unit(self) -> TimeUnit:
        """The clock's."""
        runs = (run for cell in self.cells for run in cell.runs.values())
        return time_unit(max((run.clock_s for run in runs), default=0.0))

    def band(self, along: Along) -> pl.DataFrame:
        """The middle, least and most of the seeds at evenly spaced places, cell by cell."""
        frames = [self._cell_band(cell, along) for cell in self.cells]
        schema = ["cell", "x", "middle", "least", "most"]
        return pl.concat(
            [frame for frame in frames if frame.height] or [pl.DataFrame(schema=schema)]
        )

    def reached(self, along: Along) -> pl.DataFrame:
        """Where each seed first reached the target."""
        rows = [
            (cell.name, self._place(run.at_target, along), run.at_target.accuracy)
            for cell in self.cells
            for run in cell.runs.values()
            if run.at_target is not None
        ]
        schema = {"cell": pl.String, "x": pl.Float64, "accuracy": pl.Float64}
        return pl.DataFrame(rows, schema=schema, orient="row")

    def _cell_band(self, cell: CellView, along: Along) -> pl.DataFrame:
        curves = [
            found
            for run in cell.runs.values()
            if (found := self._curve(run.records, along))[0].size
        ]
        if not curves:
            return pl.DataFrame()
        first = max(x[0] for x, _ in curves)
        last = max(x[-1] for x, _ in curves)
        places = np.linspace(first, last, _NUM_POINTS) if last > first else np.array([last])
        values = np.sort([_known_at(places, x, y) for x, y in curves], axis=0)
        return pl.DataFrame({
            "cell": [cell.name] * places.size,
            "x": places,
            "middle": values[(len(curves) - 1) // 2],
            "least": values[0],
            "most": values[-1],
        })  # fmt: skip

    def _curve(
        self, records: Sequence[RoundRecord], along: Along
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        known = [record for record in records if getattr(record, self.measure) is not None]
        x = np.array([self._place(record, along) for record in known])
        y = np.array([getattr(record, self.measure) for record in known], dtype=np.float64)
        return x, y if self.measure == "accuracy" else _smooth(y)

    def _place(self, record: RoundRecord, along: Along) -> float:
        return float(record.round) if along == "round" else record.clock_s / self.unit.seconds


def seeds_chart(curves: SeedCurves, along: Along, mode: Mode = "light") -> Any:
    """A line a cell, the middle of its seeds, in a band from the least to the most of them."""
    frame = curves.band(along)
    names = [cell.name for cell in curves.cells]
    title = "rounds or steps" if along == "round" else f"{curves.unit.name} on the simulated clock"
    axis = alt.Axis(grid=False, tickCount=6, labelFlush=False)
    x = alt.X("x:Q", title=title, axis=axis, scale=alt.Scale(zero=True, nice=False))
    y_title = _TITLES[curves.measure].lower()
    format_ = ".0%" if curves.measure == "accuracy" else ""
    y_axis = alt.Axis(format=format_, tickCount=6)
    y = alt.Y("middle:Q", title=y_title, axis=y_axis)
    legend = alt.Legend(columns=4, labelLimit=100, offset=10, symbolOpacity=1)
    scale = alt.Scale(domain=names, range=list(series_colours(mode)[: len(names)]))
    colour = alt.Color("cell:N", sort=names, scale=scale, legend=legend)
    base = alt.Chart(frame)
    layers: list[Any] = [
        base.mark_area(opacity=0.16).encode(x=x, y=alt.Y("least:Q"), y2="most:Q", color=colour),
        base.mark_line(strokeWidth=2, strokeJoin="round").encode(x=x, y=y, color=colour),
    ]
    if curves.measure == "accuracy":
        dots = alt.Chart(curves.reached(along)).mark_point(filled=True, size=45, opacity=1)
        layers.append(dots.encode(x=x, y=alt.Y("accuracy:Q"), color=colour))
        if curves.target_accuracy is not None:
            layers += target_mark(curves.target_accuracy, mode)
    fit = alt.AutoSizeParams(type="fit-x", contains="padding")
    chart = alt.layer(*layers).properties(
        width=HALF_WIDTH, height=250, autosize=fit, title=_title(curves)
    )
    return themed(chart, mode)


def _title(curves: SeedCurves) -> str:
    title = _TITLES[curves.measure]
    return f"{title}, {curves.about}" if curves.about else title


def _known_at(
    places: NDArray[np.float64], x: NDArray[np.float64], y: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The last value known at each place; a run that is done keeps its last one."""
    return y[np.clip(np.searchsorted(x, places, side="right") - 1, 0, y.size - 1)]


def _smooth(values: NDArray[np.float64]) -> NDArray[np.float64]:
    window = max(1, values.size // _PARTS)
    return pl.Series(values).rolling_mean(window, min_samples=1, center=True).to_numpy()
