"""What the clients of a round ask of the uplink."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Discipline = Literal["slots", "eager-slots", "fifo", "wait-all"]
Missed = Literal["drop", "next-slot", "carry"]

DISCIPLINES: tuple[Discipline, ...] = ("slots", "eager-slots", "fifo", "wait-all")
MISSED: tuple[Missed, ...] = ("drop", "next-slot", "carry")


@dataclass(frozen=True, eq=False)
class Demand:
    """When each of n clients is ready, how long it uploads, and the slots of K clusters.

    `cluster` and `slot_time_s` matter to the disciplines with slots only. `carried` marks
    clients that missed their slot in an earlier round and have been ready since. The
    order of the clients decides between those that are otherwise equal.
    """

    ready_s: NDArray[np.float64]
    upload_time_s: NDArray[np.float64]
    cluster: NDArray[np.intp]
    carried: NDArray[np.bool_]
    slot_time_s: NDArray[np.float64]
    num_channels: int
