"""One step of the server: what every policy's schedule comes down to."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Step:
    """The server aggregates the uploads of `client` and takes model `index` to `index + 1`.

    Times are absolute, in seconds since the schedule began. Client `client[i]` was given
    the model of `version[i]`, so that its update is `index - version[i]` steps old. It
    uploaded on `channel[i]` from `upload_start_s[i]` to `upload_end_s[i]`. `missed` are
    clients that were scheduled and did not deliver. `start_s` is when the step's clients
    were given their model (of a policy without rounds: when the step before ended) and
    `end_s` when the server has the new model.

    `oldest_version` is the oldest model that a later step may still refer to: that of the
    client that has been out longest once this step is taken, or the step's own new model
    if nobody is out. Whoever trains may forget all that are older. It never falls.
    """

    index: int
    start_s: float
    end_s: float
    client: NDArray[np.intp]
    version: NDArray[np.int64]
    channel: NDArray[np.intp]
    upload_start_s: NDArray[np.float64]
    upload_end_s: NDArray[np.float64]
    missed: NDArray[np.intp]
    oldest_version: int

    @property
    def staleness(self) -> NDArray[np.int64]:
        """How many steps the server took since each client was given its model."""
        return self.index - self.version

    @property
    def duration_s(self) -> float:
        """Seconds since the step's start."""
        return self.end_s - self.start_s
