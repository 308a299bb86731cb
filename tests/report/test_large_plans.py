"""Plans with more clusters or clients than a chart has pixels."""

import json

import numpy as np
import pytest

import pipefl
from charts import layers_of, rows
from pipefl.plan import gain_over_conventional
from pipefl.report.page import page_html
from pipefl.report.plan_charts import plan_chart
from pipefl.report.plan_page import plan_page
from pipefl.report.saving import svg

MANY_CLUSTERS = pipefl.plan_clusters(np.linspace(1.0, 100_001.0, 200_000), 1.0)
MANY_CLIENTS = pipefl.plan_clusters(np.linspace(10.0, 70.0, 1_000_000), 15.0)


@pytest.mark.parametrize("name", ["hull", "histogram", "efficiency"])
@pytest.mark.parametrize("plan", [MANY_CLUSTERS, MANY_CLIENTS], ids=["clusters", "clients"])
def test_a_large_plan_is_drawn_as_a_small_picture(name: str, plan: pipefl.ClusterPlan) -> None:
    chart = plan_chart(name, plan)
    assert len(json.dumps(chart.to_dict())) < 200_000
    image = svg(chart)
    assert image.startswith("<svg ")
    assert len(image) < 600_000


def test_the_plans_are_large() -> None:
    assert MANY_CLUSTERS.num_clusters == 100_000
    assert MANY_CLIENTS.num_clients == 1_000_000


def test_a_thinned_hull_keeps_both_ends() -> None:
    spec = plan_chart("hull", MANY_CLUSTERS).to_dict()
    (marks,) = layers_of(spec, "point")
    drawn = rows(spec, marks)
    assert len(drawn) <= 3001
    assert (drawn[0]["k"], drawn[0]["pi"]) == (0, 0)
    assert (drawn[-1]["k"], drawn[-1]["pi"]) == (100_000, 200_000)


def test_a_histogram_counts_a_million_clients() -> None:
    spec = plan_chart("histogram", MANY_CLIENTS).to_dict()
    (layer,) = layers_of(spec, "bar")
    assert sum(row["clients"] for row in rows(spec, layer)) == 1_000_000


def test_a_page_lists_the_first_clusters_and_says_how_many_more_there_are() -> None:
    plan = pipefl.plan_clusters(np.linspace(1.0, 301.0, 600), 1.0)
    page = page_html(plan_page(plan, gain_over_conventional(plan), source="many clusters"))
    assert ">200</td><td>201</td>" in page
    assert ">201</td><td>202</td>" not in page
    assert "100 more clusters are in the plan&#39;s JSON." in page
    assert "Timeline of one round" not in page, "it would have a row for each of 300 clients"
    assert page.count('role="img"') == 6
