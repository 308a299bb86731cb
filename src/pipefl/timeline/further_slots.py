"""Slots beyond the last one of a plan, for clients that missed theirs."""

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Number = TypeVar("Number", float, NDArray[np.float64])


def further_slot(
    number: Number, last_slot_s: float, spacing_s: Number, earliest_s: Number
) -> tuple[Number, Number]:
    r"""The number j and the time of the next slot beyond θ_K for which somebody is ready.

    .. math:: \theta_{K+j} = \theta_K + j\,\tau_\text{com}, \qquad
        j = \max\Big( j' + 1,\ \Big\lceil
        \frac{\tau_\text{min} - \theta_K}{\tau_\text{com}} \Big\rceil \Big)

    Slots that nobody is ready for are skipped at once, however many there are: uploads may
    be a million times shorter than a client is late.

    Legend: j′ `number` of the slot before, 0 for θ_K itself; θ_K `last_slot_s`; τ_com
    `spacing_s`, the longest upload; τ_min `earliest_s`, when the first of those that wait is
    ready. Numbers, or arrays of one for each round. O(1) a round.

    >>> further_slot(np.array([0.0, 1.0]), 6.0, np.array([2.0, 2.0]), np.array([7.0, 7.0]))
    (array([1., 2.]), array([ 8., 10.]))
    """
    due = np.ceil((earliest_s - last_slot_s) / spacing_s)
    following = np.maximum(np.add(number, 1.0), due)
    slot_s = np.maximum(last_slot_s + following * spacing_s, earliest_s)  # rounding only
    return following, slot_s
