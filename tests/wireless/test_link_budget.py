import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipefl import PipeflError
from pipefl.wireless import (
    LinkBudget,
    PathLoss,
    db_to_ratio,
    dbm_to_w,
    ratio_to_db,
    w_to_dbm,
)

distances_m = st.floats(10.0, 1e5)


@pytest.mark.parametrize(
    ("level_db", "ratio"), [(0.0, 1.0), (10.0, 10.0), (-30.0, 1e-3), (3.0, 1.9952623149688795)]
)
def test_decibels_of_known_ratios(level_db: float, ratio: float) -> None:
    assert db_to_ratio(level_db) == pytest.approx(ratio)
    assert ratio_to_db(ratio) == pytest.approx(level_db)


@pytest.mark.parametrize(("power_dbm", "power_w"), [(0.0, 1e-3), (30.0, 1.0), (23.0, 0.19952623)])
def test_dbm_of_known_powers(power_dbm: float, power_w: float) -> None:
    assert dbm_to_w(power_dbm) == pytest.approx(power_w)
    assert w_to_dbm(power_w) == pytest.approx(power_dbm)


@given(st.floats(-300.0, 300.0), st.floats(-300.0, 300.0))
def test_decibels_add_where_ratios_multiply(first_db: float, second_db: float) -> None:
    product = db_to_ratio(first_db) * db_to_ratio(second_db)
    assert db_to_ratio(first_db + second_db) == pytest.approx(product, rel=1e-9)
    assert ratio_to_db(db_to_ratio(first_db)) == pytest.approx(first_db, abs=1e-9)
    assert w_to_dbm(dbm_to_w(first_db)) == pytest.approx(first_db, abs=1e-9)


def test_arrays_of_levels_are_converted_one_by_one() -> None:
    assert db_to_ratio(np.array([[0.0], [20.0]])).tolist() == [[1.0], [100.0]]


@pytest.mark.parametrize("ratio", [0.0, -1.0, float("nan"), float("inf")])
def test_what_is_not_above_zero_has_no_decibels(ratio: float) -> None:
    with pytest.raises(PipeflError, match=r"^ratio is .* above 0 to have decibels$"):
        ratio_to_db(ratio)
    with pytest.raises(PipeflError, match=r"^power_w is .* above 0 W$"):
        w_to_dbm(ratio)


@pytest.mark.parametrize("level_db", [float("nan"), float("inf"), 3001.0])
def test_a_level_without_a_ratio_is_named(level_db: float) -> None:
    with pytest.raises(PipeflError, match=r"^level_db\[1\] is .* between -3,000 and 3,000$"):
        db_to_ratio(np.array([0.0, level_db]))


def test_path_loss_worked_by_hand() -> None:
    # log10(1 km) = 0 and log10(0.1 km) = −1.
    assert PathLoss().loss_db([1000.0, 100.0, 10.0]) == pytest.approx([128.1, 90.5, 52.9])
    free_space = PathLoss(loss_at_1km_db=98.46, exponent=2.0)
    assert free_space.loss_db([2000.0]) == pytest.approx([98.46 + 20 * math.log10(2)])


def test_free_space_at_2_ghz_is_what_the_docstring_says() -> None:
    wavelength_m = 299_792_458 / 2e9
    assert 20 * math.log10(4 * math.pi * 1000 / wavelength_m) == pytest.approx(98.5, abs=0.05)


@given(distances_m, st.floats(1.01, 100.0), st.floats(1.5, 5.0))
def test_loss_grows_by_the_exponent_in_each_decade(
    distance_m: float, factor: float, exponent: float
) -> None:
    near, far = PathLoss(exponent=exponent).loss_db([distance_m, distance_m * factor])
    assert far - near == pytest.approx(10 * exponent * math.log10(factor), abs=1e-9)


