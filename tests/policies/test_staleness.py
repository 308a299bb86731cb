from itertools import islice

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipefl.errors import ArgumentError, PipeflError
from pipefl.policies.in_flight import arrivals, buffered
from pipefl.policies.scene import Scene
from pipefl.policies.staleness import mean_staleness, most_staleness
from pipefl.wireless import ChannelState, Uplink

Case = tuple[Scene, int, int]


@st.composite
def cases(draw: st.DrawFn, *, alike: bool = False) -> Case:
    """A scene, how many clients are in flight and a batch; `alike` has equal times."""
    each = st.floats(0.1, 9.0) | st.integers(1, 90).map(lambda tenths: tenths * 0.1)
    num_clients = draw(st.integers(1, 9))
    num_times = 1 if alike else num_clients
    compute_s, upload_s = (
        np.broadcast_to(draw(st.lists(each, min_size=num_times, max_size=num_times)), num_clients)
        for _ in range(2)
    )
    server_s = draw(st.sampled_from([0.0, 0.3, 5.0]))
    scene = Scene(compute_s, upload_s, draw(st.integers(1, 3)), server_s)
    return scene, draw(st.integers(1, num_clients)), draw(st.integers(1, 4))


def _staleness(case: Case, number: int = 120) -> list[int]:
    scene, in_flight, batch = case
    steps = islice(buffered(scene, in_flight, batch), number)
    return [int(late) for step in steps for late in step.staleness]


@given(cases())
def test_no_update_is_older_than_the_bound(case: Case) -> None:
    assert max(_staleness(case)) <= most_staleness(*case)


@given(cases(alike=True))
def test_among_equally_fast_clients_it_is_at_most_what_the_numbers_say(case: Case) -> None:
    _, in_flight, batch = case
    assert most_staleness(*case) == -(-(in_flight - 1) // batch)
    assert max(_staleness(case)) <= most_staleness(*case)


def test_the_bound_is_attained() -> None:
    # Client 0 is done every 2 s, client 1 every 7.5 s; from 7.5 to 15 s client 0 is at 8, 10,
    # 12 and 14 s.
    scene = Scene(np.array([1.0, 6.5]), np.array(1.0), num_channels=2)
    assert most_staleness(scene, 2) == 4
    assert max(_staleness((scene, 2, 1))) == 4


def test_the_bound_is_attained_by_slow_uploads_too() -> None:
    # As above, but client 1 computes for 1 s and uploads for 6.5 s, on a sub-channel of its own.
    scene = Scene(np.array([1.0, 1.0]), np.array([1.0, 6.5]), num_channels=2)
    assert most_staleness(scene, 2) == 4
    assert max(_staleness((scene, 2, 1))) == 4


def test_in_flight_alone_bounds_nothing_but_the_mean() -> None:
    scene = Scene(np.array([1.0, 101.0]), np.array(0.25))
    staleness = _staleness((scene, 2, 1), 5000)
    assert max(staleness) > 80
    assert np.mean(staleness) == pytest.approx(1.0, abs=0.03)


@given(cases(), st.integers(1, 40))
def test_the_mean_is_exact_but_for_who_is_still_out(case: Case, num_steps: int) -> None:
    scene, in_flight, batch = case
    # The uploads that a slot's present client was given, over all slots: those W + A labels
    # that were handed out, 0 for W clients and then 1 … A, less those that came back.
    num_uploads = num_steps * batch
    uploads = list(islice(arrivals(scene, in_flight), num_uploads))
    handed_out = [0] * in_flight + [number // batch for number in range(1, num_uploads + 1)]
    held = sum(handed_out) - sum(upload.label // batch for upload in uploads)
    assert sum(_staleness(case, num_steps)) == held - num_steps


@pytest.mark.parametrize("batch", [1, 3])
@pytest.mark.parametrize("server_s", [0.0, 2.0])
def test_the_mean_tends_to_in_flight_less_one_over_batch(batch: int, server_s: float) -> None:
    scene = Scene(np.linspace(1.0, 30.0, 60), np.array(0.5), 2, server_s)
    staleness = _staleness((scene, 20, batch), 12_000 // batch)
    assert np.mean(staleness) == pytest.approx(mean_staleness(20, batch), rel=0.005)


def test_bad_numbers_are_refused() -> None:
    scene = Scene(np.array([1.0, 2.0]), np.array(1.0))
    with pytest.raises(ArgumentError, match="in_flight is 0"):
        mean_staleness(0)
    with pytest.raises(ArgumentError, match="batch is 0"):
        mean_staleness(2, 0)
    with pytest.raises(ArgumentError, match="in_flight is 3; .* from 1 to 2"):
        most_staleness(scene, 3)
    channel = ChannelState(
        np.ones(2), Uplink(bandwidth_hz=1e6, num_channels=1, bits_per_s_per_hz=1.0)
    )
    fading = Scene(np.array([1.0, 2.0]), np.array(1.0), channel=channel, update_bits=1e6)
    with pytest.raises(PipeflError, match="staleness has no bound"):
        most_staleness(fading, 2)
