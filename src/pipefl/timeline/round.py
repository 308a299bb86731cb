"""What happened in one round."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import polars

NO_CHANNEL = -1


@dataclass(frozen=True, eq=False)
class Round:
    """A round of n scheduled clients over N sub-channels, in seconds from its start.

    Client `client[i]` of cluster `cluster[i]` (−1 without a plan) computes until
    `ready_s[i]`, waits, and uploads from `upload_start_s[i]` to `upload_end_s[i]` on
    `channel[i]`, both counted from 0. A client that does not upload in this round has
    channel −1 and NaN for its upload; a carried one computed in an earlier round and is
    ready at 0 s.
    """

    client: NDArray[np.intp]
    cluster: NDArray[np.intp]
    channel: NDArray[np.intp]
    ready_s: NDArray[np.float64]
    upload_start_s: NDArray[np.float64]
    upload_end_s: NDArray[np.float64]
    num_channels: int
    server_time_s: float
    duration_s: float

    @property
    def delivered(self) -> NDArray[np.bool_]:
        """Which of the scheduled clients uploaded."""
        delivered: NDArray[np.bool_] = self.channel != NO_CHANNEL
        return delivered

    @property
    def missed(self) -> NDArray[np.intp]:
        """The clients that were scheduled and did not upload."""
        return self.client[~self.delivered]

    @property
    def busy_s(self) -> float:
        """Time in which sub-channels carry uploads, summed over them."""
        uploading = self.delivered
        return float((self.upload_end_s[uploading] - self.upload_start_s[uploading]).sum())

    @property
    def utilisation(self) -> float:
        """The share of the sub-channels' time in which they carry an upload; 0 without any."""
        if self.duration_s == 0:
            return 0.0
        return self.busy_s / (self.num_channels * self.duration_s)

    @property
    def intervals(self) -> "polars.DataFrame":
        """One row for every stretch of computing, waiting and uploading of every client.

        Columns: client, cluster, channel, kind (compute, wait or upload), start_s, end_s.
        """
        import polars as pl

        begin = np.zeros_like(self.ready_s)
        stretches = (
            ("compute", begin, self.ready_s),
            ("wait", self.ready_s, self.upload_start_s),
            ("upload", self.upload_start_s, self.upload_end_s),
        )
        frames = [
            pl.DataFrame(
                {
                    "client": self.client,
                    "cluster": self.cluster,
                    "channel": self.channel,
                    "kind": pl.repeat(kind, self.client.size, eager=True),
                    "start_s": start_s,
                    "end_s": end_s,
                }
            )
            for kind, start_s, end_s in stretches
        ]
        has_length = pl.col("end_s").is_not_nan() & (pl.col("end_s") > pl.col("start_s"))
        return pl.concat(frames).filter(has_length)
