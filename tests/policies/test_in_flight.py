from itertools import islice

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2

from pipefl.devices.jitter import Jitter
from pipefl.errors import ArgumentError, PipeflError
from pipefl.policies.channel_queue import Upload
from pipefl.policies.in_flight import arrivals, buffered
from pipefl.policies.scene import Scene
from pipefl.wireless import ChannelState, Uplink

Case = tuple[Scene, int, int]


def _scene(
    compute_s: list[float],
    upload_s: float | list[float],
    num_channels: int = 1,
    server_s: float = 0,
) -> Scene:
    return Scene(np.array(compute_s), np.array(upload_s), num_channels, server_s)


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """A scene with ties, how many clients are in flight, and a seed."""
    each = st.integers(1, 16).map(lambda eighths: eighths / 8)
    num_clients = draw(st.integers(1, 12))
    compute_s = draw(st.lists(each, min_size=num_clients, max_size=num_clients))
    upload_s = draw(st.lists(each, min_size=num_clients, max_size=num_clients) | each)
    server_s = draw(st.sampled_from([0.0, 0.25, 3.0]))
    scene = _scene(compute_s, upload_s, draw(st.integers(1, 4)), server_s)
    return scene, draw(st.integers(1, num_clients)), draw(st.integers(0, 9))


def _uploads(case: Case, number: int = 80) -> list[Upload]:
    scene, in_flight, seed = case
    return list(islice(arrivals(scene, in_flight, seed), number))


def test_three_clients_on_one_sub_channel_by_hand() -> None:
    # All three are out, so each is followed by itself, whatever is drawn. At 5 s clients
    # 1 and 0 are both ready; client 1 was sent out first.
    uploads = _uploads((_scene([1.0, 2.0, 4.0], 1.0), 3, 0), 9)
    assert [
        (upload.client, upload.label, upload.ready_s, upload.start_s, upload.end_s)
        for upload in uploads
    ] == [
        (0, 0, 1.0, 1.0, 2.0),
        (1, 0, 2.0, 2.0, 3.0),
        (0, 1, 3.0, 3.0, 4.0),
        (2, 0, 4.0, 4.0, 5.0),
        (1, 2, 5.0, 5.0, 6.0),
        (0, 3, 5.0, 6.0, 7.0),
        (1, 5, 8.0, 8.0, 9.0),
        (0, 6, 8.0, 9.0, 10.0),
        (2, 4, 9.0, 10.0, 11.0),
    ]


def test_three_clients_on_two_sub_channels_with_a_slow_server_by_hand() -> None:
    scene = _scene([1.0, 1.5, 3.0], 2.0, num_channels=2, server_s=0.5)
    uploads = _uploads((scene, 3, 5), 8)
    assert [
        (upload.client, upload.label, upload.channel, upload.ready_s, upload.start_s)
        for upload in uploads
    ] == [
        (0, 0, 0, 1.0, 1.0),
        (1, 0, 1, 1.5, 1.5),
        (2, 0, 0, 3.0, 3.0),
        (0, 1, 1, 4.5, 4.5),
        (1, 2, 0, 5.5, 5.5),
        (0, 4, 1, 8.0, 8.0),
        (2, 3, 0, 8.5, 8.5),
        (1, 5, 1, 9.5, 10.0),
    ]


