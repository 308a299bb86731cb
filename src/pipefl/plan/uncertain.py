"""Compute times that vary from round to round, known by samples or by two moments."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pipefl.errors import ArgumentError
from pipefl.plan.times import compute_times, frozen_floats


@runtime_checkable
class UncertainTimes(Protocol):
    """Compute times of M clients of which only the distribution is known, in seconds."""

    def quantile_s(self, quantile: float) -> NDArray[np.float64]:
        """For each client the time that it keeps in that share of rounds."""
        ...

    def chance_above(self, limit_s: NDArray[np.float64]) -> NDArray[np.float64]:
        """For each client the chance that it takes longer than its own limit."""
        ...

    def draw_s(self, rng: np.random.Generator) -> NDArray[np.float64]:
        """Every client's time in one round."""
        ...


def checked_uncertain(times: object) -> UncertainTimes:
    """The times, or a clear error if they are plain numbers or nothing of the kind."""
    if not isinstance(times, UncertainTimes):
        accepted = "it must be made with times_from_samples or times_from_moments"
        raise ArgumentError("times", times, accepted)
    return times


@dataclass(frozen=True, eq=False)
class LogNormalTimes:
    """Made by `times_from_moments`: ln τ_m is normal with these medians and deviations."""

    log_median: NDArray[np.float64]
    log_deviation: NDArray[np.float64]

    def quantile_s(self, quantile: float) -> NDArray[np.float64]:
        """exp(ln median + z_q · deviation), with z_q the normal quantile."""
        from scipy.special import ndtri

        return np.exp(self.log_median + ndtri(quantile) * self.log_deviation)

    def chance_above(self, limit_s: NDArray[np.float64]) -> NDArray[np.float64]:
        """The normal chance above (ln limit − ln median) / deviation."""
        from scipy.special import ndtr

        distance = self.log_median - np.log(limit_s)
        certain = np.where(distance > 0, 1.0, 0.0)
        spread = np.where(self.log_deviation > 0, self.log_deviation, 1.0)
        return np.where(self.log_deviation > 0, ndtr(distance / spread), certain)

    def draw_s(self, rng: np.random.Generator) -> NDArray[np.float64]:
        """One independent draw a client."""
        return np.exp(rng.normal(self.log_median, self.log_deviation))


@dataclass(frozen=True, eq=False)
class SampledTimes:
    """Made by `times_from_samples`: client m has `sorted_s[start[m]:start[m + 1]]`, ascending."""

    sorted_s: NDArray[np.float64]
    start: NDArray[np.int64]

    def quantile_s(self, quantile: float) -> NDArray[np.float64]:
        """The smallest sample that at least that share of a client's samples do not exceed."""
        num_samples = np.diff(self.start)
        # 0.95 · 20 is 19 and a rounding error; the 20th sample is not meant.
        within = np.ceil(quantile * num_samples - 1e-9).astype(np.int64)
        return self.sorted_s[self.start[:-1] + np.maximum(within, 1) - 1]

    def chance_above(self, limit_s: NDArray[np.float64]) -> NDArray[np.float64]:
        """The share of a client's samples above its limit."""
        num_samples = np.diff(self.start)
        exceeding = self.sorted_s > np.repeat(limit_s, num_samples)
        return np.add.reduceat(exceeding, self.start[:-1], dtype=np.int64) / num_samples

    def draw_s(self, rng: np.random.Generator) -> NDArray[np.float64]:
        """One of its samples a client, all equally likely."""
        return self.sorted_s[rng.integers(self.start[:-1], self.start[1:])]


def times_from_moments(mean_s: ArrayLike, deviation_s: ArrayLike) -> LogNormalTimes:
    r"""A log-normal time for each client, given by mean and standard deviation.

    .. math:: \ln \tau_m \sim \mathcal{N}\big(\ln \mu_m - s_m^2/2,\ s_m^2\big), \qquad
        s_m^2 = \ln\big(1 + \sigma_m^2/\mu_m^2\big)

    Legend: μ `mean_s` (above 0 s), σ `deviation_s` (0 s or more: 0 is always the mean).

    >>> times_from_moments([10.0, 20.0], [0.0, 2.0]).quantile_s(0.9).round(2)
    array([10.  , 22.61])
    """
    mean = compute_times(mean_s, "mean_s")
    deviation = frozen_floats("deviation_s", deviation_s)
    if deviation.shape != mean.shape:
        accepted = f"it must hold one number for each of the {mean.size} clients"
        raise ArgumentError("deviation_s", deviation_s, accepted)
    bad = np.flatnonzero(~(np.isfinite(deviation) & (deviation >= 0)))
    if bad.size:
        accepted = "every deviation must be finite and 0 seconds or more"
        raise ArgumentError(f"deviation_s[{bad[0]}]", deviation[bad[0]], accepted)
    log_variance = np.log1p((deviation / mean) ** 2)
    return LogNormalTimes(np.log(mean) - log_variance / 2, np.sqrt(log_variance))


def times_from_samples(samples_s: Sequence[ArrayLike]) -> SampledTimes:
    """Each client's own measurements, at least one a client and not equally many.

    >>> times = times_from_samples([[3.0, 1.0, 2.0, 4.0], [5.0]])
    >>> times.quantile_s(0.75), times.chance_above(np.array([3.0, 3.0]))
    (array([3., 5.]), array([0.25, 1.  ]))
    """
    per_client = [compute_times(its_s, f"samples_s[{m}]") for m, its_s in enumerate(samples_s)]
    if not per_client:
        raise ArgumentError("samples_s", samples_s, "it must hold at least one client's samples")
    start = np.cumsum([0, *(of_client.size for of_client in per_client)])
    return SampledTimes(np.concatenate([np.sort(c) for c in per_client]), start)
