import math
from itertools import islice

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipefl.devices.jitter import Jitter
from pipefl.errors import ArgumentError, PipeflError
from pipefl.policies.in_flight import arrivals
from pipefl.policies.measured_load import measure_load
from pipefl.policies.plan_rolling import _fewest_near, plan_rolling
from pipefl.policies.scene import Scene

MANY = 4000
QUANTILES = (np.arange(MANY) + 0.5) / MANY
RANDOM = np.random.default_rng(1)
COMPUTE_S = {
    "narrow": 0.9 + 0.2 * QUANTILES,
    "uniform": 0.25 + 1.5 * QUANTILES,
    "log-normal 0.5": RANDOM.lognormal(0.0, 0.5, MANY),
    "log-normal 1": RANDOM.lognormal(0.0, 1.0, MANY),
}
REGIMES = [(1, 0.05), (1, 1.0), (2, 0.3), (4, 0.1), (8, 2.0)]


def _simulated(scene: Scene, in_flight: int) -> tuple[float, float, float]:
    """Utilisation, clients a second and staleness, without the beginning."""
    uploads = list(islice(arrivals(scene, in_flight, seed=77), 20 * in_flight + 80_000))
    first = 20 * in_flight
    duration_s = uploads[-1].end_s - uploads[first].end_s
    busy_s = sum(upload.end_s - upload.start_s for upload in uploads[first + 1 :])
    number = len(uploads) - first - 1
    stale = sum(index - upload.label for index, upload in enumerate(uploads)) / len(uploads)
    return busy_s / (scene.num_channels * duration_s), number / duration_s, stale


@pytest.mark.parametrize(("num_channels", "upload_s"), REGIMES)
@pytest.mark.parametrize("kind", COMPUTE_S)
def test_the_plan_is_within_two_percent_of_a_longer_simulation(
    kind: str, num_channels: int, upload_s: float
) -> None:
    scene = Scene(COMPUTE_S[kind], np.array(upload_s), num_channels, server_time_s=0.05)
    plan = plan_rolling(scene)
    utilisation, clients_per_s, staleness = _simulated(scene, plan.in_flight)
    assert plan.utilisation >= 0.95 - 1e-9
    assert plan.utilisation == pytest.approx(utilisation, rel=0.02)
    assert plan.clients_per_s == pytest.approx(clients_per_s, rel=0.02)
    assert plan.expected_staleness == plan.in_flight - 1
    assert plan.expected_staleness == pytest.approx(staleness, rel=0.005)


@pytest.mark.parametrize(("num_channels", "upload_s"), [(1, 0.5), (4, 0.2)])
@pytest.mark.parametrize("share", [1, 3])
@pytest.mark.parametrize("kind", COMPUTE_S)
def test_loads_are_within_two_percent_for_any_number_in_flight(
    kind: str, share: int, num_channels: int, upload_s: float
) -> None:
    scene = Scene(COMPUTE_S[kind], np.array(upload_s), num_channels)
    in_flight = max(1, round(share * num_channels * (1 + 1 / upload_s) / 2))
    load = measure_load(scene, in_flight)
    utilisation, clients_per_s, _ = _simulated(scene, in_flight)
    assert load.utilisation == pytest.approx(utilisation, rel=0.02)
    assert load.clients_per_s == pytest.approx(clients_per_s, rel=0.02)


@pytest.mark.parametrize("wish", [0.3, 0.8, 0.99])
def test_no_smaller_number_reaches_the_wish(wish: float) -> None:
    scene = Scene(np.linspace(1.0, 5.0, 60), np.array(0.5), num_channels=2, server_time_s=0.25)
    plan = plan_rolling(scene, utilisation=wish)
    loads = [measure_load(scene, in_flight) for in_flight in range(1, plan.in_flight + 1)]
    assert [load.utilisation >= wish for load in loads] == [False] * (len(loads) - 1) + [True]
    assert plan.expected_wait_s == loads[-1].wait_s


