import re

import polars as pl
import pytest

from charts import Spec, layers_of, rows
from pipefl.report.curve_chart import Along, RunCurves, accuracy_curve, loss_curve
from pipefl.report.saving import svg
from pipefl.report.theme import Mode

ROUNDS = 200
MIXED = RunCurves(
    pl.DataFrame({
        "round": range(1, ROUNDS + 1),
        "clock_s": [8.5 * n for n in range(1, ROUNDS + 1)],
        "accuracy": [n / 250 if n % 10 == 0 else None for n in range(1, ROUNDS + 1)],
        "accuracy_at_most": [None if n % 10 == 0 else 0.69 for n in range(1, ROUNDS + 1)],
        "loss": [2.0 / n if n % 7 else None for n in range(1, ROUNDS + 1)],
    }),
    target_accuracy=0.7,
)  # fmt: skip


def drawn(spec: Spec, mark: str, place: int = 0) -> list[dict[str, float]]:
    return rows(spec, layers_of(spec, mark)[place])


@pytest.mark.parametrize("along", ["round", "clock"])
def test_only_what_was_measured_is_on_the_line(along: Along) -> None:
    spec = accuracy_curve(MIXED, along).to_dict()
    line = drawn(spec, "line")
    assert [row["round"] for row in line] == list(range(10, ROUNDS + 1, 10))
    assert all(row["accuracy"] == row["round"] / 250 for row in line)


def test_bounds_are_an_area_from_nothing_up_to_the_bound() -> None:
    spec = accuracy_curve(MIXED, "round").to_dict()
    area = drawn(spec, "area")
    assert len(area) == 180
    assert {row["accuracy_at_most"] for row in area} == {0.69}
    (layer,) = layers_of(spec, "area")
    assert layer["encoding"]["y"]["scale"]["domain"][0] == 0.0


def test_a_run_measured_in_full_has_no_area_and_shows_its_own_range() -> None:
    frame = MIXED.history.with_columns(
        accuracy=pl.lit(0.85), accuracy_at_most=pl.lit(None, pl.Float64)
    )
    spec = accuracy_curve(RunCurves(frame, None), "round").to_dict()
    assert layers_of(spec, "area") == []
    assert layers_of(spec, "line")[0]["encoding"]["y"]["scale"]["domain"] == [0.8, 1.0]


def test_the_first_round_at_the_target_is_marked() -> None:
    spec = accuracy_curve(MIXED, "clock").to_dict()
    reached = drawn(spec, "point", -1)
    assert [row["round"] for row in reached] == [180]
    assert drawn(spec, "rule")[0]["accuracy"] == 0.7


def test_no_tick_stands_between_two_rounds() -> None:
    two = RunCurves(MIXED.history.head(2), 0.7)
    for chart in (accuracy_curve, loss_curve):
        written = re.findall(r">([\d.]+)</text>", svg(chart(two, "round")))
        assert written[:3] == ["0", "1", "2"]


def test_the_clock_is_in_a_unit_of_which_there_are_some() -> None:
    spec = accuracy_curve(MIXED, "clock").to_dict()
    line = drawn(spec, "line")
    assert line[-1]["clock"] == pytest.approx(8.5 * ROUNDS / 60)
    title = layers_of(spec, "line")[0]["encoding"]["x"]["title"]
    assert title == "minutes on the simulated clock"


def test_the_loss_is_averaged_over_a_part_of_the_run() -> None:
    spec = loss_curve(MIXED, "round").to_dict()
    line = drawn(spec, "line")
    known = [row["loss"] for row in line]
    window = len(known) // 20
    middle = len(known) // 2
    around = known[middle - window // 2 : middle + (window + 1) // 2]
    assert line[middle]["smooth"] == pytest.approx(sum(around) / window, rel=0.05)
    assert line[middle]["smooth"] != known[middle]


def test_a_long_run_is_a_small_picture() -> None:
    long = pl.concat([MIXED.history] * 200).with_columns(round=pl.arange(1, 40_001))
    curves = RunCurves(long, 0.7)
    assert len(svg(accuracy_curve(curves, "round"))) < 100_000
    line = drawn(loss_curve(curves, "round").to_dict(), "line")
    assert len(line) <= 400
    assert line[-1]["round"] == max(
        row["round"] for row in long.filter(pl.col("loss").is_not_null()).to_dicts()
    )


@pytest.mark.parametrize("mode", ["light", "dark"])
@pytest.mark.parametrize("rounds", [0, 1])
def test_hardly_any_rounds_are_drawn_all_the_same(mode: Mode, rounds: int) -> None:
    curves = RunCurves(MIXED.history.head(rounds), 0.7)
    for along in ("round", "clock"):
        assert svg(accuracy_curve(curves, along, mode)).startswith("<svg")
        assert svg(loss_curve(curves, along, mode)).startswith("<svg")
