import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipefl import PipeflError
from pipefl.wireless import Cell, LinkBudget, ratio_to_db


@given(st.floats(40.0, 5000.0), st.floats(0.01, 0.99), st.integers(0, 2**40))
def test_every_client_is_in_the_disc_and_no_nearer_than_allowed(
    radius_m: float, share: float, seed: int
) -> None:
    cell = Cell(radius_m=radius_m, minimum_distance_m=radius_m * share)
    distance_m = np.linalg.norm(cell.positions_m(50, seed), axis=1)
    assert np.all(distance_m >= radius_m * share * (1 - 1e-12))
    assert np.all(distance_m <= radius_m * (1 + 1e-12))


def test_clients_are_spread_evenly_over_the_area() -> None:
    num_clients = 40_000
    position_m = Cell(radius_m=500.0, minimum_distance_m=100.0).positions_m(num_clients, seed=2)
    distance_m = np.linalg.norm(position_m, axis=1)
    # Within 300 m lie (300² − 100²)/(500² − 100²) = 1/3 of the ring.
    deviation = np.sqrt(1 / 3 * 2 / 3 / num_clients)
    assert abs(np.mean(distance_m < 300.0) - 1 / 3) < 4 * deviation
    quadrant = 2 * (position_m[:, 0] > 0) + (position_m[:, 1] > 0)
    expected, spread = num_clients / 4, np.sqrt(num_clients * 3 / 16)
    assert np.all(np.abs(np.bincount(quadrant) - expected) < 4 * spread)


def test_shadowing_has_the_deviation_asked_for_and_no_mean() -> None:
    shadow_db = Cell(shadowing_deviation_db=6.0).shadowings_db(40_000, seed=3)
    assert shadow_db.mean() == pytest.approx(0.0, abs=4 * 6.0 / 200)
    assert shadow_db.std() == pytest.approx(6.0, rel=0.02)
    assert Cell(shadowing_deviation_db=0.0).shadowings_db(5).tolist() == [0.0] * 5


def test_mean_snrs_follow_from_places_and_shadowing() -> None:
    cell = Cell(radius_m=300.0, link=LinkBudget(transmit_power_dbm=10.0))
    position_m, shadow_db = cell.positions_m(30, seed=5), cell.shadowings_db(30, seed=5)
    distance_km = np.sqrt((position_m**2).sum(axis=1)) / 1000
    # 10 dBm − L − X − (−174 + 5 + 63 dB(Hz)) at 2 MHz, in decibels.
    expected_db = 10.0 - (128.1 + 37.6 * np.log10(distance_km)) - shadow_db + 106.0
    snr_db = ratio_to_db(cell.mean_snr(30, bandwidth_hz=2e6, seed=5))
    assert snr_db == pytest.approx(expected_db, abs=0.011)  # 10 log10 2 is 3.0103


@given(st.integers(0, 2**40), st.integers(1, 30), st.integers(1, 30))
def test_more_clients_leave_the_others_where_they_are(seed: int, few: int, more: int) -> None:
    cell = Cell()
    some, all_of_them = cell.positions_m(few, seed), cell.positions_m(few + more, seed)
    assert np.array_equal(some, all_of_them[:few])
    some_snr, all_snr = (cell.mean_snr(count, 1e6, seed) for count in (few, few + more))
    assert some_snr == pytest.approx(all_snr[:few], rel=1e-12)


def test_the_seed_and_nothing_else_decides() -> None:
    np.random.seed(0)  # noqa: NPY002 - global state must not matter
    first = Cell().mean_snr(20, 1e6, seed=1)
    np.random.seed(1)  # noqa: NPY002 - as above
    assert np.array_equal(first, Cell().mean_snr(20, 1e6, seed=1))
    assert not np.any(first == Cell().mean_snr(20, 1e6, seed=2))


def test_distance_direction_and_shadowing_are_unrelated() -> None:
    cell, num_clients = Cell(), 10_000
    position_m = cell.positions_m(num_clients, seed=6)
    distance_m = np.linalg.norm(position_m, axis=1)
    angle = np.arctan2(position_m[:, 1], position_m[:, 0])
    columns = np.stack((distance_m, angle, cell.shadowings_db(num_clients, seed=6)))
    off_diagonal = np.corrcoef(columns)[np.triu_indices(3, k=1)]
    assert np.all(np.abs(off_diagonal) < 4 / np.sqrt(num_clients))


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"radius_m": 0.0}, r"^radius_m is 0.0; .* metres above 0$"),
        ({"radius_m": float("inf")}, r"^radius_m is inf; "),
        ({"minimum_distance_m": 0.0}, r"^minimum_distance_m is 0.0; .* metres above 0$"),
        ({"radius_m": 20.0}, r"^radius_m is 20.0; it must be above minimum_distance_m, .* 35$"),
        ({"shadowing_deviation_db": -1.0}, r"^shadowing_deviation_db is -1.0; .* dB, 0 or more$"),
    ],
)
def test_a_bad_cell_is_named(fields: dict[str, float], message: str) -> None:
    with pytest.raises(PipeflError, match=message):
        Cell(**fields)  # type: ignore[arg-type]  # mypy fears for `link`


def test_a_cell_needs_clients_and_a_seed() -> None:
    with pytest.raises(PipeflError, match=r"^num_clients is 0; "):
        Cell().mean_snr(0, 1e6)
    with pytest.raises(PipeflError, match=r"^seed is -1; "):
        Cell().positions_m(3, seed=-1)
