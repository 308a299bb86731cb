"""The clients' losses as a policy knows them: what each said when it last delivered."""

import math

import numpy as np
from numpy.typing import NDArray


class ReportedLosses:
    r"""A `LossSource` that a training run keeps up to date.

    Nobody asks clients that do not take part, so a loss is as old as its client's last
    update. Before the first it is that of a guess between C classes, ln C.

    >>> losses = ReportedLosses(num_clients=3, num_classes=10)
    >>> losses.hear([1], [0.5])
    >>> losses.losses(np.zeros(3, np.int64)).round(2)
    array([2.3, 0.5, 2.3])
    """

    def __init__(self, num_clients: int, num_classes: int) -> None:
        self._loss = np.full(num_clients, np.log(num_classes))

    def hear(self, clients: list[int], losses: list[float | None]) -> None:
        """Note what clients reported; a loss that is not finite is not noted."""
        for client, loss in zip(clients, losses, strict=True):
            if loss is not None and math.isfinite(loss):
                self._loss[client] = loss

    def losses(self, participation: NDArray[np.int64]) -> NDArray[np.float64]:
        """The losses last reported; how often clients took part does not matter."""
        return self._loss.copy()
