from itertools import islice

import numpy as np
import pytest

from pipefl.devices.jitter import Jitter
from pipefl.policies.in_flight import arrivals
from pipefl.policies.measured_load import measure_load
from pipefl.policies.scene import Scene
from pipefl.wireless import ChannelState, Uplink

SPREAD = Scene(np.linspace(2.0, 14.0, 300), np.array(0.5), num_channels=2)


@pytest.mark.parametrize(
    ("in_flight", "utilisation", "wait_s"), [(2, 0.25, 0.0), (6, 0.75, 0.0), (12, 1.0, 4.0)]
)
def test_equally_fast_clients_fall_into_step(
    in_flight: int, utilisation: float, wait_s: float
) -> None:
    scene = Scene(np.full(30, 5.5), np.array(2.0), num_channels=2, server_time_s=0.5)
    load = measure_load(scene, in_flight)
    assert load.utilisation == pytest.approx(utilisation, rel=1e-3)
    assert load.clients_per_s == pytest.approx(utilisation, rel=1e-3)
    assert load.wait_s == pytest.approx(wait_s)


def test_it_is_what_a_long_simulation_shows() -> None:
    uploads = list(islice(arrivals(SPREAD, 32, seed=9), 100_000))[1000:]
    duration_s = uploads[-1].end_s - uploads[0].end_s
    load = measure_load(SPREAD, 32)
    assert load.clients_per_s == pytest.approx(len(uploads) / duration_s, rel=0.01)
    assert load.utilisation == pytest.approx(len(uploads) / duration_s * 0.25, rel=0.01)
    waits_s = np.mean([upload.start_s - upload.ready_s for upload in uploads])
    assert load.wait_s == pytest.approx(waits_s, rel=0.1)


def test_its_error_is_about_how_far_seeds_are_apart() -> None:
    loads = [measure_load(SPREAD, 20, seed=seed, precision=1.0) for seed in range(12)]
    rates = np.array([load.clients_per_s for load in loads])
    stated = np.mean([load.relative_error for load in loads])
    assert 0.4 < rates.std(ddof=1) / rates.mean() / stated < 2.5


def test_it_goes_on_until_it_is_precise_enough() -> None:
    rough, fine = (measure_load(SPREAD, 20, precision=precision) for precision in (1.0, 0.003))
    assert rough.relative_error > 0.003 >= fine.relative_error


def test_unequal_uploads_count_with_their_length() -> None:
    compute_s = np.full(40, 4.0)
    scene = Scene(compute_s, np.repeat([0.5, 1.5], 20), num_channels=3)
    load = measure_load(scene, 3)
    assert load.utilisation == pytest.approx(1 / 5, rel=0.01)
    assert load.clients_per_s == pytest.approx(3 / 5, rel=0.01)


def test_jitter_costs_utilisation_where_clients_would_be_in_step() -> None:
    scene = Scene(np.full(60, 5.0), np.array(1.0), num_channels=2)
    steady, varying = (measure_load(scene, 12, jitter=jitter) for jitter in (None, Jitter(0.5)))
    assert steady.utilisation == pytest.approx(1.0, rel=1e-3)
    assert varying.utilisation < 0.95


def test_who_has_no_channel_is_not_counted() -> None:
    uplink = Uplink(bandwidth_hz=2e6, num_channels=2, bits_per_s_per_hz=1.0)
    channel = ChannelState(np.array([1e6, 1e-6]), uplink)
    scene = Scene(np.full(2, 3.0), np.array(9.0), num_channels=2, channel=channel, update_bits=1e6)
    load = measure_load(scene, 2)
    assert load.clients_per_s == pytest.approx(1 / 4, rel=1e-3)
    assert load.utilisation == pytest.approx(1 / 8, rel=1e-3)


def test_it_is_a_pure_function_of_its_arguments() -> None:
    assert measure_load(SPREAD, 9, seed=2) == measure_load(SPREAD, 9, seed=2)
    assert measure_load(SPREAD, 9, seed=2) != measure_load(SPREAD, 9, seed=3)
