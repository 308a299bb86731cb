import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipefl.errors import PipeflError
from pipefl.policies.channel_queue import ChannelQueue, Upload, refuse_silence
from pipefl.timeline.queue import serve

GRIDDED_S = st.integers(1, 8).map(lambda eighths: eighths / 8)


def _all_sent(
    cycles_s: list[tuple[float, float]], num_channels: int, rounds: int
) -> tuple[list[tuple[float, float]], list[Upload], list[int]]:
    """Every client goes round and round; what was sent when, and what came of it."""
    queue = ChannelQueue(num_channels)
    sent: list[tuple[float, float]] = []
    order: list[int] = []

    def send(client: int, now_s: float) -> None:
        compute_s, upload_s = cycles_s[client]
        queue.send_out(client, now_s + compute_s, upload_s, label=len(sent))
        sent.append((now_s + compute_s, upload_s))

    for client in range(len(cycles_s)):
        send(client, 0.0)
    done = []
    for _ in range(rounds):
        done.append(queue.next_upload())
        order.append(done[-1].label)
        send(done[-1].client, done[-1].end_s)
    return sent, done, order


@given(
    st.lists(st.tuples(GRIDDED_S, GRIDDED_S), min_size=1, max_size=9),
    st.integers(1, 4),
    st.integers(1, 60),
)
def test_clients_are_served_as_if_all_had_been_known_beforehand(
    cycles_s: list[tuple[float, float]], num_channels: int, rounds: int
) -> None:
    sent, done, order = _all_sent(cycles_s, num_channels, rounds)
    start_s, end_s, channel = serve(
        [ready_s for ready_s, _ in sent], [upload_s for _, upload_s in sent], num_channels
    )
    for upload in done:
        known = start_s[upload.label], end_s[upload.label], channel[upload.label]
        assert (upload.start_s, upload.end_s, upload.channel) == known
    assert [upload.end_s for upload in done] == sorted(upload.end_s for upload in done)
    assert len(set(order)) == len(order)


def test_of_several_free_sub_channels_it_is_the_one_that_was_free_first() -> None:
    queue = ChannelQueue(num_channels=3)
    for client, (ready_s, upload_s) in enumerate([(1, 3), (1, 1), (1, 2), (5, 1), (5, 1), (5, 1)]):
        queue.send_out(client, ready_s, upload_s)
    uploads = sorted(queue.next_upload() for _ in range(6))
    # Sub-channels 0, 1 and 2 are free from 4, 2 and 3 s on.
    assert [upload.channel for upload in uploads] == [0, 1, 2, 1, 2, 0]


def test_a_client_without_a_channel_is_done_when_it_is_ready_and_keeps_nobody_waiting() -> None:
    queue = ChannelQueue(num_channels=1)
    queue.send_out(7, 1.0, math.inf)
    queue.send_out(8, 1.0, 2.0)
    assert queue.next_upload() == Upload(7, 0, -1, 1.0, 1.0, 1.0)
    assert queue.next_upload() == Upload(8, 0, 0, 1.0, 1.0, 3.0)


def test_with_nobody_out_there_is_no_next_upload() -> None:
    with pytest.raises(IndexError):
        ChannelQueue(num_channels=2).next_upload()


def test_silence_is_refused_when_it_lasts() -> None:
    refuse_silence(9, most=10)
    with pytest.raises(PipeflError, match="10 clients in a row had no channel"):
        refuse_silence(10, most=10)
