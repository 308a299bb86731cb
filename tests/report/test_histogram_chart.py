from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import pipefl
from charts import layers_of, rows
from pipefl.report.histogram_chart import histogram_chart
from strategies import populations

EPSILON = float(np.finfo(float).eps)


def bars(plan: pipefl.ClusterPlan) -> list[dict[str, Any]]:
    spec = histogram_chart(plan).to_dict()
    (layer,) = layers_of(spec, "bar")
    return rows(spec, layer)


@settings(max_examples=20)
@given(populations())
def test_every_client_stands_in_one_bar_of_its_cluster(
    population: tuple[NDArray[np.float64], float, int, float],
) -> None:
    times, upload_s, num_clusters, slack_s = population
    plan = pipefl.plan_clusters(times, upload_s, num_clusters=num_clusters, slack_s=slack_s)
    counted: Counter[object] = Counter()
    for bar in bars(plan):
        counted[bar["cluster"]] += bar["clients"]
    assert counted == Counter(f"cluster {k + 1}" for k in plan.cluster_of)


@settings(max_examples=12)
@given(st.lists(st.integers(1, 400), min_size=1, max_size=60), st.sampled_from([1.0, 0.1, 1 / 3]))
def test_bars_span_the_times_of_their_clients(counts: list[int], unit_s: float) -> None:
    times = np.array(counts) * unit_s
    plan = pipefl.plan_clusters(times, 1000.0)
    last_s = max(bar["high_s"] for bar in bars(plan))
    for bar in bars(plan):
        inside = (times >= bar["low_s"]) & (times < bar["high_s"])
        inside |= (times == bar["high_s"]) & (bar["high_s"] == last_s)
        assert inside.sum() == bar["clients"] > 0


def test_times_on_a_grid_have_a_bar_for_every_value() -> None:
    plan = pipefl.plan_clusters([0.1 * n for n in (10, 10, 11, 12, 13)], 5.0)
    heights = [(bar["low_s"], bar["high_s"], bar["clients"]) for bar in bars(plan)]
    assert [count for *_, count in heights] == [2, 1, 1, 1]
    assert [low for low, *_ in heights] == pytest.approx([0.95, 1.05, 1.15, 1.25])


@pytest.mark.parametrize(
    "times",
    [
        [5.0],
        [5.0] * 9,
        [0.3, 0.1 * 3],
        [1.0, 1.0 + EPSILON, 1.0 + 4 * EPSILON],
        [1e-12, 1.0, 1e12],
        [1e300, 1.7e300],
    ],
    ids=["one client", "one time", "an ulp apart", "a few ulps apart", "far apart", "huge"],
)
def test_awkward_times_are_drawn_too(times: list[float]) -> None:
    plan = pipefl.plan_clusters(times, 1e300, num_clusters=1)
    assert sum(bar["clients"] for bar in bars(plan)) == len(times)


def test_many_clusters_share_one_colour() -> None:
    plan = pipefl.plan_clusters(np.arange(1.0, 31.0), 1.0, num_clusters=14)
    assert {bar["cluster"] for bar in bars(plan)} == {"clients"}
    fewer = pipefl.plan_clusters(np.arange(1.0, 31.0), 1.0, num_clusters=13)
    assert len({bar["cluster"] for bar in bars(fewer)}) == 13


def test_the_slots_are_marked_by_name() -> None:
    plan = pipefl.plan_clusters([1.0, 2.0, 3.0, 4.0], 1.0, num_clusters=3)
    spec = histogram_chart(plan).to_dict()
    (rule,), (text,) = layers_of(spec, "rule"), layers_of(spec, "text")
    assert [row["slot_s"] for row in rows(spec, rule)] == [2.0, 3.0, 4.0]
    marked = {row["name"]: row["slot_s"] for row in rows(spec, text)}
    assert marked == {"θ₁": 2.0, "θ₂": 3.0, "θ₃": 4.0}


def test_of_many_slots_the_first_and_the_last_are_marked() -> None:
    plan = pipefl.plan_clusters(np.arange(1.0, 31.0), 1.0, num_clusters=14)
    spec = histogram_chart(plan).to_dict()
    (text,) = layers_of(spec, "text")
    assert {row["name"]: row["slot_s"] for row in rows(spec, text)} == {"θ₁": 17.0, "θ₁₄": 30.0}
