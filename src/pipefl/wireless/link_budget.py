"""From transmit power to the mean signal-to-noise ratio at the base station."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pipefl.arrays import numbers
from pipefl.checks import positive
from pipefl.errors import ArgumentError
from pipefl.wireless.decibels import db_to_ratio, ratio_to_db
from pipefl.wireless.path_loss import PathLoss
from pipefl.wireless.quantities import decibels


@dataclass(frozen=True, kw_only=True)
class LinkBudget:
    r"""What is gained and lost between a client and the base station, in decibels.

    .. math:: \bar\gamma_\text{dB} = P + G - L(d) - X - \big(N_0 + F + 10 \log_{10} W\big)

    A client puts its whole power into the one sub-channel that it has. The noise it has
    to beat is that of the sub-channel, so twice as many sub-channels in the same band
    are each half as wide, and 3 dB better in SNR.

    ==========================  =====  ==================================================
    field                       symbol default and where it is from
    ==========================  =====  ==================================================
    `transmit_power_dbm`        P      23 dBm, a handset of power class 3, 3GPP TS 36.101
    `noise_dbm_per_hz`          N_0    −174 dBm/Hz, thermal noise at 290 K
    `noise_figure_db`           F      5 dB, a base station's receiver, 3GPP TR 36.942
    `antenna_gain_db`           G      0 dB; antenna gains less cable and wall losses
    `path_loss`                 L(d)   `PathLoss()`
    ==========================  =====  ==================================================

    The others are X, shadowing in dB (positive is a loss), and W, the sub-channel's
    bandwidth in Hz.

    >>> LinkBudget().mean_snr([250.0, 1000.0], bandwidth_hz=1e6).round(2)
    array([450.55,   2.45])
    """

    transmit_power_dbm: float = 23.0
    noise_dbm_per_hz: float = -174.0
    noise_figure_db: float = 5.0
    antenna_gain_db: float = 0.0
    path_loss: PathLoss = field(default_factory=PathLoss)

    def __post_init__(self) -> None:
        decibels("transmit_power_dbm", self.transmit_power_dbm, "dBm")
        decibels("noise_dbm_per_hz", self.noise_dbm_per_hz, "dBm/Hz")
        decibels("noise_figure_db", self.noise_figure_db)
        decibels("antenna_gain_db", self.antenna_gain_db)

    def noise_power_dbm(self, bandwidth_hz: float) -> float:
        """N_0 + F + 10 log10 W, the noise power in a band.

        >>> LinkBudget().noise_power_dbm(1e6)
        -109.0
        """
        width_db = ratio_to_db(positive("bandwidth_hz", bandwidth_hz, "hertz"))
        return float(self.noise_dbm_per_hz + self.noise_figure_db + width_db)

    def mean_snr(
        self, distance_m: ArrayLike, bandwidth_hz: float, shadowing_db: ArrayLike = 0.0
    ) -> NDArray[np.float64]:
        """γ̄ of each client as a linear ratio: the mean over fading, not over shadowing. O(M)."""
        loss_db = self.path_loss.loss_db(distance_m)
        accepted = "shadowing must be a finite number of dB"
        shadow_db = numbers("shadowing_db", shadowing_db, accepted, np.isfinite)
        if shadow_db.ndim > 0 and shadow_db.shape != loss_db.shape:
            accepted = f"it must be {loss_db.shape}, as distance_m.shape is"
            raise ArgumentError("shadowing_db.shape", shadow_db.shape, accepted)
        received_dbm = self.transmit_power_dbm + self.antenna_gain_db - loss_db - shadow_db
        return db_to_ratio(np.asarray(received_dbm - self.noise_power_dbm(bandwidth_hz)))
