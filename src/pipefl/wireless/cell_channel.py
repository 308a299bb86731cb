"""Channels for clients of whom nothing is known but how large their cell is."""

from pipefl.wireless.cell import Cell
from pipefl.wireless.channel_state import ChannelState
from pipefl.wireless.shannon import ShannonRate
from pipefl.wireless.uplink import Uplink

_CHANNEL_HZ = 1e6


def cell_channel(
    num_clients: int, num_channels: int, radius_m: float, seed: int = 0
) -> ChannelState:
    """A macro cell's channels, over 1 MHz for each sub-channel, at rates of capacity.

    >>> cell_channel(4, num_channels=2, radius_m=250.0).rates_bits_per_s(0).shape
    (4,)
    """
    uplink = Uplink(
        bandwidth_hz=num_channels * _CHANNEL_HZ, num_channels=num_channels, bits_per_s_per_hz=1.0
    )
    mean_snr = Cell(radius_m=radius_m).mean_snr(num_clients, uplink.channel_bandwidth_hz, seed)
    return ChannelState(mean_snr, uplink, ShannonRate(), seed)
