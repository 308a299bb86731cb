"""The clients that a plan is made for."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Population:
    """M clients: how long each computes, and what else is known of it.

    `source` says where they come from, for people to read. `client_id`, `num_samples`
    (n_m) and `deviation_s` (the standard deviation of the compute time) have M entries
    or are None.
    """

    source: str
    compute_time_s: NDArray[np.float64]
    client_id: NDArray[np.object_] | None = None
    num_samples: NDArray[np.int64] | None = None
    deviation_s: NDArray[np.float64] | None = None

    @property
    def num_clients(self) -> int:
        """M."""
        return self.compute_time_s.size
