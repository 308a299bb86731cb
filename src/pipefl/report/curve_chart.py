"""Accuracy and loss of one run, against rounds or against the clock."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import altair as alt
import polars as pl

from pipefl.report.durations import TimeUnit, time_unit
from pipefl.report.target_mark import target_mark
from pipefl.report.theme import HALF_WIDTH, QUIET, UPLOAD, Mode, series_colours, themed
from pipefl.report.whole_axis import whole_axis

Along = Literal["round", "clock"]

_HEIGHT = 230
_MOST_POINTS = 400
_MOST_DOTS = 60
_PARTS = 20  # of a run; over one of them the loss is averaged, to be seen in its noise


@dataclass(frozen=True)
class RunCurves:
    """One run's `history`, its target, and what its rounds and its clock are called."""

    history: pl.DataFrame
    target_accuracy: float | None
    step_name: str = "round"
    clock_name: str = "the simulated clock"

    @cached_property
    def frame(self) -> pl.DataFrame:
        """The history with the clock in the unit of `clock_title`."""
        return self.history.with_columns(clock=pl.col("clock_s") / self._unit.seconds)

    @property
    def clock_title(self) -> str:
        """The clock's axis."""
        return f"{self._unit.name} on {self.clock_name}"

    @cached_property
    def measured(self) -> pl.DataFrame:
        """Rounds whose accuracy was measured in full."""
        return self.frame.filter(pl.col("accuracy").is_not_null())

    @cached_property
    def bounded(self) -> pl.DataFrame:
        """Rounds of which only a bound on the accuracy is known."""
        return self.frame.filter(pl.col("accuracy_at_most").is_not_null())

    @property
    def _unit(self) -> TimeUnit:
        return time_unit(self.history["clock_s"].max() or 0.0)  # type: ignore[arg-type]  # a column of floats


def accuracy_curve(curves: RunCurves, along: Along, mode: Mode = "light") -> Any:
    """The accuracy where it was measured in full, and the bound on it where it was not.

    A line and dots are measured. Grey is all that is known where an evaluation stopped as
    soon as the target was out of reach: the accuracy lies somewhere in it.
    """
    x = _x(curves, along)
    lowest = 0.0 if curves.bounded.height else _floor(curves.measured["accuracy"].min())
    scale = alt.Scale(domain=[lowest, 1.0], nice=False)
    axis = alt.Axis(format=".0%", tickCount=6)
    layers: list[Any] = []
    if curves.bounded.height:
        shade = alt.Chart(_thinned(curves.bounded)).mark_area(
            color=QUIET, opacity=0.25, line={"color": QUIET, "strokeWidth": 1.5}
        )
        layers.append(shade.encode(x=x, y=alt.Y("accuracy_at_most:Q", scale=scale, axis=axis)))
    measured, colour = alt.Chart(_thinned(curves.measured)), series_colours(mode)[0]
    y = alt.Y("accuracy:Q", title="test accuracy", scale=scale, axis=axis)
    layers.append(
        measured.mark_line(color=colour, strokeWidth=2, strokeJoin="round").encode(x=x, y=y)
    )
    if curves.measured.height <= _MOST_DOTS:
        dots = measured.mark_point(color=colour, filled=True, size=30, opacity=1)
        layers.append(dots.encode(x=x, y=y))
    layers += _target(curves, x, y, mode)
    return themed(_half(alt.layer(*layers), "Test accuracy"), mode)


def loss_curve(curves: RunCurves, along: Along, mode: Mode = "light") -> Any:
    """The clients' mean training loss: pale as it was, strong as a moving average."""
    frame = curves.frame.filter(pl.col("loss").is_not_null())
    window = max(1, frame.height // _PARTS)
    frame = frame.with_columns(
        smooth=pl.col("loss").rolling_mean(window, min_samples=1, center=True)
    )
    x = _x(curves, along)
    y = alt.Y("loss:Q", title="training loss", axis=alt.Axis(tickCount=6))
    base, colour = alt.Chart(_thinned(frame)), series_colours(mode)[1]
    chart = alt.layer(
        base.mark_line(color=colour, strokeWidth=1, opacity=0.35).encode(x=x, y=y),
        base.mark_line(color=colour, strokeWidth=2.5, strokeJoin="round").encode(
            x=x, y=alt.Y("smooth:Q")
        ),
    )
    return themed(_half(chart, "Training loss"), mode)


def _target(curves: RunCurves, x: alt.X, y: alt.Y, mode: Mode) -> list[Any]:
    """The target as a line, and the first round that reached it as a large dot."""
    target = curves.target_accuracy
    if target is None:
        return []
    reached = curves.measured.filter(pl.col("accuracy") >= target).head(1)
    dot = alt.Chart(reached).mark_point(filled=True, size=110, opacity=1, color=UPLOAD)
    return [*target_mark(target, mode), dot.encode(x=x, y=y)]


def _x(curves: RunCurves, along: Along) -> alt.X:
    most = float(curves.frame[along].max() or 1.0)  # type: ignore[arg-type]  # a column of numbers
    if along == "round":
        title, axis = f"{curves.step_name}s", whole_axis(0, int(most), grid=False)
    else:
        title = curves.clock_title
        axis = alt.Axis(grid=False, tickCount=6, labelFlush=False)
    scale = alt.Scale(domain=[0, most], nice=False)
    return alt.X(f"{along}:Q", title=title, axis=axis, scale=scale)


def _half(chart: Any, title: str) -> Any:
    fit = alt.AutoSizeParams(type="fit-x", contains="padding")
    return chart.properties(width=HALF_WIDTH, height=_HEIGHT, title=title, autosize=fit)


def _thinned(frame: pl.DataFrame) -> pl.DataFrame:
    """Few enough rows for a small picture, the last one among them."""
    step = -(-frame.height // _MOST_POINTS)
    return frame if step <= 1 else frame[::-1].gather_every(step)[::-1]


def _floor(accuracy: Any) -> float:
    """A tenth below the lowest accuracy, so that what happens at the top can be seen."""
    lowest = 0.0 if accuracy is None else float(accuracy)
    return max(0.0, int(lowest * 10) / 10)
