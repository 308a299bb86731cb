import pytest

from charts import rows
from pipefl.report.theorem_chart import theorem_chart


@pytest.mark.paper("fig:Theorem2")
def test_the_point_is_drawn_above_the_chord_that_makes_it_inactive() -> None:
    spec = theorem_chart().to_dict()
    chord, steeper = (
        [(row["x"], row["y"]) for row in rows(spec, layer)] for layer in spec["layer"][:2]
    )
    (a, b), (start, k) = chord, steeper
    assert start == a
    slope_of_chord = (b[1] - a[1]) / (b[0] - a[0])
    assert (k[1] - a[1]) / (k[0] - a[0]) > slope_of_chord
    drop = rows(spec, spec["layer"][2])[0]
    assert drop["low"] == pytest.approx(a[1] + slope_of_chord * (k[0] - a[0]))
    assert (drop["x"], drop["high"]) == k
