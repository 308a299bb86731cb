"""Decibels, and powers in dBm."""

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from pipefl.arrays import numbers

Level = TypeVar("Level", float, NDArray[np.float64])

_FLOAT_RANGE_DB = 3000.0  # 10^±300; beyond it float64 has no ratio


def db_to_ratio(level_db: Level) -> Level:
    r"""The ratio of two powers that so many decibels mean.

    .. math:: x = 10^{x_\text{dB} / 10}

    >>> float(db_to_ratio(30.0)), db_to_ratio(np.array([0.0, -10.0]))
    (1000.0, array([1. , 0.1]))
    """
    accepted = "a level must be a number of dB between -3,000 and 3,000"
    numbers("level_db", level_db, accepted, lambda v: np.abs(v) <= _FLOAT_RANGE_DB)
    ratio: Level = np.power(10.0, np.divide(level_db, 10.0))
    return ratio


def ratio_to_db(ratio: Level) -> Level:
    r"""How many decibels a ratio of two powers is.

    .. math:: x_\text{dB} = 10 \log_{10} x

    >>> float(ratio_to_db(1000.0))
    30.0
    """
    numbers("ratio", ratio, "a ratio must be finite and above 0 to have decibels", lambda v: v > 0)
    level_db: Level = 10.0 * np.log10(ratio)
    return level_db


def dbm_to_w(power_dbm: Level) -> Level:
    """A power in watts; 0 dBm is a milliwatt.

    >>> float(dbm_to_w(30.0))
    1.0
    """
    power_w: Level = db_to_ratio(power_dbm) / 1000.0
    return power_w


def w_to_dbm(power_w: Level) -> Level:
    """A power in dBm.

    >>> round(float(w_to_dbm(0.2)), 2)
    23.01
    """
    numbers("power_w", power_w, "a power must be finite and above 0 W", lambda v: v > 0)
    power_dbm: Level = ratio_to_db(power_w) + 30.0
    return power_dbm
