"""Checks of quantities with a unit; each returns the checked value or raises `ArgumentError`."""

from numpy.typing import ArrayLike

from pipefl.arrays import Elementwise, Floats, numbers
from pipefl.checks import number
from pipefl.errors import ArgumentError

# More than any radio: an SNR of 300 dB. It catches bit/s given for bit/s/Hz.
_MOST_BITS_PER_S_PER_HZ = 100.0


def decibels(name: str, value: object, unit: str = "dB") -> float:
    """A level in dB, dBm or dBm/Hz, of either sign."""
    accepted = f"it must be between -1,000 and 1,000 {unit}"
    return number(name, value, accepted, lambda v: abs(v) <= 1000)


def spectral_efficiency(name: str, value: object) -> float:
    """Bits a second in each hertz: above 0, and small enough not to be bits a second."""
    accepted = (
        f"it must be above 0 and at most {_MOST_BITS_PER_S_PER_HZ:g} bit/s/Hz "
        "(a rate in bit/s divided by its bandwidth in Hz)"
    )
    return number(name, value, accepted, lambda v: 0 < v <= _MOST_BITS_PER_S_PER_HZ)


def row(
    name: str, values: ArrayLike, accepted: str, holds: Elementwise, each: str = "client"
) -> Floats:
    """A read-only array of one number for each client (or step), that nobody else can change."""
    array = numbers(name, values, accepted, holds)
    if array.ndim != 1 or array.size == 0:
        accepted = f"it must be a row of at least one number, one for each {each}"
        raise ArgumentError(f"{name}.shape", array.shape, accepted)
    if array.flags.writeable:
        array = array.copy()
        array.flags.writeable = False
    return array


def snrs(name: str, values: ArrayLike) -> Floats:
    """Signal-to-noise ratios of one moment, of any shape: linear, 0 or more."""
    accepted = "every SNR must be a finite ratio of 0 or more (linear, not dB)"
    return numbers(name, values, accepted, lambda v: v >= 0)


def mean_snrs(name: str, values: ArrayLike) -> Floats:
    """Mean signal-to-noise ratios, one a client: linear, above 0."""
    accepted = "every mean SNR must be a finite ratio above 0 (linear, not dB)"
    return row(name, values, accepted, lambda v: v > 0)


def same_size(name: str, values: Floats, size: int, as_many_as: str) -> None:
    """Refuse a row of another length than something else has."""
    if values.size != size:
        raise ArgumentError(f"{name}.size", values.size, f"it must be {size}, as {as_many_as} is")
