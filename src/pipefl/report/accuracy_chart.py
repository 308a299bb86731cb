"""Accuracy against rounds, and against seconds, of runs on disk."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import altair as alt
import polars as pl

from pipefl.report.theme import EMPHASIS, QUIET, UPLOAD, Mode, ink, themed
from pipefl.runs.directory import RunDirectory
from pipefl.runs.history import history
from pipefl.runs.records import read_records

_WIDTH = 340
_COLOURS = (EMPHASIS, UPLOAD, "#009E73", "#CC79A7", "#E69F00", QUIET)


def accuracy_chart(paths: Sequence[Path], mode: Mode = "light") -> Any:
    """Two panels with the same curves: fewer rounds is not yet less time.

    Where an evaluation stopped early, its bound is drawn: the accuracy is no higher. A dot
    marks the first round at the target.
    """
    frames, targets = [], set()
    for path in paths:
        config = RunDirectory(path).config()
        frame = history(read_records(RunDirectory(path).rounds_path))
        frames.append(frame.with_columns(run=pl.lit(config.name)))
        targets.add(config.target_accuracy)
    curves = pl.concat(frames).with_columns(
        shown=pl.coalesce("accuracy", "accuracy_at_most"), minutes=pl.col("clock_s") / 60
    )
    judged = curves.filter(pl.col("shown").is_not_null())
    panels = [
        _panel(judged, targets, "round:Q", "rounds", mode, is_first=True),
        _panel(judged, targets, "minutes:Q", "minutes on the simulated clock", mode),
    ]
    chart = alt.hconcat(*panels, spacing=28).properties(title="Test accuracy")
    return themed(chart, mode)


def _panel(
    judged: pl.DataFrame,
    targets: set[float | None],
    along: str,
    title: str,
    mode: Mode,
    *,
    is_first: bool = False,
) -> Any:
    names = judged["run"].unique(maintain_order=True).to_list()
    colours = [_COLOURS[place % len(_COLOURS)] for place in range(len(names))]
    x = alt.X(along, title=title, scale=alt.Scale(zero=True))
    y = alt.Y(
        "shown:Q",
        title="accuracy" if is_first else None,
        axis=alt.Axis(format=".0%"),
        scale=alt.Scale(domainMax=1.0, zero=False),
    )
    colour = alt.Color("run:N", sort=names, scale=alt.Scale(domain=names, range=colours))
    lines = alt.Chart(judged).mark_line(strokeWidth=2).encode(x=x, y=y, color=colour)
    layers: list[Any] = [lines]
    for target in sorted(each for each in targets if each is not None):
        rule = alt.Chart(pl.DataFrame({"target": [target]}))
        layers.append(rule.mark_rule(strokeDash=[4, 4], color=ink(mode)).encode(y="target:Q"))
        reached = judged.filter(pl.col("accuracy") >= target).group_by("run").first()
        dots = alt.Chart(reached).mark_point(filled=True, size=90, opacity=1)
        layers.append(dots.encode(x=x, y=y, color=colour))
    return alt.layer(*layers).properties(width=_WIDTH, height=260)
