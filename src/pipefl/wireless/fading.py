"""How the channel changes from round to round."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pipefl.checks import count
from pipefl.randomness import generator
from pipefl.wireless.quantities import mean_snrs


def rayleigh_snr(mean_snr: ArrayLike, round_index: int, seed: int = 0) -> NDArray[np.float64]:
    r"""Every client's SNR in one round, under Rayleigh block fading.

    .. math:: \gamma_m[t] = \bar\gamma_m \, |h_m[t]|^2, \qquad |h_m[t]|^2 \sim \text{Exp}(1)

    The channel stays as it is for a whole round, however long it lasts, and the next
    round's is independent of it: many scatterers, no line of sight.

    Legend: γ̄ `mean_snr`, M linear ratios; t `round_index`, 0 or more. The same seed and
    round give the same fades, in whatever order rounds are asked for, and client m's does
    not depend on how many clients follow it. O(M).

    >>> first, second = (rayleigh_snr([10.0, 20.0], round_index) for round_index in (0, 1))
    >>> bool(np.any(first == second)), bool(np.all(first == rayleigh_snr([10.0, 20.0], 0)))
    (False, True)
    """
    snr = mean_snrs("mean_snr", mean_snr)
    current = count("round_index", round_index, minimum=0)
    return snr * generator(seed, "rayleigh fading", current).standard_exponential(snr.size)