def test_steps_of_two_uploads_by_hand() -> None:
    scene = _scene([1.0, 1.5, 3.0], 2.0, num_channels=2, server_s=0.5)
    steps = list(islice(buffered(scene, 3, 2), 4))
    assert [step.client.tolist() for step in steps] == [[0, 1], [2, 0], [1, 0], [2, 1]]
    assert [step.version.tolist() for step in steps] == [[0, 0], [0, 0], [1, 2], [1, 2]]
    assert [step.staleness.tolist() for step in steps] == [[0, 0], [1, 1], [1, 0], [2, 1]]
    assert [(step.start_s, step.end_s) for step in steps] == [
        (0.0, 4.0),
        (4.0, 7.0),
        (7.0, 10.5),
        (10.5, 12.5),
    ]
    assert steps[1].upload_start_s.tolist() == [3.0, 4.5]
    assert steps[1].upload_end_s.tolist() == [5.0, 6.5]
    assert steps[1].channel.tolist() == [0, 1]
    # Uploads by label: 0 0, 0 1, 2 4, 3 5; out afterwards 0 1, 2 3 (4 is in step 2), 3 5, 6 7.
    assert [step.oldest_version for step in steps] == [0, 1, 1, 3]


@given(cases())
def test_uploads_end_in_order_begin_when_ready_and_last_as_long_as_they_should(case: Case) -> None:
    uploads = _uploads(case)
    assert [upload.end_s for upload in uploads] == sorted(upload.end_s for upload in uploads)
    for upload in uploads:
        assert upload.start_s >= upload.ready_s
        assert upload.end_s == upload.start_s + case[0].upload_time_s[upload.client]


@given(cases())
def test_no_two_uploads_overlap_on_a_sub_channel(case: Case) -> None:
    uploads = sorted(_uploads(case), key=lambda upload: upload.start_s)
    free_s = [0.0] * case[0].num_channels
    for upload in uploads:
        assert upload.start_s >= free_s[upload.channel]
        free_s[upload.channel] = upload.end_s


@given(cases())
def test_whoever_is_done_is_replaced_at_once_by_one_client_that_is_not_out(case: Case) -> None:
    scene, in_flight, _ = case
    uploads = _uploads(case)
    last = dict.fromkeys(range(scene.num_clients), 0)
    for number, upload in enumerate(uploads, start=1):
        given_s = uploads[upload.label - 1].end_s + scene.server_time_s if upload.label else 0.0
        assert upload.ready_s == given_s + scene.compute_time_s[upload.client]
        assert upload.label >= last[upload.client]
        last[upload.client] = number
    labels = [upload.label for upload in uploads]
    assert labels.count(0) <= in_flight
    assert all(labels.count(label) <= 1 for label in range(1, len(uploads)))


@given(cases())
def test_no_sub_channel_idles_while_a_client_waits(case: Case) -> None:
    uploads = _uploads(case)
    known_s = uploads[-1].end_s - case[0].upload_time_s.max()
    for waiting in uploads:
        if not waiting.ready_s < waiting.start_s <= known_s:
            continue
        busy_s = sum(
            max(0.0, min(other.end_s, waiting.start_s) - max(other.start_s, waiting.ready_s))
            for other in uploads
        )
        assert busy_s == case[0].num_channels * (waiting.start_s - waiting.ready_s)


@given(cases(), st.integers(1, 5))
def test_steps_take_all_uploads_in_order_with_models_that_existed(case: Case, batch: int) -> None:
    scene, in_flight, seed = case
    steps = list(islice(buffered(scene, in_flight, batch, seed), 15))
    uploads = _uploads(case, 15 * batch)
    assert [client for step in steps for client in step.client] == [u.client for u in uploads]
    ends_s = [step.end_s for step in steps]
    for step in steps:
        assert step.start_s == (ends_s[step.index - 1] if step.index else 0.0)
        assert step.end_s == step.upload_end_s.max() + scene.server_time_s
        assert step.staleness.min() >= 0
        given_s = step.upload_end_s - scene.upload_time_s[step.client]
        given_s -= scene.compute_time_s[step.client]
        newest_s = [ends_s[version - 1] if version else 0.0 for version in step.version]
        assert (newest_s <= given_s).all()


def test_it_is_a_pure_function_of_scene_and_seed() -> None:
    scene = _scene([float(time) for time in range(1, 31)], 1.0, num_channels=2)
    once = _uploads((scene, 8, 3), 3000)
    assert once == _uploads((scene, 8, 3), 3000)
    assert once[:100] == _uploads((scene, 8, 3), 100)
    assert once != _uploads((scene, 8, 4), 3000)


