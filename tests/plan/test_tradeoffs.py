from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pipefl

TIMES = np.append(np.random.default_rng(3).integers(10, 71, 298), [10, 70]) * 0.1


def test_every_row_says_what_a_plan_of_its_settings_says() -> None:
    frame = pipefl.sweep(
        TIMES,
        [1.0, 2.0],
        num_clusters=range(1, 8),
        slack_s=[0.0, 1.5],
        num_channels=[1, 60],
        server_time_s=0.25,
    )
    assert frame.height == 2 * 7 * 2 * 2
    for row in frame.filter("feasible").iter_rows(named=True):
        plan = pipefl.plan_clusters(
            TIMES,
            row["upload_time_s"],
            num_clusters=row["num_clusters"],
            slack_s=row["slack_s"],
        )
        assert row["sizes"] == plan.size.tolist()
        assert (row["smallest"], row["largest"]) == (plan.size.min(), plan.size.max())
        assert row["clients_per_round"] == plan.clients_per_round(row["num_channels"])
        assert row["round_s"] == pytest.approx(plan.round_duration_s(0.25))
        assert row["efficiency"] == pytest.approx(plan.efficiency(0.25))
        assert row["clients_per_s"] == pytest.approx(row["clients_per_round"] / row["round_s"])
        assert row["channels_saved"] == row["clients_per_round"] - row["num_channels"]


def test_a_choice_that_does_not_fit_has_a_row_that_says_so() -> None:
    frame = pipefl.sweep(TIMES, 2.0, num_clusters=[4, 5], slack_s=[0.0, 2.0])
    assert frame["feasible"].to_list() == [True, False, True, True]
    assert frame.filter(~pl.col("feasible"))["round_s"].to_list() == [None]


def test_unasked_clusters_run_to_the_papers_choice_or_are_spread_out() -> None:
    assert pipefl.sweep(TIMES, 1.0)["num_clusters"].to_list() == [1, 2, 3, 4, 5, 6]
    many = pipefl.sweep(TIMES, 0.01)["num_clusters"]
    assert many.len() <= 32
    assert (many.min(), many.max()) == (1, pipefl.choose_num_clusters(TIMES, 0.01))


@pytest.mark.parametrize(
    ("settings", "name"),
    [
        ({"num_clusters": [1, 0]}, "num_clusters is 0"),
        ({"num_channels": 0}, "num_channels is 0"),
        ({"slack_s": [0.0, -1.0]}, "slack_s is -1.0"),
        ({"server_time_s": -1.0}, "server_time_s is -1.0"),
        ({"upload_time_s": [1.0, 0.0]}, "upload_time_s is 0.0"),
        ({"upload_time_s": []}, "upload_time_s is .*; it must hold at least one value"),
        ({"num_clusters": []}, "num_clusters is .*; it must hold at least one value"),
    ],
)
def test_a_bad_setting_is_named(settings: dict[str, object], name: str) -> None:
    with pytest.raises(pipefl.PipeflError, match=name):
        pipefl.sweep(TIMES, **{"upload_time_s": 1.0, **settings})  # type: ignore[arg-type]


rows = st.lists(st.tuples(*[st.integers(0, 4)] * 3), min_size=1, max_size=25)


@settings(max_examples=60)
@given(rows)
def test_the_pareto_front_is_what_nothing_dominates(values: list[tuple[int, int, int]]) -> None:
    frame = pl.DataFrame(values, schema=["cost", "time", "gain"], orient="row")
    front = pipefl.pareto_front(frame, minimise=["cost", "time"], maximise=["gain"]).rows()

    def dominates(a: tuple[int, ...], b: tuple[int, ...]) -> bool:
        return a != b and a[0] <= b[0] and a[1] <= b[1] and a[2] >= b[2]

    assert front == [b for b in values if not any(dominates(a, b) for a in values)]


def test_the_pareto_front_leaves_out_what_does_not_fit() -> None:
    frame = pipefl.sweep(TIMES, 2.0, num_clusters=[4, 5])
    assert pipefl.pareto_front(frame)["num_clusters"].to_list() == [4]


@pytest.mark.parametrize(
    ("minimise", "message"),
    [
        (["price"], "minimise is 'price'; it must be a list of columns of numbers, which are cost"),
        (["name"], "minimise is 'name'; it must be a list of columns of numbers"),
        ("cost", "minimise is 'cost'; it must be a list of columns of numbers"),
        ([], "minimise is \\[\\]; it or maximise must name at least one column"),
    ],
)
def test_a_column_that_is_none_of_numbers_is_named(minimise: Any, message: str) -> None:
    frame = pl.DataFrame({"cost": [1], "name": ["a"]})
    with pytest.raises(pipefl.PipeflError, match=message):
        pipefl.pareto_front(frame, minimise=minimise, maximise=[])
