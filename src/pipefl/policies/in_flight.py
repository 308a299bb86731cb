"""A fixed number of clients that are always out: the clock of every policy without rounds."""

from collections import OrderedDict
from collections.abc import Iterator
from itertools import count as numbers
from math import inf, isinf

import numpy as np

from pipefl.checks import count
from pipefl.devices.jitter import Jitter
from pipefl.policies.channel_queue import ChannelQueue, Upload, refuse_silence, step_of
from pipefl.policies.idle_clients import IdleClients
from pipefl.policies.scene import Scene
from pipefl.policies.step import Step
from pipefl.randomness import generator

_BLOCK = 1024  # draws that share a generator, which costs far more to set up than to use
_MOST_IN_VAIN = 10_000  # for each client in flight


def arrivals(
    scene: Scene, in_flight: int, seed: int = 0, jitter: Jitter | None = None
) -> Iterator[Upload]:
    r"""The uploads in the order in which they end, for ever, with W clients always out.

    At time 0 W clients are given model 0. Whenever an upload ends, at time e, a client is
    drawn at once, uniformly from the M − W + 1 that are not out, the one that has just
    finished among them. It has the newest model at e + τ_server and is ready at

    .. math:: \text{ready} = e + \tau_\text{server} + \tau_m

    τ_server, for aggregation and broadcast, is a delay between an upload and the next
    client's start. It holds no sub-channel, and answers to different uploads overlap: the
    server is never what all wait for. An upload's `label` says how many uploads the
    server had received when the client was drawn, all of which are in the model that it
    is given.

    The n-th client sent out, from 0, is drawn, and its jitter too, with a number that
    depends on seed and n alone. Policies with the same W have the same clock: comparisons
    between them are free of chance. In a scene with `update_bits` its upload is as in
    round ⌊n / W⌋; a client without a channel then computes in vain, is replaced when it is
    ready, and is yielded as an upload that was not delivered.

    With `availability` a client is drawn from those that can be reached at that moment. If
    there is none, the place stays empty until somebody can be; who is drawn then has the
    newest model at once, or as soon as the server has it. If nobody can be ever again, the
    uploads come to an end.

    O(log W) an upload after O(M), with `availability` O(M log I) for I intervals a client.
    """
    count("in_flight", in_flight, maximum=scene.num_clients)
    return (upload for upload, _ in _endless(scene, in_flight, seed, jitter))


def buffered(
    scene: Scene, in_flight: int, batch: int, seed: int = 0, jitter: Jitter | None = None
) -> Iterator[Step]:
    r"""A server's step at every b-th of the uploads of `arrivals`.

    .. math:: \text{index} = \lfloor a / b \rfloor, \qquad
        \text{version} = \lfloor g / b \rfloor

    for the a-th upload, from 0, of a client that was drawn after g uploads. The step ends
    τ_server after its last upload. `oldest_version` comes by the same formula from the g of
    the client that has been out longest. Uploads that do not make up a batch before all come
    to an end are in no step.
    """
    count("in_flight", in_flight, maximum=scene.num_clients)
    uploads = _endless(scene, in_flight, seed, jitter)
    return _in_batches(uploads, batch, scene.server_time_s)


def _in_batches(
    uploads: Iterator[tuple[Upload, int]], batch: int, server_time_s: float
) -> Iterator[Step]:
    start_s = 0.0
    taken: list[Upload] = []
    missed: list[int] = []
    index = 0
    for upload, oldest_label in uploads:
        if not upload.delivered:
            missed.append(upload.client)
            continue
        taken.append(upload)
        if len(taken) < batch:
            continue
        version = np.array([each.label for each in taken], dtype=np.int64) // batch
        step = step_of(
            taken,
            version,
            missed,
            index=index,
            start_s=start_s,
            server_time_s=server_time_s,
            oldest_version=oldest_label // batch,
        )
        yield step
        index, start_s = index + 1, step.end_s
        taken, missed = [], []


def _endless(
    scene: Scene, in_flight: int, seed: int, jitter: Jitter | None
) -> Iterator[tuple[Upload, int]]:
    """Every upload, and the label of the client that has been out longest when it ends."""
    compute_time_s: list[float] = scene.compute_time_s.tolist()
    queue = ChannelQueue(scene.num_channels)
    idle = IdleClients(scene, _places(seed))
    factor = _factors(seed, jitter)
    upload_time_s = _upload_times(scene, in_flight)
    label_of: OrderedDict[int, int] = OrderedDict()  # who is out, in the order of being sent
    num_vacant = in_flight
    now_s = model_s = 0.0
    num_received = num_in_vain = 0
    while True:
        while num_vacant and (client := idle.draw(now_s)) is not None:
            ready_s = max(now_s, model_s) + compute_time_s[client] * next(factor)
            queue.send_out(client, ready_s, next(upload_time_s)[client], num_received)
            label_of[client] = num_received
            num_vacant -= 1
        wake_s = idle.first_available_s(now_s) if num_vacant else inf
        upload = queue.next_upload_by(wake_s)
        if upload is None and isinf(wake_s):
            return
        if upload is None:
            now_s = wake_s
            continue
        idle.take_back(upload.client)
        del label_of[upload.client]
        num_vacant += 1
        now_s, model_s = upload.end_s, upload.end_s + scene.server_time_s
        if upload.delivered:
            num_received, num_in_vain = num_received + 1, 0
        else:
            num_in_vain += 1
            refuse_silence(num_in_vain, _MOST_IN_VAIN * in_flight)
        yield upload, next(iter(label_of.values()), num_received)


def _places(seed: int) -> Iterator[float]:
    """For each client sent out a number in [0, 1) that selects it among the idle."""
    for block in numbers():
        yield from generator(seed, "rolling", block).random(_BLOCK).tolist()


def _factors(seed: int, jitter: Jitter | None) -> Iterator[float]:
    """For each client sent out what its compute time is multiplied with."""
    if jitter is None:
        while True:
            yield 1.0
    for block in numbers():
        rng = generator(seed, "rolling jitter", block)
        yield from jitter.factors(rng, _BLOCK).tolist()


def _upload_times(scene: Scene, in_flight: int) -> Iterator[list[float]]:
    """For each client sent out the upload times of all clients at that time."""
    if scene.update_bits is None:
        upload_time_s: list[float] = scene.upload_time_s.tolist()
        while True:
            yield upload_time_s
    for round_index in numbers():
        upload_time_s = scene.round_upload_time_s(round_index).tolist()
        for _ in range(in_flight):
            yield upload_time_s
