"""How long an upload takes, and why: bandwidth, sub-channels, fading, rates, energy.

The planner asks for one number, τ_com. `update_bits` and an `Uplink` give it, and
`choose_fixed_rate` makes the uplink's rate one that every client can be decoded at, as the
paper has it. `Cell` and `LinkBudget` say how well each client is heard, and a
`ChannelState` gives policies that look at the channel the rates of every round.

>>> cell, uplink = Cell(), Uplink(bandwidth_hz=10e6, num_channels=5, bits_per_s_per_hz=1.0)
>>> snr = cell.mean_snr(200, uplink.channel_bandwidth_hz)
>>> fixed = choose_fixed_rate(snr, outage=0.1, served_share=0.95)
>>> uplink = uplink.with_rate(fixed.rate_bits_per_s_per_hz)
>>> upload_time_s = uplink.upload_time_s(update_bits(1_000_000))
"""

from pipefl.wireless.cell import Cell
from pipefl.wireless.cell_channel import cell_channel
from pipefl.wireless.channel_state import ChannelState
from pipefl.wireless.coding_table import LTE_CQI, CodingTable
from pipefl.wireless.decibels import db_to_ratio, dbm_to_w, ratio_to_db, w_to_dbm
from pipefl.wireless.energy import EnergyModel
from pipefl.wireless.fading import rayleigh_snr
from pipefl.wireless.fixed_rate import FixedRate, choose_fixed_rate
from pipefl.wireless.link_budget import LinkBudget
from pipefl.wireless.model_size import update_bits
from pipefl.wireless.path_loss import PathLoss
from pipefl.wireless.rate_rule import RateRule
from pipefl.wireless.shannon import ShannonRate
from pipefl.wireless.uplink import Uplink

__all__ = [
    "LTE_CQI",
    "Cell",
    "ChannelState",
    "CodingTable",
    "EnergyModel",
    "FixedRate",
    "LinkBudget",
    "PathLoss",
    "RateRule",
    "ShannonRate",
    "Uplink",
    "cell_channel",
    "choose_fixed_rate",
    "db_to_ratio",
    "dbm_to_w",
    "ratio_to_db",
    "rayleigh_snr",
    "update_bits",
    "w_to_dbm",
]
