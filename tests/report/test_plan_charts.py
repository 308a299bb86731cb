import json
import re
from typing import Any, get_args

import numpy as np
import pytest

import pipefl
from charts import layers, layers_of, rows
from pipefl.errors import ArgumentError
from pipefl.report.plan_charts import PLAN_CHARTS, is_drawable, plan_chart
from pipefl.report.saving import svg
from pipefl.report.theme import Mode, cluster_colours
from pipefl.report.theorem_chart import theorem_chart

PLAN = pipefl.plan_clusters(np.linspace(1.0, 7.0, 60), 1.5)
MODES: tuple[Mode, ...] = get_args(Mode)
COLOUR = re.compile("#[0-9a-fA-F]{6}")
TEXT = re.compile("<text[^>]*>([^<]*)</text>")
DATA_NAME = re.compile("data-[0-9a-f]{32}")


def chart_named(name: str, mode: Mode) -> Any:
    return theorem_chart(mode=mode) if name == "theorem" else plan_chart(name, PLAN, 2, 0.5, mode)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", [*PLAN_CHARTS, "theorem"])
def test_every_chart_is_valid_and_can_be_drawn(name: str, mode: Mode) -> None:
    chart = chart_named(name, mode)
    spec = chart.to_dict(validate=True)
    assert list(layers(spec))
    image = svg(chart)
    assert image.startswith("<svg ")
    assert image.endswith("</svg>")
    assert spec["config"]["background"].lower() in image.lower()
    assert "NaN" not in image


@pytest.mark.parametrize("name", [*PLAN_CHARTS, "theorem"])
def test_light_and_dark_differ_in_colours_only(name: str) -> None:
    light, dark = (json.dumps(chart_named(name, mode).to_dict()) for mode in MODES)
    assert set(COLOUR.findall(light)) != set(COLOUR.findall(dark))
    without_colours = [DATA_NAME.sub("", COLOUR.sub("", spec)) for spec in (light, dark)]
    assert without_colours[0] == without_colours[1]


def test_the_efficiency_is_drawn_where_millions_of_clusters_would_fit() -> None:
    plan = pipefl.plan_clusters([1e-6, 1.0, 1e6], 1e-6, num_clusters=5)
    spec = plan_chart("efficiency", plan).to_dict()
    drawn = [row["num_clusters"] for row in rows(spec, layers_of(spec, "line")[0])]
    assert (drawn[0], drawn[-1]) == (1, 1_000_000)
    assert 5 in drawn


@pytest.mark.parametrize(
    ("num_clusters", "slack_s", "named"),
    [(4, 0.0, 4), (13, 5.0, 2), (40, 80.0, 2)],
)
def test_slots_that_lie_close_together_are_named_at_the_ends_only(
    num_clusters: int, slack_s: float, named: int
) -> None:
    times_s = np.append(np.linspace(1.0, 7.0, 60), 60.0 if num_clusters == 13 else 7.0)
    plan = pipefl.plan_clusters(times_s, 1.5, num_clusters=num_clusters, slack_s=slack_s)
    spec = plan_chart("histogram", plan).to_dict()
    texts = [row["name"] for layer in layers_of(spec, "text") for row in rows(spec, layer)]
    assert len(texts) == named
    assert (texts[0], texts[-1][0]) == ("θ₁", "θ")
    drawn = rows(spec, layers_of(spec, "rule")[0])
    assert len(drawn) == (num_clusters if num_clusters <= 13 else 2)


@pytest.mark.parametrize(("scale_s", "unit"), [(1.0, "s"), (0.1, "ms"), (1e-6, "µs")])
def test_times_are_written_in_a_unit_that_suits_them(scale_s: float, unit: str) -> None:
    plan = pipefl.plan_clusters(np.linspace(1.0, 7.0, 60) * scale_s, 1.5 * scale_s)
    image = svg(plan_chart("histogram", plan))
    written = TEXT.findall(image)
    assert f"compute time ({unit})" in written
    assert not [text for text in written if text.startswith("0.00")]


def brightness(colour: str) -> float:
    """The relative luminance of `#rrggbb`, from 0 to 1, as the WCAG define it."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_text_stands_out_from_a_light_and_from_a_dark_background() -> None:
    expected: dict[Mode, tuple[float, float]] = {"light": (0.9, 1.0), "dark": (0.0, 0.1)}
    for mode, (darkest, lightest) in expected.items():
        config = chart_named("hull", mode).to_dict()["config"]
        background = brightness(config["background"])
        assert darkest <= background <= lightest
        for text in (config["axis"]["labelColor"], config["title"]["color"]):
            low, high = sorted([background, brightness(text)])
            assert (high + 0.05) / (low + 0.05) >= 7


def test_an_unknown_chart_is_told_which_there_are() -> None:
    with pytest.raises(ArgumentError) as caught:
        plan_chart("pie", PLAN)
    expected = "chart is 'pie'; it must be one of round, hull, histogram, efficiency"
    assert str(caught.value) == expected


def test_a_round_is_drawn_for_up_to_48_clients() -> None:
    times = np.linspace(1.0, 7.0, 600)
    plan = pipefl.plan_clusters(times, 1.5)
    assert plan.num_clusters == 4
    assert is_drawable(plan, 12)
    assert not is_drawable(plan, 13)
    with pytest.raises(ArgumentError, match=r"up to 48; this round schedules 52$"):
        plan_chart("round", plan, 13)


def test_the_efficiency_chart_has_the_papers_line_and_a_ring_at_the_chosen_k() -> None:
    spec = plan_chart("efficiency", PLAN, num_channels=2).to_dict()
    (line,) = layers_of(spec, "line")
    drawn = {row["num_clusters"]: row["efficiency"] for row in rows(spec, line)}
    assert drawn == pytest.approx({k: k * 1.5 / 8.5 for k in (1, 2, 3, 4, 5)})
    reached = {row["num_clusters"]: row["reached"] for row in rows(spec, line)}
    assert reached == pytest.approx(drawn | {5: 9 / (2 * 8.5) * 1.5})
    _, ring = layers_of(spec, "point")
    assert ring["transform"] == [{"filter": "(datum.num_clusters === 4)"}]


def test_small_clusters_reach_less_than_the_papers_efficiency() -> None:
    plan = pipefl.plan_clusters([1.0, 2.0, 3.0, 4.0], 1.0, num_clusters=4)
    spec = plan_chart("efficiency", plan, num_channels=2).to_dict()
    (line,) = layers_of(spec, "line")
    last = rows(spec, line)[-1]
    assert last["num_clusters"] == 4
    assert last["reached"] == pytest.approx(4 * 1.0 / (2 * 5.0))
    assert last["efficiency"] == pytest.approx(4 * 1.0 / 5.0)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("num_clusters", range(1, 14))
def test_clusters_have_colours_of_their_own_unlike_the_page(num_clusters: int, mode: Mode) -> None:
    colours = cluster_colours(num_clusters, mode)
    assert len(colours) == num_clusters
    assert len(set(colours)) >= min(num_clusters, 10)
