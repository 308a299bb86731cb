import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipefl.errors import ArgumentError
from pipefl.policies.closed_network import forecast_load, most_utilisation
from pipefl.policies.measured_load import measure_load
from pipefl.policies.scene import Scene
from pipefl.wireless import ChannelState, Uplink

MANY = 5000
QUANTILES = (np.arange(MANY) + 0.5) / MANY


def _alike(compute_s: float, upload_s: float, num_channels: int = 1, server_s: float = 0) -> Scene:
    return Scene(np.full(200, compute_s), np.array(upload_s), num_channels, server_s)


def _product_form(in_flight: int, num_channels: int, upload_per_compute: float) -> float:
    """The utilisation if uploads were exponential: Gordon and Newell."""
    log = [0.0]
    for n in range(1, in_flight + 1):
        step = (in_flight - n + 1) * upload_per_compute / min(n, num_channels)
        log.append(log[-1] + math.log(step))
    share = np.exp(np.array(log) - max(log))
    busy = np.minimum(np.arange(in_flight + 1), num_channels)
    return float(share @ busy / share.sum() / num_channels)


def test_the_chain_for_two_clients_by_hand() -> None:
    # τ = 2, S = 1: p = 1/2, q = 0. From 0 waiting or uploading to 0, 1, 2 with 1/4, 1/2, 1/4;
    # from 1 to 0, 1 with 1/2 each; from 2 to 1. So the shares are 4/11, 6/11 and 1/11.
    load = forecast_load(_alike(2.0, 1.0), 2)
    assert load.utilisation == pytest.approx(7 / 11, rel=1e-4)
    assert load.clients_per_s == pytest.approx(7 / 11, rel=1e-4)
    assert load.wait_s == pytest.approx(22 / 7 - 3, rel=1e-3)


@given(st.floats(0.1, 9.0), st.floats(0.1, 9.0), st.sampled_from([0.0, 1.0]), st.integers(1, 4))
def test_as_many_clients_as_sub_channels_never_wait(
    compute_s: float, upload_s: float, server_s: float, num_channels: int
) -> None:
    scene = _alike(compute_s, upload_s, num_channels, server_s)
    load = forecast_load(scene, num_channels)
    assert load.utilisation == pytest.approx(most_utilisation(scene, num_channels))
    assert load.utilisation == pytest.approx(upload_s / (compute_s + server_s + upload_s))
    assert load.wait_s == pytest.approx(0.0, abs=1e-6 * (compute_s + upload_s))


@settings(max_examples=50)
@given(
    st.lists(st.floats(0.5, 9.0), min_size=20, max_size=40),
    st.floats(0.1, 9.0),
    st.integers(1, 4),
    st.integers(1, 20),
)
def test_it_keeps_littles_law_and_lies_below_the_bound(
    compute_s: list[float], upload_s: float, num_channels: int, in_flight: int
) -> None:
    few = Scene(np.array(compute_s), np.array(upload_s), num_channels)
    many = Scene(np.repeat(compute_s, 500), np.array(upload_s), num_channels)
    for scene in (few, many):
        load = forecast_load(scene, in_flight)
        assert load.in_flight == in_flight
        assert load.clients_per_s == pytest.approx(load.utilisation * num_channels / upload_s)
        assert 0 < load.utilisation <= 1 + 1e-9
    assert load.utilisation <= most_utilisation(many, in_flight) * 1.005
    cycle_s = np.mean(compute_s) + upload_s + load.wait_s
    assert load.clients_per_s == pytest.approx(in_flight / cycle_s, rel=5e-3)


def test_utilisation_grows_with_the_clients_in_flight() -> None:
    scene = Scene(0.2 + 2 * QUANTILES, np.array(0.3), num_channels=3)
    loads = [forecast_load(scene, in_flight).utilisation for in_flight in range(1, 120)]
    assert (np.diff(loads) >= -1e-9).all()
    assert loads[-1] == pytest.approx(1.0)


@pytest.mark.parametrize("num_channels", [1, 2, 4, 8])
@pytest.mark.parametrize("upload_s", [0.05, 0.3, 1.0, 2.0])
def test_it_lies_between_exponential_uploads_and_no_waiting(
    num_channels: int, upload_s: float
) -> None:
    scene = Scene(0.25 + 1.5 * QUANTILES, np.array(upload_s), num_channels)
    for share in (0.5, 1.0, 1.5):
        in_flight = math.ceil(share * num_channels * (1 + 1 / upload_s))
        forecast = forecast_load(scene, in_flight).utilisation
        assert forecast >= _product_form(in_flight, num_channels, upload_s) * 0.995
        assert forecast <= most_utilisation(scene, in_flight) * 1.005


@pytest.mark.parametrize(
    ("compute_s", "tolerance"),
    [
        (0.25 + 1.5 * QUANTILES, 0.03),
        (-np.log1p(-QUANTILES), 0.02),
        (0.9 + 0.2 * QUANTILES, 0.12),
    ],
)
@pytest.mark.parametrize(("num_channels", "upload_s"), [(1, 0.2), (2, 2.0), (4, 0.5), (8, 0.1)])
def test_it_is_as_close_to_the_simulation_as_it_says(
    compute_s: np.ndarray, tolerance: float, num_channels: int, upload_s: float
) -> None:
    scene = Scene(compute_s, np.array(upload_s), num_channels)
    in_flight = round(num_channels * (1 + 1 / upload_s))
    forecast, measured = forecast_load(scene, in_flight), measure_load(scene, in_flight)
    assert forecast.utilisation == pytest.approx(measured.utilisation, rel=tolerance)


def test_when_all_clients_are_out_each_goes_round_at_its_own_pace() -> None:
    compute_s = np.array([1.0, 3.0, 9.0])
    load = forecast_load(Scene(compute_s, np.array(1.0), num_channels=3), 3)
    assert load.clients_per_s == pytest.approx((1 / (compute_s + 1.0)).sum(), rel=1e-4)


def test_far_too_many_clients_keep_all_sub_channels_busy() -> None:
    load = forecast_load(_alike(1.0, 0.5, num_channels=4), 200)
    assert load.utilisation == 1.0
    assert load.clients_per_s == pytest.approx(8.0)
    assert load.wait_s == pytest.approx(200 / 8 - 1.5)


def test_with_a_channel_it_goes_by_the_first_round_of_those_in_reach() -> None:
    uplink = Uplink(bandwidth_hz=2e6, num_channels=2, bits_per_s_per_hz=1.0)
    channel = ChannelState(np.array([1e6, 1e-6, 1e6]), uplink)
    scene = Scene(np.full(3, 3.0), np.array(9.0), num_channels=2, channel=channel, update_bits=1e6)
    assert most_utilisation(scene, 2) == pytest.approx(1 / 4)
    assert forecast_load(scene, 2).utilisation == pytest.approx(1 / 4)


def test_more_in_flight_than_there_are_clients_are_refused() -> None:
    with pytest.raises(ArgumentError, match="in_flight is 201; .* from 1 to 200"):
        forecast_load(_alike(1.0, 1.0), 201)
