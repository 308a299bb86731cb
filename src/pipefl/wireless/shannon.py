"""Rates that follow the channel's capacity."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pipefl.checks import number
from pipefl.wireless.decibels import db_to_ratio
from pipefl.wireless.quantities import snrs


@dataclass(frozen=True)
class ShannonRate:
    r"""Capacity at an SNR that a gap makes worse: adaptive coding with ever finer steps.

    .. math:: \eta(\gamma) = \log_2\Big(1 + \frac{\gamma}{\Gamma}\Big)

    The paper leaves adaptive rates out of scope (sec:pfl); policies that choose clients by
    their channel need them.

    Legend: γ instantaneous SNR; Γ `gap_db`, 0 dB for an ideal code (the steps of
    `LTE_CQI` need 2.8 to 6.1 dB more than capacity); η in bit/s/Hz. A rate is above 0 at
    any SNR above 0, so a deep fade makes an upload long, not impossible.

    >>> ShannonRate().bits_per_s_per_hz([0.0, 1.0, 3.0, 1023.0])
    array([ 0.,  1.,  2., 10.])
    >>> ShannonRate(gap_db=10.0).bits_per_s_per_hz(30.0).item()
    2.0
    """

    gap_db: float = 0.0

    def __post_init__(self) -> None:
        accepted = "it must be a loss against capacity between 0 and 100 dB"
        number("gap_db", self.gap_db, accepted, lambda v: 0 <= v <= 100)

    def bits_per_s_per_hz(self, snr: ArrayLike) -> NDArray[np.float64]:
        """log2(1 + γ/Γ), of the shape of `snr`. O(1) an SNR."""
        weakened = snrs("snr", snr) / db_to_ratio(float(self.gap_db))
        return np.asarray(np.log1p(weakened) / math.log(2.0))
