"""Test accuracy after every round, for several numbers of clusters."""

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
import polars as pl

from pipefl.report.theme import Mode, cluster_colours, ink, themed
from pipefl.runs.records import RoundRecord


def curves_chart(
    records: Mapping[str, Sequence[RoundRecord]],
    title: str,
    subtitle: str,
    *,
    raw: bool = False,
    target_accuracy: float | None = None,
    mode: Mode = "light",
) -> Any:
    """A curve for each entry of `records`: the best accuracy up to a round, or each as it is.

    The paper's accuracy plots show the former; `raw` shows how a run goes up and down.
    Paper: sec:simulations.
    """
    frame = pl.concat([_curve(name, each) for name, each in records.items()])
    shown = "accuracy" if raw else "best"
    span = _span(frame, shown, target_accuracy)
    names = list(records)
    lines = (
        alt.Chart(frame)
        .mark_line(strokeWidth=1.2 if raw else 2.0)
        .encode(
            x=alt.X("round:Q", title="communication round", scale=alt.Scale(nice=False)),
            y=alt.Y(
                f"{shown}:Q",
                title="test accuracy",
                axis=alt.Axis(format=".0%"),
                scale=alt.Scale(domain=span, clamp=True, nice=False),
            ),
            color=alt.Color(
                "curve:N",
                sort=names,
                scale=alt.Scale(domain=names, range=cluster_colours(len(names), mode)),
            ),
        )
    )
    layers: list[Any] = [lines]
    if target_accuracy is not None:
        rule = alt.Chart(pl.DataFrame({"target": [target_accuracy]}))
        layers.append(rule.mark_rule(strokeDash=[4, 4], color=ink(mode)).encode(y="target:Q"))
    chart = alt.layer(*layers).properties(
        width=640, height=320, title=alt.Title(title, subtitle=subtitle)
    )
    return themed(chart, mode)


def _curve(name: str, records: Sequence[RoundRecord]) -> pl.DataFrame:
    judged = [(r.round, r.accuracy) for r in records if r.accuracy is not None]
    frame = pl.DataFrame(judged, schema={"round": pl.Int64, "accuracy": pl.Float64}, orient="row")
    return frame.with_columns(best=pl.col("accuracy").cum_max(), curve=pl.lit(name))


def _span(frame: pl.DataFrame, shown: str, target: float | None) -> list[float]:
    """From where most rounds lie, so that the first few do not squeeze the rest together."""
    low = frame.select(pl.col(shown).quantile(0.05)).item()
    high = frame.select(pl.col(shown).max()).item()
    return [max(0.0, float(low) - 0.02), min(1.0, max(float(high), target or 0.0) + 0.01)]
