import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import ArrayLike

from pipefl.errors import ArgumentError
from pipefl.policies.paper_points import paper_points
from pipefl.policies.rounds_curve import RoundsCurve, fit_rounds_curve

CLIENTS = np.array([1, 2, 3, 4, 8, 16, 32])


@given(
    st.floats(0.0, 500.0), st.floats(50.0, 5000.0), st.floats(0.2, 4.0), st.sampled_from([1, 10])
)
def test_the_fit_recovers_a_curve_from_points_on_it(
    floor: float, scale: float, power: float, unit: int
) -> None:
    clients = unit * CLIENTS
    points = 1 + floor + scale * CLIENTS**-power
    curve = fit_rounds_curve(clients, points)
    assert curve.rounds(clients) == pytest.approx(points, rel=1e-5)
    assert curve.relative_error < 1e-5
    assert curve.power == pytest.approx(power, rel=0.02)
    assert curve.floor == pytest.approx(1 + floor, rel=0.02, abs=0.01 * scale)
    assert curve.scale * unit**-curve.power == pytest.approx(scale, rel=0.02)


@pytest.mark.paper("tab:mnist-cnn, tab:mnist-mlp, tab:emnist, tab:shakespeare")
@pytest.mark.parametrize(
    ("name", "error", "floor", "power"),
    [
        ("mnist-cnn", 0.05, 96, 1.06),
        ("mnist-mlp", 0.055, 409, 1.14),
        ("emnist-cnn", 0.06, 165, 2.58),
        ("shakespeare-lstm", 0.08, 173, 1.12),
    ],
)
def test_the_curve_fits_each_table_of_the_paper(
    name: str, error: float, floor: float, power: float
) -> None:
    points = paper_points(name)
    curve = fit_rounds_curve(points.clients_per_round, points.rounds)
    assert 0.5 * error < curve.relative_error < error
    assert curve.floor == pytest.approx(floor, abs=1)
    assert curve.power == pytest.approx(power, abs=0.01)
    assert curve.domain == (1.0, 32.0)


def test_no_curve_on_a_grid_fits_better() -> None:
    points = paper_points("shakespeare-lstm")
    curve = fit_rounds_curve(points.clients_per_round, points.rounds)
    floor, scale, power = np.meshgrid(
        np.linspace(0, 400, 41), np.linspace(500, 1500, 41), np.linspace(0.3, 3, 55)
    )
    fitted = floor[..., np.newaxis] + scale[..., np.newaxis] * (
        points.clients_per_round ** -power[..., np.newaxis]
    )
    errors = np.sqrt(np.mean((fitted / points.rounds - 1) ** 2, axis=-1))
    assert curve.relative_error <= errors.min() <= curve.relative_error + 0.001


def test_the_fit_weighs_relative_errors_so_the_unit_of_rounds_does_not_matter() -> None:
    points = paper_points("mnist-mlp")
    curve = fit_rounds_curve(points.clients_per_round, points.rounds)
    hundredfold = fit_rounds_curve(points.clients_per_round, points.rounds * 100)
    assert hundredfold.power == pytest.approx(curve.power, rel=1e-6)
    assert hundredfold.floor == pytest.approx(100 * curve.floor, rel=1e-6)
    assert hundredfold.relative_error == pytest.approx(curve.relative_error, rel=1e-9)


@pytest.mark.parametrize(
    ("clients", "rounds", "floor", "scale", "power"),
    [
        ([1, 2], [300, 200], 100.0, 200.0, 1.0),
        ([4, 1], [100, 400], 0.0, 400.0, 1.0),  # exactly as 1/c
        ([1, 2], [100, 25], 0.0, 100.0, 2.0),  # faster than 1/c: no floor
        ([2, 8], [80, 10], 0.0, 80 * 2**1.5, 1.5),
        ([1, 1, 2, 2], [300, 300, 200, 200], 100.0, 200.0, 1.0),
    ],
)
def test_two_numbers_of_clients_fix_the_power_or_the_floor(
    clients: list[int], rounds: list[int], floor: float, scale: float, power: float
) -> None:
    curve = fit_rounds_curve(clients, rounds)
    assert (curve.floor, curve.scale, curve.power) == pytest.approx((floor, scale, power))
    assert curve.relative_error == pytest.approx(0.0, abs=1e-12)


def test_points_at_the_same_clients_are_averaged_by_their_relative_errors() -> None:
    curve = fit_rounds_curve([1, 1, 2], [100, 200, 75])
    # (x/100 − 1)² + (x/200 − 1)² is least at x = (1/100 + 1/200)/(1/100² + 1/200²) = 120.
    assert curve.rounds([1, 2]) == pytest.approx([120.0, 75.0])
    assert curve.relative_error == pytest.approx(math.sqrt((0.2**2 + 0.4**2) / 3))


