"""N sub-channels, first come, first served, for clients that are sent out as time goes on."""

from collections.abc import Iterable
from heapq import heapify, heappop, heappush
from math import inf, isinf
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pipefl.errors import PipeflError
from pipefl.policies.step import Step
from pipefl.timeline.round import NO_CHANNEL


class Upload(NamedTuple):
    """Client `client` computed until `ready_s` and held `channel` from `start_s` to `end_s`.

    `label` is what the sender noted when it sent the client out. A client that cannot
    upload has sub-channel −1, and all its times are the one at which it was ready.
    """

    client: int
    label: int
    channel: int
    ready_s: float
    start_s: float
    end_s: float

    @property
    def delivered(self) -> bool:
        """Whether there was an upload at all."""
        return self.channel != NO_CHANNEL


class ChannelQueue:
    r"""The clients that are out: computing, waiting for a sub-channel, uploading.

    `pipefl.timeline.queue.serve` serves clients that are all known beforehand; here who
    comes next may depend on who came last. The rule is the same: in the order in which
    they are ready, of equal ones in the order in which they were sent out, each client takes
    the sub-channel that is free first, of several the lowest:

    .. math:: \text{start}_i = \max(\text{ready}_i,\ \min_c \text{free}_c), \qquad
        \text{free}_c \leftarrow \text{start}_i + \text{upload}_i

    A sub-channel can be given away as soon as no client can come between, which is when
    the next one is ready no later than the next upload ends: whoever is sent out after
    that is ready later. O(log W) an upload, with W clients out.

    >>> queue = ChannelQueue(num_channels=1)
    >>> for client, ready_s in enumerate((1.0, 1.5)):
    ...     queue.send_out(client, ready_s, upload_s=2.0)
    >>> queue.next_upload().end_s, queue.next_upload().end_s
    (3.0, 5.0)
    """

    def __init__(self, num_channels: int) -> None:
        self._computing: list[tuple[float, int, int, float, int]] = []
        self._uploading: list[tuple[float, int, Upload]] = []
        self._free = [(0.0, channel) for channel in range(num_channels)]
        heapify(self._free)
        self._num_sent = 0
        self._num_served = 0

    def send_out(self, client: int, ready_s: float, upload_s: float, label: int = 0) -> None:
        """A client begins to compute; it is ready no earlier than the last upload ended.

        With an upload of ∞ it will not take a sub-channel, but be done when it is ready.
        """
        heappush(self._computing, (ready_s, self._num_sent, client, upload_s, label))
        self._num_sent += 1

    def next_upload(self) -> Upload:
        """The upload that ends next, of equal ones the one that began first.

        With nobody out there is none: IndexError.
        """
        upload = self.next_upload_by(inf)
        if upload is None:
            raise IndexError("nobody is out")
        return upload

    def next_upload_by(self, until_s: float) -> Upload | None:
        """The upload that ends next if it does so by then; a client may be sent out then."""
        computing, uploading = self._computing, self._uploading
        while computing and computing[0][0] <= (
            min(until_s, uploading[0][0]) if uploading else until_s
        ):
            ready_s, _, client, upload_s, label = heappop(computing)
            if isinf(upload_s):
                upload = Upload(client, label, NO_CHANNEL, ready_s, ready_s, ready_s)
            else:
                free_s, channel = heappop(self._free)
                start_s = ready_s if ready_s > free_s else free_s
                upload = Upload(client, label, channel, ready_s, start_s, start_s + upload_s)
                heappush(self._free, (upload.end_s, channel))
            heappush(uploading, (upload.end_s, self._num_served, upload))
            self._num_served += 1
        if not uploading or uploading[0][0] > until_s:
            return None
        return heappop(uploading)[2]


def step_of(
    uploads: Iterable[Upload],
    version: NDArray[np.int64],
    missed: list[int],
    *,
    index: int,
    start_s: float,
    server_time_s: float,
    oldest_version: int,
) -> Step:
    """The server's step with these uploads, in the order in which they ended."""
    client, _, channel, _, upload_start_s, upload_end_s = zip(*uploads, strict=True)
    return Step(
        index=index,
        start_s=start_s,
        end_s=upload_end_s[-1] + server_time_s,
        client=np.array(client, dtype=np.intp),
        version=version,
        channel=np.array(channel, dtype=np.intp),
        upload_start_s=np.array(upload_start_s),
        upload_end_s=np.array(upload_end_s),
        missed=np.array(missed, dtype=np.intp),
        oldest_version=oldest_version,
    )


def refuse_silence(num_in_vain: int, most: int) -> None:
    """Complain when so many clients in a row had no channel that it would go on for ever."""
    if num_in_vain >= most:
        raise PipeflError(
            f"{num_in_vain:,} clients in a row had no channel to upload on: nobody is in reach"
        )
