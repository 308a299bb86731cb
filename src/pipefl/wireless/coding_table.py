"""Rates in the steps of a real system's modulation and coding schemes."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pipefl.errors import ArgumentError
from pipefl.wireless.decibels import db_to_ratio
from pipefl.wireless.quantities import row, snrs


@dataclass(frozen=True)
class CodingTable:
    r"""The fastest scheme whose threshold the SNR reaches; none below the lowest.

    .. math:: \eta(\gamma) = \max\{ r_i : \gamma_\text{dB} \ge s_i \}, \qquad
        \eta(\gamma) = 0 \text{ if } \gamma_\text{dB} < s_1

    Legend: s `threshold_db`, r `step_bits_per_s_per_hz`, both ascending and equally many;
    γ instantaneous SNR. A client of rate 0 cannot upload in that round. O(log steps) an SNR.

    >>> table = CodingTable(threshold_db=(0.0, 10.0), step_bits_per_s_per_hz=(0.5, 2.0))
    >>> table.bits_per_s_per_hz([0.99, 1.0, 9.99, 10.0, 1e6])
    array([0. , 0.5, 0.5, 2. , 2. ])
    """

    threshold_db: tuple[float, ...]
    step_bits_per_s_per_hz: tuple[float, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "threshold_db", _ascending("threshold_db", self.threshold_db))
        steps = _ascending("step_bits_per_s_per_hz", self.step_bits_per_s_per_hz)
        object.__setattr__(self, "step_bits_per_s_per_hz", steps)
        if steps[0] <= 0:
            accepted = "the lowest step must be above 0 bit/s/Hz; below its threshold the rate is 0"
            raise ArgumentError("step_bits_per_s_per_hz[0]", steps[0], accepted)
        if len(steps) != len(self.threshold_db):
            accepted = f"it must hold one rate for each of the {len(self.threshold_db)} thresholds"
            raise ArgumentError("step_bits_per_s_per_hz", steps, accepted)

    @cached_property
    def _threshold_snr(self) -> NDArray[np.float64]:
        return db_to_ratio(np.array(self.threshold_db))

    @cached_property
    def _rates(self) -> NDArray[np.float64]:
        return np.array([0.0, *self.step_bits_per_s_per_hz])

    def bits_per_s_per_hz(self, snr: ArrayLike) -> NDArray[np.float64]:
        """The rate of the highest step reached at each SNR, of the shape of `snr`."""
        reached = np.searchsorted(self._threshold_snr, snrs("snr", snr), side="right")
        return np.asarray(self._rates[reached])


def _ascending(name: str, values: tuple[float, ...]) -> tuple[float, ...]:
    accepted = "every entry must be a finite number within 3,000 of 0"
    array = row(name, values, accepted, lambda v: np.abs(v) <= 3000, each="step")
    falls = np.flatnonzero(np.diff(array) <= 0)
    if falls.size:
        after = f"it must be above the {array[falls[0]]:g} before it: a table ascends"
        raise ArgumentError(f"{name}[{falls[0] + 1}]", array[falls[0] + 1], after)
    return tuple(array.tolist())


# The rates are the efficiencies of 3GPP TS 36.213, table 7.2.3-1. The standard gives no
# thresholds, only that a step is one that fails at most one block in ten; these are the
# ones that simulators commonly use for that on one antenna.
LTE_CQI = CodingTable(
    threshold_db=(
        *(-6.7, -4.7, -2.3, 0.2, 2.4, 4.3),  # QPSK
        *(5.9, 8.1, 10.3),  # 16QAM
        *(11.7, 14.1, 16.3, 18.7, 21.0, 22.7),  # 64QAM
    ),
    step_bits_per_s_per_hz=(
        *(0.1523, 0.2344, 0.3770, 0.6016, 0.8770, 1.1758),
        *(1.4766, 1.9141, 2.4063),
        *(2.7305, 3.3223, 3.9023, 4.5234, 5.1152, 5.5547),
    ),
)
"""LTE's 15 channel quality indicators, from QPSK at rate 78/1024 to 64QAM at rate 948/1024."""
