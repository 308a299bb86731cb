"""The uplink that the clients share: a band of spectrum, cut into equal sub-channels."""

from dataclasses import dataclass, replace
from typing import Self

from pipefl.checks import count, number, positive
from pipefl.wireless.quantities import spectral_efficiency


@dataclass(frozen=True, kw_only=True)
class Uplink:
    r"""An OFDM uplink of N sub-channels, one client on each at a time.

    .. math:: R = \frac{B}{N} (1 - o)\, \eta, \qquad
        \tau_\text{com} = \frac{b}{R} = \frac{N b}{B (1 - o)\, \eta}

    Paper: sec:pfl, an OFDM channel of N sub-channels, each of several sub-carriers, with
    one fixed rate for every client. The paper sets N and τ_com independently of each
    other. With a total bandwidth that is given they are not: **the upload time grows in
    proportion to N**, because N clients share what one would have alone. All N together
    still carry N/τ_com = B(1 − o)η/b updates a second, whatever N is.

    Legend: B `bandwidth_hz` of the whole uplink; N `num_channels`; η `bits_per_s_per_hz`,
    the modulation's bits a symbol times its code rate (QPSK at rate 1/2 is 1, 64QAM at
    3/4 is 4.5); o `overhead_share`, the part of the resources that guard bands, cyclic
    prefixes and pilots take (LTE's guard bands alone: 0.1); R `rate_bits_per_s`;
    b bits of an update; τ_com `upload_time_s`. O(1).

    >>> uplink = Uplink(bandwidth_hz=10e6, num_channels=5, bits_per_s_per_hz=2.0)
    >>> uplink.channel_bandwidth_hz, uplink.rate_bits_per_s, uplink.upload_time_s(8e6)
    (2000000.0, 4000000.0, 2.0)
    >>> uplink.with_channels(10).upload_time_s(8e6)
    4.0
    """

    bandwidth_hz: float
    num_channels: int
    bits_per_s_per_hz: float
    overhead_share: float = 0.0

    def __post_init__(self) -> None:
        positive("bandwidth_hz", self.bandwidth_hz, "hertz")
        count("num_channels", self.num_channels)
        spectral_efficiency("bits_per_s_per_hz", self.bits_per_s_per_hz)
        accepted = "it must be a share of at least 0 and below 1"
        number("overhead_share", self.overhead_share, accepted, lambda v: 0 <= v < 1)

    @property
    def channel_bandwidth_hz(self) -> float:
        """B/N, the bandwidth of one sub-channel with its overhead."""
        return self.bandwidth_hz / self.num_channels

    @property
    def payload_bandwidth_hz(self) -> float:
        """(B/N)(1 − o), the part of a sub-channel that carries an update's bits."""
        return self.channel_bandwidth_hz * (1.0 - self.overhead_share)

    @property
    def rate_bits_per_s(self) -> float:
        """R, what one client sends on one sub-channel."""
        return self.payload_bandwidth_hz * self.bits_per_s_per_hz

    def upload_time_s(self, bits: float) -> float:
        """τ_com, how long one client's update occupies one sub-channel."""
        return positive("bits", bits, "bits") / self.rate_bits_per_s

    def with_channels(self, num_channels: int) -> Self:
        """The same band cut into another number of sub-channels: twice as many, half as fast."""
        return replace(self, num_channels=num_channels)

    def with_rate(self, bits_per_s_per_hz: float) -> Self:
        """The same sub-channels at another spectral efficiency."""
        return replace(self, bits_per_s_per_hz=bits_per_s_per_hz)
