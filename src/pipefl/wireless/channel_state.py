"""The channels of all clients, as a scheduling policy sees them."""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from pipefl.checks import count, positive
from pipefl.wireless.fading import rayleigh_snr
from pipefl.wireless.fixed_rate import FixedRate
from pipefl.wireless.quantities import mean_snrs
from pipefl.wireless.rate_rule import RateRule
from pipefl.wireless.uplink import Uplink


@dataclass(frozen=True, eq=False)
class ChannelState:
    r"""M clients on an uplink that fades from round to round.

    .. math:: R_m[t] = \frac{B}{N} (1 - o)\, \eta(\gamma_m[t]), \qquad
        \tau_{\text{com},m}[t] = \frac{b}{R_m[t]}

    Legend: γ̄ `mean_snr`, M linear ratios on one sub-channel of `uplink`; η `rule`. Without
    a rule the uplink's own fixed rate holds, as in the paper (sec:pfl), and a client
    whose channel cannot carry it is silent in that round; a rule takes that rate's place.
    γ[t] is Rayleigh block fading by (`seed`, t), see `rayleigh_snr`. O(M) a round.

    >>> uplink = Uplink(bandwidth_hz=10e6, num_channels=10, bits_per_s_per_hz=1.0)
    >>> state = ChannelState(np.array([1e6, 1e-6]), uplink, seed=1)
    >>> state.rates_bits_per_s(round_index=0), state.upload_time_s(round_index=0, bits=2e6)
    (array([1000000.,       0.]), array([ 2., inf]))
    """

    mean_snr: NDArray[np.float64]
    uplink: Uplink
    rule: RateRule | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        count("seed", self.seed, minimum=0)
        object.__setattr__(self, "mean_snr", mean_snrs("mean_snr", self.mean_snr))

    @property
    def num_clients(self) -> int:
        """M."""
        return self.mean_snr.size

    def snr(self, round_index: int) -> NDArray[np.float64]:
        """γ[t], M linear ratios."""
        return rayleigh_snr(self.mean_snr, round_index, self.seed)

    def rates_bits_per_s(self, round_index: int) -> NDArray[np.float64]:
        """R[t], what each client could send on one sub-channel in that round; 0 is nothing."""
        rule = FixedRate(self.uplink.bits_per_s_per_hz) if self.rule is None else self.rule
        return self.uplink.payload_bandwidth_hz * rule.bits_per_s_per_hz(self.snr(round_index))

    def upload_time_s(self, round_index: int, bits: float) -> NDArray[np.float64]:
        """τ_com of each client for so many bits; infinite where the rate is 0."""
        rates_bits_per_s = self.rates_bits_per_s(round_index)
        with np.errstate(divide="ignore", over="ignore"):  # infinite is the answer
            return positive("bits", bits, "bits") / rates_bits_per_s

    def with_channels(self, num_channels: int) -> Self:
        r"""The same clients, places and fades with the band cut into N′ sub-channels.

        .. math:: \bar\gamma_m' = \frac{N'}{N}\, \bar\gamma_m

        At fixed transmit power a narrower sub-channel has less noise in it and a better
        SNR. With N′ > N an upload at a fixed rate takes N′/N times as long and fails less
        often; at an adaptive rate it takes at most N′/N times as long.
        """
        uplink = self.uplink.with_channels(num_channels)
        narrowing = uplink.num_channels / self.uplink.num_channels
        return replace(self, uplink=uplink, mean_snr=self.mean_snr * narrowing)