@given(st.floats(20.0, 200.0), st.floats(1.0, 6.0))
def test_no_client_gains_power_by_being_near(loss_at_1km_db: float, exponent: float) -> None:
    path_loss = PathLoss(loss_at_1km_db, exponent)
    least_m = path_loss.least_distance_m
    assert path_loss.loss_db([least_m])[0] == pytest.approx(0.0, abs=1e-6)
    with pytest.raises(PipeflError, match=r"^distance_m\[1\] is .*where 0 dB are lost$"):
        path_loss.loss_db([least_m * 2, least_m * 0.99])


def test_a_link_budget_worked_by_hand() -> None:
    # 23 dBm − 128.1 dB + 174 dBm/Hz − 5 dB − 60 dB(Hz) = 3.9 dB at 1 km and 1 MHz.
    budget = LinkBudget()
    assert budget.noise_power_dbm(1e6) == pytest.approx(-109.0)
    assert ratio_to_db(budget.mean_snr([1000.0], 1e6)) == pytest.approx([3.9])
    # 2 dB of gain less 8 dB of shadowing: −2.1 dB.
    gain = LinkBudget(antenna_gain_db=2.0)
    assert ratio_to_db(gain.mean_snr([1000.0], 1e6, [8.0])) == pytest.approx([-2.1])


def test_thermal_noise_is_boltzmanns_constant_times_290_kelvin() -> None:
    assert w_to_dbm(1.380649e-23 * 290.0) == pytest.approx(-174.0, abs=0.03)


@given(distances_m, st.floats(1e3, 1e8), st.floats(-30.0, 30.0))
def test_twice_the_bandwidth_or_3_db_of_shadowing_halve_the_snr(
    distance_m: float, bandwidth_hz: float, shadowing_db: float
) -> None:
    budget = LinkBudget()
    snr = budget.mean_snr([distance_m], bandwidth_hz, shadowing_db)
    assert budget.mean_snr([distance_m], 2 * bandwidth_hz, shadowing_db) == pytest.approx(snr / 2)
    halved = budget.mean_snr([distance_m], bandwidth_hz, shadowing_db + 10 * math.log10(2))
    assert halved == pytest.approx(snr / 2)
    louder = LinkBudget(transmit_power_dbm=33.0)
    assert louder.mean_snr([distance_m], bandwidth_hz, shadowing_db) == pytest.approx(10 * snr)


@pytest.mark.parametrize(
    ("field", "message"),
    [
        ("transmit_power_dbm", r"^transmit_power_dbm is nan; .* 1,000 dBm$"),
        ("noise_dbm_per_hz", r"^noise_dbm_per_hz is nan; .* 1,000 dBm/Hz$"),
        ("noise_figure_db", r"^noise_figure_db is nan; .* 1,000 dB$"),
        ("antenna_gain_db", r"^antenna_gain_db is nan; .* 1,000 dB$"),
    ],
)
def test_a_bad_field_of_the_budget_is_named(field: str, message: str) -> None:
    with pytest.raises(PipeflError, match=message):
        LinkBudget(**{field: float("nan")})  # type: ignore[arg-type]  # mypy fears for `path_loss`


def test_bad_arguments_of_a_budget_are_named() -> None:
    budget = LinkBudget()
    with pytest.raises(PipeflError, match=r"^bandwidth_hz is 0.0; .* hertz above 0$"):
        budget.mean_snr([100.0], 0.0)
    with pytest.raises(PipeflError, match=r"^distance_m\[0\] is -1.0; every distance"):
        budget.mean_snr([-1.0], 1e6)
    with pytest.raises(PipeflError, match=r"^shadowing_db.shape is \(3,\); it must be \(2,\)"):
        budget.mean_snr([100.0, 200.0], 1e6, [1.0, 2.0, 3.0])
    with pytest.raises(PipeflError, match=r"^exponent is 0.5; it must be from 1 to 10"):
        PathLoss(exponent=0.5)
    with pytest.raises(PipeflError, match=r"^loss_at_1km_db is -1.0; .* between 0 and 1,000 dB$"):
        PathLoss(loss_at_1km_db=-1.0)