@given(st.integers(1, 200), st.integers(1, 200), st.integers(1, 200))
def test_the_search_finds_the_smallest_from_any_guess(least: int, guess: int, most: int) -> None:
    guess = min(guess, most)
    found = _fewest_near(lambda in_flight: in_flight >= least, guess, most)
    assert found == min(least, most)


def test_equally_fast_clients_need_none_to_spare() -> None:
    # A client goes round in 7.5 + 0.5 + 2 s and uploads for 2 of them.
    plan = plan_rolling(np.full(50, 7.5), 2.0, num_channels=3, server_time_s=0.5, utilisation=0.9)
    assert plan.in_flight == 14
    assert plan.utilisation == pytest.approx(14 / 15, rel=1e-3)
    assert plan.expected_wait_s == pytest.approx(0.0, abs=1e-9)
    assert plan.reason == (
        "14 clients in flight keep 3 sub-channels busy 93.3 % of the time (standard error 0.1 %), "
        "13 only 86.7 %. If no upload ever had to wait, 14 would do."
    )


def test_a_scene_and_its_numbers_have_the_same_plan() -> None:
    compute_s = np.linspace(1.0, 5.0, 60)
    scene = Scene(compute_s, np.array(0.5), num_channels=2, server_time_s=0.25)
    assert plan_rolling(scene) == plan_rolling(
        compute_s, 0.5, num_channels=2, server_time_s=0.25, utilisation=0.95
    )
    assert plan_rolling(compute_s, 0.5) == plan_rolling(Scene(compute_s, np.array(0.5)))


def test_a_batch_divides_the_staleness_and_changes_nothing_else() -> None:
    compute_s = np.linspace(1.0, 5.0, 60)
    single, fours = plan_rolling(compute_s, 0.5), plan_rolling(compute_s, 0.5, batch=4)
    assert fours.expected_staleness == single.expected_staleness / 4
    assert fours.in_flight == single.in_flight
    assert fours.batch == 4


def test_jitter_takes_more_clients() -> None:
    compute_s = np.full(80, 5.0)
    steady, varying = (plan_rolling(compute_s, 0.5, jitter=jitter) for jitter in (None, Jitter(1)))
    assert steady.in_flight == 11
    assert varying.in_flight > 11


def test_one_client_may_do() -> None:
    plan = plan_rolling([1.0, 1.0, 1.0], 9.0, utilisation=0.8)
    assert plan.in_flight == 1
    assert plan.expected_staleness == 0.0
    assert plan.reason.startswith("1 client in flight keeps 1 sub-channel busy 90.0 %")


def test_a_wish_that_all_clients_together_do_not_reach_is_refused() -> None:
    with pytest.raises(PipeflError, match="with 3 clients in flight, all there are, it is 30.0 %"):
        plan_rolling([4.0, 4.0, 4.0], 1.0, num_channels=2)


@pytest.mark.parametrize("wish", [0.0, 1.0, -1.0, math.nan, math.inf, "much"])
def test_a_utilisation_that_is_no_share_is_refused(wish: float) -> None:
    with pytest.raises(ArgumentError, match="utilisation is .*; it must be above 0 and below 1"):
        plan_rolling([1.0, 2.0], 1.0, utilisation=wish)


def test_arguments_that_do_not_fit_together_are_refused() -> None:
    scene = Scene(np.array([1.0, 2.0]), np.array(1.0))
    with pytest.raises(ArgumentError, match="num_channels is 2; the scene says it already"):
        plan_rolling(scene, num_channels=2)
    with pytest.raises(PipeflError, match="upload_time_s is missing"):
        plan_rolling([1.0, 2.0])
    with pytest.raises(ArgumentError, match="upload_time_s is .*one for each of the 2 clients"):
        plan_rolling([1.0, 2.0], [1.0, 2.0, 3.0])
    with pytest.raises(
        ArgumentError, match="batch is 9; a step can wait for no more than 2 clients"
    ):
        plan_rolling([1.0] * 20, 1.0, batch=9)
