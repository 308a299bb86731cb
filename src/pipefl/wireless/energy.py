"""What a round costs a client's battery."""

from dataclasses import dataclass, fields
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pipefl.arrays import numbers
from pipefl.wireless.quantities import row, same_size

_UNITS = {
    "switched_capacitance_w_per_hz3": "W/Hz³",
    "cycles_per_sample": "cycles",
    "cpu_hz": "hertz",
    "transmit_power_w": "watts",
}


@dataclass(frozen=True, eq=False, kw_only=True)
class EnergyModel:
    r"""Joules to compute an update and joules to send it.

    .. math:: E_m = \underbrace{\kappa\, C f^2 n_m}_\text{compute} +
        \underbrace{P\, \tau_\text{com}}_\text{transmit}, \qquad \tau_m = \frac{C n_m}{f}

    A CMOS processor draws κf³ watts; it takes τ_m for n_m samples, in whose time it is
    κf³ τ_m. So a clock twice as fast halves the time and costs four times the energy.

    ==================================  ======  ===========================================
    field                               symbol  default
    ==================================  ======  ===========================================
    `switched_capacitance_w_per_hz3`    κ       10⁻²⁸ W/Hz³ (that is J/cycle/Hz²)
    `cycles_per_sample`                 C       2 · 10⁴, the middle of 1 to 3 · 10⁴
    `cpu_hz`                            f       2 · 10⁹ Hz
    `transmit_power_w`                  P       0.2 W, a handset's 23 dBm (3GPP TS 36.101)
    ==================================  ======  ===========================================

    The first three are from the simulations of Yang, Chen, Saad, Hong and Shikh-Bahaei,
    "Energy efficient federated learning over wireless communication networks", IEEE
    Transactions on Wireless Communications 20(3), 2021. They are a small regression
    model's: a network's C is its operations a sample over the processor's operations a
    cycle. Each may be one number or M, one a client. n_m counts every pass: samples times
    local epochs.

    >>> model = EnergyModel(cycles_per_sample=1e8, cpu_hz=1e9, transmit_power_w=0.5)
    >>> model.compute_time_s([10, 70]), model.compute_j([10, 70]), model.transmit_j([2.0, 2.0])
    (array([1., 7.]), array([0.1, 0.7]), array([1., 1.]))
    """

    switched_capacitance_w_per_hz3: float | NDArray[np.float64] = 1e-28
    cycles_per_sample: float | NDArray[np.float64] = 2e4
    cpu_hz: float | NDArray[np.float64] = 2e9
    transmit_power_w: float | NDArray[np.float64] = 0.2

    def __post_init__(self) -> None:
        for field in fields(self):
            given = getattr(self, field.name)
            accepted = f"it must be a finite number of {_UNITS[field.name]} above 0"
            check = row if np.ndim(given) else numbers
            checked = check(field.name, given, accepted, lambda v: v > 0)
            object.__setattr__(self, field.name, checked if checked.ndim else float(checked))

    @classmethod
    def matching(
        cls, compute_time_s: ArrayLike, num_samples: ArrayLike, cpu_hz: float = 2e9
    ) -> Self:
        r"""The model of clients that compute as long as a clock says: C = τ_m f / n_m.

        So a client spends the κf³ watts of its processor for τ_m seconds. Legend: τ
        `compute_time_s`, n `num_samples`, M values each, n at least 1. O(M).

        >>> EnergyModel.matching([1.0, 7.0], [10, 70]).compute_j([10, 70])
        array([0.8, 5.6])
        """
        accepted = "every client must compute for a finite time above 0 seconds"
        times = row("compute_time_s", compute_time_s, accepted, lambda v: v > 0)
        accepted = "every client must have a finite number of samples, 1 or more"
        samples = row("num_samples", num_samples, accepted, lambda v: v >= 1)
        same_size("num_samples", samples, times.size, "compute_time_s.size")
        return cls(cycles_per_sample=times * cpu_hz / samples, cpu_hz=cpu_hz)

    def compute_time_s(self, num_samples: ArrayLike) -> NDArray[np.float64]:
        """τ_m = C n_m / f, M values: what a plan for these clients is made of."""
        samples = _samples(num_samples)
        self._check_sizes("num_samples", samples)
        return samples * self.cycles_per_sample / self.cpu_hz

    def compute_j(self, num_samples: ArrayLike) -> NDArray[np.float64]:
        """κ C f² n_m, M values."""
        samples = _samples(num_samples)
        self._check_sizes("num_samples", samples)
        per_cycle_j = self.switched_capacitance_w_per_hz3 * np.square(self.cpu_hz)
        return per_cycle_j * self.cycles_per_sample * samples

    def transmit_j(self, upload_time_s: ArrayLike) -> NDArray[np.float64]:
        """P τ_com, M values. A client that cannot upload (an infinite time) is refused."""
        accepted = (
            "every upload time must be finite and 0 seconds or more; "
            "leave out clients that cannot upload"
        )
        upload = row("upload_time_s", upload_time_s, accepted, lambda v: v >= 0)
        self._check_sizes("upload_time_s", upload)
        return upload * self.transmit_power_w

    def round_j(self, num_samples: ArrayLike, upload_time_s: ArrayLike) -> NDArray[np.float64]:
        """E_m, M values: computing and sending one update each."""
        compute_j, transmit_j = self.compute_j(num_samples), self.transmit_j(upload_time_s)
        same_size("upload_time_s", transmit_j, compute_j.size, "num_samples.size")
        return compute_j + transmit_j

    def _check_sizes(self, name: str, values: NDArray[np.float64]) -> None:
        for field in fields(self):
            size = np.size(getattr(self, field.name))
            if size > 1:
                same_size(name, values, size, f"{field.name}.size")


def _samples(num_samples: ArrayLike) -> NDArray[np.float64]:
    accepted = "every client must have a finite number of samples, 0 or more"
    return row("num_samples", num_samples, accepted, lambda v: v >= 0)
