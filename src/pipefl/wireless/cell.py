"""Clients placed at random in a cell, and how well each is heard."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from pipefl.checks import count, non_negative, positive
from pipefl.errors import ArgumentError
from pipefl.randomness import generator
from pipefl.wireless.link_budget import LinkBudget


@dataclass(frozen=True, kw_only=True)
class Cell:
    r"""A disc of clients around a base station.

    .. math:: d_m = \sqrt{d_0^2 + u_m (R^2 - d_0^2)}, \quad u_m \sim U[0, 1), \qquad
        X_m \sim \mathcal{N}(0, \sigma^2)

    The square root makes positions uniform over the area: most clients are far away.

    Legend: R `radius_m`; d_0 `minimum_distance_m`, 35 m as in 3GPP TR 36.814 (A.2.1.1);
    σ `shadowing_deviation_db`, how much the log-normal shadowing varies, 8 dB there too;
    `link` the budget of every client.

    Client m's place and shadowing depend on the seed and on m alone: more clients leave
    those before them where they are.

    >>> Cell(radius_m=250.0).mean_snr(4, bandwidth_hz=1e6, seed=1).shape
    (4,)
    """

    radius_m: float = 250.0
    minimum_distance_m: float = 35.0
    shadowing_deviation_db: float = 8.0
    link: LinkBudget = field(default_factory=LinkBudget)

    def __post_init__(self) -> None:
        radius = positive("radius_m", self.radius_m, "metres")
        nearest = positive("minimum_distance_m", self.minimum_distance_m, "metres")
        if nearest >= radius:
            accepted = f"it must be above minimum_distance_m, which is {nearest:g}"
            raise ArgumentError("radius_m", radius, accepted)
        non_negative("shadowing_deviation_db", self.shadowing_deviation_db, "dB")

    def positions_m(self, num_clients: int, seed: int = 0) -> NDArray[np.float64]:
        """East and north of the base station, M × 2. O(M)."""
        clients = count("num_clients", num_clients)
        nearest_sq, farthest_sq = self.minimum_distance_m**2, self.radius_m**2
        area = generator(seed, "client distances").random(clients)
        distance = np.sqrt(nearest_sq + area * (farthest_sq - nearest_sq))
        angle = 2.0 * np.pi * generator(seed, "client directions").random(clients)
        return np.column_stack((distance * np.cos(angle), distance * np.sin(angle)))

    def shadowings_db(self, num_clients: int, seed: int = 0) -> NDArray[np.float64]:
        """X, what stands in each client's way and stays there, M values. O(M)."""
        clients = count("num_clients", num_clients)
        return generator(seed, "shadowing").standard_normal(clients) * self.shadowing_deviation_db

    def mean_snr(self, num_clients: int, bandwidth_hz: float, seed: int = 0) -> NDArray[np.float64]:
        """γ̄ of M clients on a sub-channel of that width, linear; see `LinkBudget`. O(M)."""
        position_m = self.positions_m(num_clients, seed)
        distance_m = np.hypot(position_m[:, 0], position_m[:, 1])
        return self.link.mean_snr(distance_m, bandwidth_hz, self.shadowings_db(num_clients, seed))
