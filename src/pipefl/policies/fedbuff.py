"""FedBuff: asynchronous clients, and a buffer at the server."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pipefl.checks import count, number
from pipefl.devices.jitter import Jitter
from pipefl.policies.in_flight import buffered
from pipefl.policies.scene import Scene
from pipefl.policies.step import Step


@dataclass(frozen=True)
class FedBuff:
    r"""M_c clients train at any time; the server steps when its buffer holds K updates.

    .. math:: w_{t+1} = w_t + \frac{\eta_g}{K} \sum_{i=1}^{K}
        \frac{\Delta_i}{\sqrt{1 + s_i}}

    From: Nguyen et al., *Federated Learning with Buffered Asynchronous Aggregation*
    (AISTATS 2022), whose K is 10 unless said otherwise. Clients are drawn uniformly from
    those that are not training, and given the newest model. Assumes what others do not:
    an uplink on which uploads do not get in each other's way. Here they share N
    sub-channels, first come, first served; the clock is that of `rolling` with as many
    clients in flight, client for client.

    The difference lies in the step: K updates at a time at the full learning rate, which
    keeps each update hidden among K, less those that are late. Updates are (M_c − 1)/K
    steps old on average. With K > M_c a client may be in one step more than once.

    Legend: M_c `concurrency`, K `buffer_size`, η_g `server_learning_rate`, s staleness.

    >>> scene = Scene([1.0, 2.0, 4.0], 1.0)
    >>> next(FedBuff(concurrency=2, buffer_size=3).steps(scene)).upload_end_s
    array([2., 3., 4.])
    """

    concurrency: int
    buffer_size: int = 10
    server_learning_rate: float = 1.0
    jitter: Jitter | None = None
    name: str = "fedbuff"

    def __post_init__(self) -> None:
        count("concurrency", self.concurrency)
        count("buffer_size", self.buffer_size)
        accepted = "it must be a finite factor above 0"
        number("server_learning_rate", self.server_learning_rate, accepted, lambda v: v > 0)

    def steps(self, scene: Scene, seed: int = 0) -> Iterator[Step]:
        """A step at every K-th upload, for ever; see `arrivals` for what draws depend on."""
        count("concurrency", self.concurrency, maximum=scene.num_clients)
        return buffered(scene, self.concurrency, self.buffer_size, seed, self.jitter)

    def weight(self, staleness: ArrayLike) -> NDArray[np.float64]:
        """The factor on each update of a step, before the mean over the buffer.

        >>> FedBuff(concurrency=20).weight([0, 3])
        array([1. , 0.5])
        """
        late = 1.0 + np.asarray(staleness, dtype=np.float64)
        weight: NDArray[np.float64] = self.server_learning_rate / np.sqrt(late)
        return weight
