"""Charts of what sweeps came to: rounds, contests, curves, sizes."""

from math import inf
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from charts import layers_of, rows
from pipefl.report.contest_chart import contest_chart
from pipefl.report.curves_chart import curves_chart
from pipefl.report.rounds_chart import rounds_chart
from pipefl.report.saving import svg
from pipefl.report.sizes_chart import sizes_chart
from pipefl.report.theme import Mode
from pipefl.runs.records import RoundRecord
from pipefl.sweeps.contest import Standing, entrants
from pipefl.sweeps.paper_table import TableCell
from pipefl.sweeps.spread import Spread

MODES: tuple[Mode, ...] = ("light", "dark")


def standings(num_channels: int, *seconds: Spread | None) -> list[Standing]:
    pairs = zip(entrants(4, num_channels), seconds, strict=False)
    return [Standing(entrant, 4, num_channels, None, each, None) for entrant, each in pairs]


def drawn(chart: Any, mark: str) -> list[dict[str, Any]]:
    spec = chart.to_dict()
    return [row for layer in layers_of(spec, mark) for row in rows(spec, layer)]


@pytest.mark.parametrize("mode", MODES)
def test_a_contest_shows_medians_in_minutes_and_the_range_of_seeds(mode: Mode) -> None:
    contests = [
        standings(1, Spread(600, 540, 660, 3), None, Spread(120, 120, 120, 1)),
        standings(2, Spread(300, 240, inf, 3), Spread(inf, inf, inf, 3)),
    ]
    chart = contest_chart(contests, "A contest", mode)
    dots = {(row["schedule"], row["minutes"]) for row in drawn(chart, "circle")}
    assert dots == {("conventional", 10), ("clusters, eager slots", 2), ("conventional", 5)}
    ranges = [(row["least"], row["most"]) for row in drawn(chart, "rule")]
    assert ranges == [(9, 11), (2, 2), (4, 5)]  # a seed without the target has no end to draw
    assert "N = 2" in svg(chart)


@pytest.mark.parametrize("mode", MODES)
def test_rounds_stand_beside_the_papers_by_clients_a_round(mode: Mode) -> None:
    table = [
        [TableCell(1, 2, Spread(180, 170, 200, 3), 0.0, 200, 0.0, True)],
        [TableCell(4, 2, Spread(90, 80, 95, 3), 0.5, 120, 0.4, True)],
        [TableCell(3, 2, None, None, 150, 0.25, False)],
    ]
    found = drawn(rounds_chart(table, "Rounds", mode), "circle")
    assert [(row["clients"], row["rounds"]) for row in found] == [
        (2, 180), (8, 90), (2, 200), (8, 120), (6, 150),
    ]  # fmt: skip


def test_without_a_paper_there_is_one_panel() -> None:
    table = [[TableCell(1, 1, Spread(5, 5, 5, 1), 0.0, None, None, True)]]
    assert "the paper" not in svg(rounds_chart(table, "Rounds"))


def test_a_table_without_any_number_is_an_empty_chart() -> None:
    table = [[TableCell(1, 1, None, None, None, None, False)]]
    assert "Rounds of nothing" in svg(rounds_chart(table, "Rounds of nothing"))


def record(number: int, accuracy: float | None) -> RoundRecord:
    return RoundRecord(
        round=number, start_s=0.0, duration_s=1.0, clock_s=float(number), client=[], version=[],
        client_loss=[], channel=[], upload_start_s=[], upload_end_s=[], accuracy=accuracy,
    )  # fmt: skip


def test_curves_rise_unless_they_are_raw() -> None:
    records = [record(i, a) for i, a in enumerate((0.5, 0.7, None, 0.6, 0.8), 1)]
    for raw, field, expected in (
        (False, "best", [0.5, 0.7, 0.7, 0.8]),
        (True, "accuracy", [0.5, 0.7, 0.6, 0.8]),
    ):
        chart = curves_chart({"K = 1": records}, "Accuracy", "", raw=raw, target_accuracy=0.75)
        found = drawn(chart, "line")
        assert [row[field] for row in found] == expected
        assert [row["round"] for row in found] == [1, 2, 4, 5]
        (layer,) = layers_of(chart.to_dict(), "line")
        assert layer["encoding"]["y"]["field"] == field


@pytest.mark.paper("fig:emnist-histogram")
@settings(max_examples=25)
@given(st.lists(st.integers(1, 5000), min_size=1, max_size=60))
def test_every_client_is_counted_in_the_bin_of_its_size(sizes: list[int]) -> None:
    bars = drawn(sizes_chart(sizes, "Sizes", ["of all"]), "bar")
    for bar in bars:
        within = [n for n in sizes if bar["low"] < n < bar["high"]]
        assert bar["clients"] == len(within)
    assert sum(bar["clients"] for bar in bars) == len(sizes)
    assert len({bar["high"] - bar["low"] for bar in bars}) == 1
    assert np.allclose([bar["low"] % 1 for bar in bars], 0.5)
