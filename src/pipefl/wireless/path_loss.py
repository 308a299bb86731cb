"""How much weaker a signal is at a distance."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pipefl.arrays import numbers
from pipefl.checks import number


@dataclass(frozen=True)
class PathLoss:
    r"""Log-distance path loss: a power of the distance.

    .. math:: L_\text{dB}(d) = L_\text{1km} + 10\, n \log_{10} \frac{d}{1\,\text{km}}

    The defaults, 128.1 + 37.6 log10(d/km) dB, are the urban macro cell at 2 GHz of 3GPP
    TR 36.942 (4.5.2) and of case 1 of TR 36.814 (A.2.1.1). Free space has n = 2, at 2 GHz
    with 98.5 dB at 1 km.

    Legend: d distance in metres; L_1km `loss_at_1km_db`; n `exponent`, the loss in each
    decade of distance over 10 dB.

    >>> PathLoss().loss_db([100.0, 1000.0]).round(3)
    array([ 90.5, 128.1])
    """

    loss_at_1km_db: float = 128.1
    exponent: float = 3.76

    def __post_init__(self) -> None:
        accepted = "it must be a loss between 0 and 1,000 dB"
        number("loss_at_1km_db", self.loss_at_1km_db, accepted, lambda v: 0 <= v <= 1000)
        accepted = "it must be from 1 to 10; free space has 2, cities 3 to 4"
        number("exponent", self.exponent, accepted, lambda v: 1 <= v <= 10)

    @property
    def least_distance_m(self) -> float:
        """Where the loss is 0 dB. Any nearer the formula would have a client gain power."""
        return float(1000.0 * 10.0 ** (-self.loss_at_1km_db / (10.0 * self.exponent)))

    def loss_db(self, distance_m: ArrayLike) -> NDArray[np.float64]:
        """The loss at each distance in metres, 0 dB or more."""
        least_m = self.least_distance_m
        accepted = (
            f"every distance must be finite and at least {least_m:.3g} m, where 0 dB are lost"
        )
        nearest_m = least_m * (1.0 - 1e-9)  # that distance itself may be an ulp off
        distance = numbers("distance_m", distance_m, accepted, lambda v: v >= nearest_m)
        loss_db = self.loss_at_1km_db + 10.0 * self.exponent * np.log10(distance / 1000.0)
        return np.asarray(np.maximum(loss_db, 0.0))  # rounding only