def test_equally_fast_clients_take_part_alike() -> None:
    scene = _scene([3.0] * 50, 1.0, num_channels=2)
    counts = np.bincount([u.client for u in _uploads((scene, 9, 1), 25_000)], minlength=50)
    assert _is_plausible(counts, np.full(50, 1 / 50))


def test_who_is_out_for_longer_takes_part_a_little_less() -> None:
    compute_s = np.linspace(1.0, 20.0, 40)
    scene = Scene(compute_s, np.array(0.5), num_channels=4)
    uploads = _uploads((scene, 10, 1), 40_000)
    counts = np.bincount([u.client for u in uploads], minlength=40)
    out_s = np.array([u.end_s - u.ready_s for u in uploads]).mean() + compute_s
    # M − W failed draws on average between two turns, one draw at each upload.
    idle_s = (40 - 10) * uploads[-1].end_s / len(uploads)
    share = 1 / (idle_s + out_s)
    assert _is_plausible(counts, share / share.sum())
    assert not _is_plausible(counts, np.full(40, 1 / 40))


def test_jitter_changes_times_but_not_the_mean() -> None:
    scene = _scene([4.0] * 30, 0.01, num_channels=30)
    steady, varying = (
        list(islice(arrivals(scene, 15, 0, jitter), 20_000)) for jitter in (None, Jitter(0.4))
    )
    assert [upload.client for upload in steady[:15]] != [upload.client for upload in varying[:15]]
    assert steady[-1].end_s == pytest.approx(4.01 * 20_000 / 15, rel=0.001)
    assert varying[-1].end_s == pytest.approx(4.01 * 20_000 / 15, rel=0.02)


def test_uploads_follow_the_channel_and_who_has_none_computes_in_vain() -> None:
    uplink = Uplink(bandwidth_hz=2e6, num_channels=2, bits_per_s_per_hz=1.0)
    channel = ChannelState(np.array([1e6, 1e-6, 1e6]), uplink, seed=1)
    scene = Scene(
        np.array([1.0, 2.0, 4.0]), np.array(9.0), num_channels=2, channel=channel, update_bits=3e6
    )
    steps = list(islice(buffered(scene, 3, 1), 6))
    assert [(step.client.tolist(), step.end_s) for step in steps] == [
        ([0], 4.0),
        ([2], 7.0),
        ([0], 8.0),
        ([0], 12.0),
        ([2], 14.0),
        ([0], 16.0),
    ]
    # Client 1 is ready every 2 s, and never heard; when an upload ends then, that comes first.
    assert [step.missed.tolist() for step in steps] == [[1], [1, 1], [], [1, 1], [1], [1]]


def test_a_scene_in_which_nobody_has_a_channel_is_refused() -> None:
    uplink = Uplink(bandwidth_hz=1e6, num_channels=1, bits_per_s_per_hz=1.0)
    channel = ChannelState(np.full(2, 1e-9), uplink)
    scene = Scene(np.array([1.0, 2.0]), np.array(1.0), channel=channel, update_bits=1e6)
    with pytest.raises(PipeflError, match="nobody is in reach"):
        next(buffered(scene, 1, 1))


@pytest.mark.parametrize("in_flight", [0, 4, 2.0])
def test_a_number_in_flight_that_cannot_be_is_refused_at_once(in_flight: int) -> None:
    with pytest.raises(ArgumentError, match=r"in_flight is .*from 1 to 3"):
        arrivals(_scene([1.0, 2.0, 4.0], 1.0), in_flight)


def _is_plausible(counts: np.ndarray, share: np.ndarray) -> bool:
    expected = counts.sum() * share
    statistic = float(((counts - expected) ** 2 / expected).sum())
    return bool(chi2.sf(statistic, counts.size - 1) > 1e-4)
