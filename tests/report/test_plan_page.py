from platform import python_version

import numpy as np

import pipefl
from page_outline import Outline, refuse_repeated_ids, refuse_scripts_and_requests
from pipefl.plan import gain_over_conventional
from pipefl.report.page import page_html
from pipefl.report.plan_page import plan_page

PLAN = pipefl.plan_clusters(np.linspace(1.0, 7.0, 60), 1.5, slack_s=0.25)


def page_of(
    plan: pipefl.ClusterPlan, source: str, num_channels: int, missed_share: float | None = None
) -> str:
    page = plan_page(
        plan,
        gain_over_conventional(plan, num_channels, 0.5),
        source=source,
        num_channels=num_channels,
        server_time_s=0.5,
        missed_share=missed_share,
    )
    return page_html(page)


PAGE = page_of(PLAN, "<script>alert('&')</script>.csv", num_channels=3)
OUTLINE = Outline(PAGE)
SPARSE_PLAN = pipefl.plan_clusters([1.0, 9.0, 9.0], 2.0, num_clusters=5)
SPARSE_PAGE = page_of(SPARSE_PLAN, "three phones", num_channels=2, missed_share=0.0123)


def test_the_heading_says_what_was_planned() -> None:
    assert OUTLINE.texts["h1"] == ["60 clients in 4 clusters"]
    assert OUTLINE.texts["title"][0] == "PipeFL plan: 60 clients in 4 clusters"


def test_every_setting_is_there() -> None:
    settings = dict(zip(OUTLINE.texts["dt"], OUTLINE.texts["dd"], strict=True))
    assert settings == {
        "one upload (τ_com)": "1.5 s",
        "sub-channels (N)": "3",
        "clusters (K)": "4",
        "slack (Δ_global)": "0.25 s",
        "server (τ_server)": "0.5 s",
        "solver": "isotonic",
        "every client ready by its slot": settings["every client ready by its slot"],
        "deviation of cluster sizes": "0 clients",
        "clusters smaller than N": "0",
    }
    assert settings["every client ready by its slot"].startswith("yes, the closest by ")
    assert f"PipeFL {pipefl.__version__} · Python {python_version()}" in OUTLINE.texts["footer"][0]


def test_the_gain_is_there() -> None:
    figures = dict(zip(OUTLINE.texts["b"], OUTLINE.texts["span"], strict=True))
    assert figures["12"] == "clients a round; conventional 3"
    assert figures["9.25 s"].endswith("9 s at most")
    assert figures["64.9%"] == "spectral efficiency ε; conventional 16.7%"


def test_every_cluster_has_a_row() -> None:
    cells = OUTLINE.texts["td"]
    rows = [cells[start : start + 8] for start in range(0, len(cells), 8)]
    assert [row[0] for row in rows] == ["1", "2", "3", "4"]
    assert [float(row[1]) for row in rows] == PLAN.slot_time_s.tolist()
    assert [int(row[2]) for row in rows] == PLAN.size.tolist()
    assert [int(row[5]) for row in rows] == PLAN.capacity.tolist()
    assert [row[7] == "active" for row in rows] == PLAN.active.tolist()


def test_every_chart_has_a_description_in_light_and_in_dark() -> None:
    pictures = [each for each in OUTLINE.attributes("div") if each.get("role") == "img"]
    described = [each["aria-label"] for each in pictures]
    assert len(described) == 8
    assert len(set(described)) == 4
    assert all(label and len(label) > 20 for label in described)
    assert [each["class"] for each in pictures] == ["light", "dark"] * 4
    assert len([each for each in OUTLINE.attributes("svg") if each.get("class") == "marks"]) == 8


def test_the_page_runs_no_script_and_fetches_nothing() -> None:
    refuse_scripts_and_requests(PAGE)
    refuse_repeated_ids(PAGE)


def test_the_page_says_its_language_its_signs_and_its_width() -> None:
    assert {"lang": "en"} in OUTLINE.attributes("html")
    assert {"charset": "utf-8"} in OUTLINE.attributes("meta")
    assert any(each.get("name") == "viewport" for each in OUTLINE.attributes("meta"))


def test_a_source_is_text_and_never_markup() -> None:
    assert "<script>alert('&')</script>.csv" in OUTLINE.texts["p"]
    assert "<script" not in PAGE


def test_the_missed_share_is_there_where_times_vary() -> None:
    assert "expected to miss their slot" not in PAGE
    missed = "<b>1.23%</b><span>of scheduled clients expected to miss their slot"
    assert missed in SPARSE_PAGE


def test_empty_and_small_clusters_are_shown() -> None:
    assert SPARSE_PLAN.size.min() == 0
    Outline(SPARSE_PAGE)
    assert "<td>0</td>" in SPARSE_PAGE
    assert "<td>–</td><td>–</td>" in SPARSE_PAGE
    assert "nan" not in SPARSE_PAGE.lower()
    assert SPARSE_PAGE.count('role="img"') == 8
