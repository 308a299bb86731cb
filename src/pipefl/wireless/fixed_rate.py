"""The paper's choice: one rate, so low that every client can be decoded."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pipefl.checks import number
from pipefl.wireless.quantities import mean_snrs, snrs, spectral_efficiency

_LN_2 = math.log(2.0)
_ROUNDING = 1e-12


@dataclass(frozen=True)
class FixedRate:
    r"""Send at r bit/s/Hz; a client whose channel cannot carry that is in outage.

    .. math:: \eta(\gamma) = r \text{ if } \log_2(1 + \gamma) \ge r, \text{ else } 0

    Paper: sec:pfl, "a fixed rate that is independent of the particularly selected user".

    Legend: r `rate_bits_per_s_per_hz`, γ instantaneous SNR.

    >>> FixedRate(2.0).bits_per_s_per_hz([2.9, 3.0, 100.0])
    array([0., 2., 2.])
    """

    rate_bits_per_s_per_hz: float

    def __post_init__(self) -> None:
        spectral_efficiency("rate_bits_per_s_per_hz", self.rate_bits_per_s_per_hz)

    @property
    def required_snr(self) -> float:
        """2^r − 1, the least SNR whose capacity is r."""
        return math.expm1(self.rate_bits_per_s_per_hz * _LN_2)

    def bits_per_s_per_hz(self, snr: ArrayLike) -> NDArray[np.float64]:
        """The rate r where the SNR suffices and 0 where it does not; of the shape of `snr`."""
        # 2^r − 1 may come out an ulp high, and 2047 must do for 11 bit/s/Hz.
        enough = snrs("snr", snr) >= self.required_snr * (1.0 - _ROUNDING)
        return np.where(enough, float(self.rate_bits_per_s_per_hz), 0.0)

    def outage(self, mean_snr: ArrayLike) -> NDArray[np.float64]:
        r"""The share of rounds in which each client is in outage, under Rayleigh fading.

        .. math:: q_m = P(\gamma_m < 2^r - 1) = 1 - e^{-(2^r - 1) / \bar\gamma_m}

        Legend: γ̄ `mean_snr`, M values. O(M).

        >>> FixedRate(1.0).outage([10.0, 100.0]).round(4)
        array([0.0952, 0.01  ])
        """
        return -np.expm1(-self.required_snr / mean_snrs("mean_snr", mean_snr))


def choose_fixed_rate(
    mean_snr: ArrayLike, outage: float = 0.1, served_share: float = 1.0
) -> FixedRate:
    r"""The highest fixed rate that the worst client carries in all but a share q of the rounds.

    .. math:: r = \log_2\Big(1 + \bar\gamma \ln\frac{1}{1 - q}\Big), \qquad
        \bar\gamma = \min_m \bar\gamma_m

    Paper: sec:pfl, "the fixed transmission rate can be reliably decoded by all users".
    Under Rayleigh fading the SNR is exponential about its mean, and every rate is too
    much for some instant; reliably is therefore an outage of at most q.

    With `served_share` below 1 the rate is made for the best ⌈share · M⌉ clients, and γ̄ is
    the worst mean among those. The others are still served, with more outage, which
    `FixedRate.outage` tells.

    Legend: γ̄ `mean_snr`, M linear ratios; q `outage`. O(M log M).

    >>> rate = choose_fixed_rate([100.0, 10.0, 1000.0], outage=0.1)
    >>> round(rate.rate_bits_per_s_per_hz, 4), rate.outage([100.0, 10.0, 1000.0]).round(4)
    (1.0382, array([0.0105, 0.1   , 0.0011]))
    """
    snr = mean_snrs("mean_snr", mean_snr)
    q = number("outage", outage, "it must lie between 0 and 1, such as 0.1", lambda v: 0 < v < 1)
    accepted = "it must be above 0 and at most 1, the share of clients that the rate is made for"
    share = number("served_share", served_share, accepted, lambda v: 0 < v <= 1)
    # 0.07 · 100 is 7 and a rounding error; the 8th client is not meant.
    num_served = max(1, math.ceil(share * snr.size - 1e-9))
    worst_served = float(np.sort(snr)[snr.size - num_served])
    return FixedRate(math.log1p(worst_served * -math.log1p(-q)) / _LN_2)
