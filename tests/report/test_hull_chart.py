from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings

from charts import Spec, layers_of, rows
from pipefl.report.hull_chart import hull_chart
from strategies import capacities

EXAMPLE_1 = [10, 46, 80, 100]


def drawn_points(spec: Spec) -> dict[tuple[int, int], str]:
    """What kind of point is marked at (k, π)."""
    (marks,) = layers_of(spec, "point")
    return {(row["k"], row["pi"]): row["kind"] for row in rows(spec, marks)}


def drawn_line(spec: Spec, dashed: bool) -> list[tuple[int, int]]:
    (line,) = [each for each in layers_of(spec, "line") if ("strokeDash" in each["mark"]) == dashed]
    return [(row["k"], row["pi"]) for row in rows(spec, line)]


def written_names(spec: Spec) -> set[Any]:
    return {row["name"] for layer in layers_of(spec, "text") for row in rows(spec, layer)}


def test_example_1_has_the_papers_active_and_inactive_constraints() -> None:
    assert drawn_points(hull_chart(EXAMPLE_1).to_dict()) == {
        (0, 0): "(0, 0) and (K, M)",
        (1, 10): "active constraint",
        (2, 46): "inactive constraint",
        (3, 80): "inactive constraint",
        (4, 100): "(0, 0) and (K, M)",
    }


@pytest.mark.paper("fig:Example1")
def test_example_1_has_the_papers_hull_and_sizes() -> None:
    spec = hull_chart(EXAMPLE_1).to_dict()
    assert drawn_line(spec, dashed=False) == [(0, 0), (1, 10), (4, 100)]
    assert drawn_line(spec, dashed=True) == [(0, 0), (4, 100)]
    assert {"δ = 10", "δ = 30"} <= written_names(spec)
    assert {"(1, 10)", "(2, 46)", "(3, 80)", "(4, 100)"} <= written_names(spec)


def test_active_points_are_filled_and_inactive_ones_are_hollow() -> None:
    spec = hull_chart(EXAMPLE_1, mode="light").to_dict()
    (marks,) = layers_of(spec, "point")
    fill = marks["encoding"]["fill"]["scale"]
    of_kind = dict(zip(fill["domain"], fill["range"], strict=True))
    assert of_kind["inactive constraint"] == spec["config"]["background"]
    assert of_kind["active constraint"] != spec["config"]["background"]


@settings(max_examples=20)
@given(capacities(max_clusters=20))
def test_the_line_is_the_greatest_convex_line_below_all_points(capacity: list[int]) -> None:
    spec = hull_chart(capacity).to_dict()
    points = [(0, 0), *enumerate(capacity, 1)]
    assert list(drawn_points(spec)) == points
    corners = drawn_line(spec, dashed=False)
    assert (corners[0], corners[-1]) == (points[0], points[-1])
    assert set(corners) <= set(points)
    steps = [(k - a, pi - pi_a) for (a, pi_a), (k, pi) in pairwise(corners)]
    assert all(
        rise * next_run < next_rise * run for (run, rise), (next_run, next_rise) in pairwise(steps)
    )
    for (k, pi), (run, rise) in zip(corners[:-1], steps, strict=True):
        assert all(run * (y - pi) >= rise * (x - k) for x, y in points if k <= x <= k + run)


def test_of_names_that_would_run_into_each_other_those_of_corners_are_written() -> None:
    written = written_names(hull_chart([0, *range(2990, 3001)]).to_dict())
    assert {"(1, 0)", "(12, 3,000)", "δ = 0"} <= written
    assert "(11, 2,999)" not in written
    assert len(written) > 4


def test_many_points_are_marked_without_their_names() -> None:
    spec = hull_chart(list(range(1, 15))).to_dict()
    assert len(drawn_points(spec)) == 15
    assert written_names(spec) == set()
