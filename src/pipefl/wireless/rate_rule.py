"""What a rule says that turns a signal-to-noise ratio into a rate."""

from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray


class RateRule(Protocol):
    """How fast a client sends at an SNR; 0 says that it cannot upload.

    `FixedRate` sends at one rate or not at all, `ShannonRate` follows capacity, and a
    `CodingTable` climbs the steps of a real system. Any object with this method will do.
    """

    def bits_per_s_per_hz(self, snr: ArrayLike) -> NDArray[np.float64]:
        """The spectral efficiency at each SNR (linear, any shape), in bit/s/Hz, 0 or more."""
        ...
