"""Compute times that differ from round to round, as phones do that run other apps as well."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pipefl.arrays import numbers
from pipefl.checks import between, count
from pipefl.errors import ArgumentError
from pipefl.randomness import generator

# Beyond it a factor could come out as 0 and with it a compute time; 1 is a great deal already.
_LARGEST_COEFFICIENT = 100.0


@dataclass(frozen=True)
class Jitter:
    r"""A log-normal factor of mean 1 on every compute time, drawn anew for each round.

    .. math:: \tau_m^{(t)} = \tau_m X, \qquad
        \ln X \sim \mathcal{N}\big(-s^2/2,\ s^2\big), \qquad s^2 = \ln(1 + c^2)

    so that E[X] = 1 and the deviation of X is c: a client keeps its mean time.

    Legend: c `coefficient_of_variation`, from 0 (every round alike) to 100; 0.1 is
    a time that is mostly within 10 % of its mean.

    >>> Jitter(0.5).factors(np.random.default_rng(0), 100_000).mean().round(2)
    np.float64(1.0)
    >>> Jitter(0.0).times_s([10.0, 20.0], round_index=3)
    array([10., 20.])
    """

    coefficient_of_variation: float

    def __post_init__(self) -> None:
        name = "coefficient_of_variation"
        between(name, self.coefficient_of_variation, 0.0, _LARGEST_COEFFICIENT)

    def times_s(
        self, compute_time_s: ArrayLike, round_index: int, seed: int = 0
    ) -> NDArray[np.float64]:
        """The M compute times of one round, in seconds. O(M).

        They depend on the seed, the round and the client's place only: in a longer array
        the first clients have the same factors.
        """
        accepted = "it must hold one finite time above 0 seconds for each client"
        mean = numbers("compute_time_s", compute_time_s, accepted, lambda v: v > 0)
        if mean.ndim != 1:
            raise ArgumentError("compute_time_s", compute_time_s, accepted)
        round_key = count("round_index", round_index, minimum=0)
        return mean * self.factors(generator(seed, "jitter", round_key), mean.shape)

    def factors(
        self, rng: np.random.Generator, shape: int | tuple[int, ...]
    ) -> NDArray[np.float64]:
        """Independent factors of that shape, all at once, for a caller with its own generator.

        With a coefficient of 0 they are all 1, and nothing is drawn from the generator.
        """
        if self.coefficient_of_variation == 0:
            return np.ones(shape)
        log_variance = np.log1p(self.coefficient_of_variation**2)
        return np.exp(rng.normal(-log_variance / 2, np.sqrt(log_variance), shape))