def test_points_that_no_power_describes_stay_within_the_powers_tried() -> None:
    step = fit_rounds_curve([1, 2, 3, 4], [1000, 100, 100, 100])
    assert step.power == pytest.approx(10.0, rel=1e-3)
    assert step.rounds([1, 4]) == pytest.approx([1000, 100], rel=0.01)
    straight = fit_rounds_curve([1, 2, 3, 4], [400, 390, 380, 370])
    assert 0.05 <= straight.power < 0.06
    assert straight.relative_error < 0.01


@given(st.floats(0, 1e3), st.floats(0.1, 1e4), st.floats(0.1, 5), st.integers(1, 1000))
def test_more_clients_never_take_more_rounds_and_never_fewer_than_the_floor(
    floor: float, scale: float, power: float, clients: int
) -> None:
    rounds = RoundsCurve(floor, scale, power).rounds([clients, clients + 1, 10**9])
    assert rounds[0] >= rounds[1] >= rounds[2] >= floor


def test_a_curve_keeps_the_shape_it_is_asked_for_and_flags_what_lies_outside() -> None:
    curve = RoundsCurve(10.0, 90.0, 1.0, domain=(2.0, 8.0))
    assert curve.rounds([[1, 3], [9, 90]]).tolist() == [[100.0, 40.0], [20.0, 11.0]]
    assert float(curve.rounds(9)) == 20.0
    assert curve.extrapolates([1, 2, 8, 9]).tolist() == [True, False, False, True]
    assert not RoundsCurve(10.0, 90.0, 1.0).extrapolates([1, 10**6]).any()


@pytest.mark.parametrize(
    ("clients", "rounds", "message"),
    [
        ([4], [100], r"clients_per_round is \[4.0\]; points with one number of clients say"),
        ([4, 4], [100, 90], "give two or more"),
        ([], [], r"clients_per_round is \[\]; it must hold two numbers or more"),
        ([1, 2], [100], r"rounds is \[100.0\]; it must hold one number for each of 2"),
        ([1, 2], [100, None], r"rounds\[1\] is nan"),
        ([1, 2], "slow", "rounds is 'slow'; it must be an array of numbers"),
        ([1, 2], [100, math.nan], r"rounds\[1\] is nan; it must be a number from 1"),
        ([1, 0], [100, 50], r"clients_per_round\[1\] is 0.0"),
        ([1, 2], [100, 0.5], r"rounds\[1\] is 0.5"),
        ([1, math.inf], [100, 50], r"clients_per_round\[1\] is inf"),
        ([1, 2], [100, 100], "needs rounds that fall as clients per round grow"),
        ([1, 2], [100, 120], "needs rounds that fall"),
        ([1, 2, 4], [100, 120, 150], "needs rounds that fall"),
        ([[1, 2]], [100, 50], "one-dimensional"),
    ],
)
def test_points_that_no_curve_fits_are_refused(
    clients: ArrayLike, rounds: ArrayLike, message: str
) -> None:
    with pytest.raises(ArgumentError, match=message):
        fit_rounds_curve(clients, rounds)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ((-1.0, 1.0, 1.0), "floor is -1.0; it must be a finite number of at least 0"),
        ((0.0, 0.0, 1.0), "scale is 0.0; it must be a finite number above 0"),
        ((0.0, math.inf, 1.0), "scale is inf"),
        ((0.0, 1.0, math.nan), "power is nan"),
        ((0.0, 1.0, 1.0, -0.1), "relative_error is -0.1"),
        ((0.0, 1.0, 1.0, 0.0, (4.0, 2.0)), r"domain is \(4.0, 2.0\)"),
        ((0.0, 1.0, 1.0, 0.0, (0.0, 2.0)), "domain is"),
    ],
)
def test_a_curve_that_is_none_is_refused(values: tuple[float, ...], message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        RoundsCurve(*values)  # type: ignore[arg-type]  # one of them is the domain


@pytest.mark.parametrize("clients", [0, [1, math.nan], "many", [[1], [2, 3]]])
def test_rounds_without_clients_are_refused(clients: ArrayLike) -> None:
    curve = RoundsCurve(10.0, 90.0, 1.0)
    for ask in (curve.rounds, curve.extrapolates):
        with pytest.raises(ArgumentError, match="at least 1 client"):
            ask(clients)
