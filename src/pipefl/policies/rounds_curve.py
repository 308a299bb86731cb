"""How many rounds a target accuracy takes, as a function of the clients in a round."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pipefl.checks import number
from pipefl.errors import ArgumentError
from pipefl.plan.times import frozen_floats

LEAST_POWER, MOST_POWER = 0.05, 10.0
_POWERS_TRIED = 120


@dataclass(frozen=True)
class RoundsCurve:
    r"""Rounds to a target accuracy with c clients a round: a saturating power law.

    .. math:: T(c) = a + b\, c^{-p}, \qquad a \ge 0,\ b > 0,\ p > 0

    Each round averages c clients, whose noise falls as 1/c: with p = 1 the second term is
    what that noise costs, and a is what even a round of all clients would take. Other
    powers leave room for what the argument overlooks: local steps, unequal data.

    Legend: c clients per round, T `rounds`, a `floor`, b `scale`, p `power`.
    `relative_error` is the root mean square of T(c)/T − 1 over the points fitted to, and
    `domain` their fewest and most clients per round: `extrapolates` tells which c lie
    outside. The curve knows c alone, not how the c clients were chosen. O(1) a value.

    >>> curve = RoundsCurve(floor=100.0, scale=200.0, power=1.0, domain=(1.0, 32.0))
    >>> curve.rounds([1, 2, 8, 64])
    array([300.   , 200.   , 125.   , 103.125])
    >>> curve.extrapolates([1, 2, 8, 64])
    array([False, False, False,  True])
    """

    floor: float
    scale: float
    power: float
    relative_error: float = 0.0
    domain: tuple[float, float] = (1.0, math.inf)

    def __post_init__(self) -> None:
        for name in ("floor", "relative_error"):
            accepted = "it must be a finite number of at least 0"
            number(name, getattr(self, name), accepted, lambda v: v >= 0)
        for name in ("scale", "power"):
            accepted = "it must be a finite number above 0"
            number(name, getattr(self, name), accepted, lambda v: v > 0)
        if np.shape(self.domain) != (2,) or not 1 <= self.domain[0] <= self.domain[1]:
            accepted = "it must be the fewest and the most clients per round, ascending from 1"
            raise ArgumentError("domain", self.domain, accepted)

    def rounds(self, clients_per_round: ArrayLike) -> NDArray[np.float64]:
        """T(c), of the shape of `clients_per_round`; not rounded to whole rounds."""
        clients = _clients(clients_per_round)
        return np.asarray(self.floor + self.scale * clients**-self.power)

    def extrapolates(self, clients_per_round: ArrayLike) -> NDArray[np.bool_]:
        """Whether each c lies outside the points that the curve was fitted to."""
        clients = _clients(clients_per_round)
        return np.asarray((clients < self.domain[0]) | (clients > self.domain[1]))


def fit_rounds_curve(clients_per_round: ArrayLike, rounds: ArrayLike) -> RoundsCurve:
    r"""The curve with the least relative error at the points (c_i, T_i).

    .. math:: \min_{a \ge 0,\ b \ge 0,\ p} \sum_i \Big( \frac{a + b\,c_i^{-p}}{T_i} - 1 \Big)^2

    Relative, because a training run's noise is a share of its length: 1,182 rounds with
    one client and 190 with 32 weigh alike. For a given p this is a non-negative linear
    least-squares problem in a and b, so that only p is searched for, from 0.05 to 10: no
    first guess, no local optimum in a and b. How much is fitted depends on how many
    *different* c there are:

    - one: nothing can be said of other c, and it is refused;
    - two: p = 1, the averaging argument, unless the rounds fall faster than 1/c. Then
      a = 0 and p is their slope. Both pass through the two means;
    - three or more: a, b and p.

    Legend: c `clients_per_round`, T `rounds`, equally many numbers, at least 1. Several
    points may have the same c. O(points) for each of some 150 values of p.

    >>> fit_rounds_curve([1, 2], [300, 200])
    RoundsCurve(floor=100.0, scale=200.0, power=1.0, relative_error=0.0, domain=(1.0, 2.0))
    """
    clients, measured = _points(clients_per_round, rounds)
    different = np.unique(clients)
    if different.size == 1:
        accepted = "points with one number of clients say nothing of others; give two or more"
        raise ArgumentError("clients_per_round", clients.tolist(), accepted)
    if different.size == 2:
        floor, scale, power = _through_two(clients, measured, different)
    else:
        floor, scale, power = _least_relative_error(clients, measured)
    if not scale > 0:
        accepted = "the curve needs rounds that fall as clients per round grow"
        raise ArgumentError("rounds", measured.tolist(), accepted)
    error = (floor + scale * clients**-power) / measured - 1
    return RoundsCurve(
        floor=floor,
        scale=scale,
        power=power,
        relative_error=float(np.sqrt(np.mean(error**2))),
        domain=(float(different[0]), float(different[-1])),
    )


def checked_curve(name: str, value: object) -> RoundsCurve:
    """The curve, or a clear error if it is none."""
    if not isinstance(value, RoundsCurve):
        raise ArgumentError(name, value, "it must be a RoundsCurve, such as fit_rounds_curve gives")
    return value


def _through_two(
    clients: NDArray[np.float64], measured: NDArray[np.float64], different: NDArray[np.float64]
) -> tuple[float, float, float]:
    """The curve through the means of the points at each of the two c; scale 0 if they rise."""
    means = []
    for fewest_or_most in different:
        rounds = measured[clients == fewest_or_most]
        weight = rounds[0] / rounds  # so that the misfits are relative
        means.append(float(rounds[0] * weight.sum() / np.square(weight).sum()))
    (few, many), (slow, fast) = different.tolist(), means
    floor = (many * fast - few * slow) / (many - few)
    if floor >= 0 or fast >= slow:
        return floor, max(0.0, (slow - fast) / (1 / few - 1 / many)), 1.0
    power = math.log(slow / fast) / math.log(many / few)
    return 0.0, slow * few**power, power


def _least_relative_error(
    clients: NDArray[np.float64], measured: NDArray[np.float64]
) -> tuple[float, float, float]:
    """Floor, scale and power: the best power of a grid, refined between its neighbours."""
    from scipy.optimize import minimize_scalar, nnls  # here, because it takes 0.3 s to import

    fewest = clients.min()  # in units of which c stays within range under any power

    def solve(log_power: float) -> tuple[NDArray[np.float64], float]:
        falling = (clients / fewest) ** -math.exp(log_power)
        columns = np.column_stack([1 / measured, falling / measured])
        columns *= measured.max()  # of the order of 1, whatever the rounds are
        solution, misfit = nnls(columns, np.ones(clients.size))
        return np.asarray(solution) * measured.max(), float(misfit)

    grid = np.linspace(math.log(LEAST_POWER), math.log(MOST_POWER), _POWERS_TRIED)
    best = int(np.argmin([solve(log_power)[1] for log_power in grid]))
    around = float(grid[max(0, best - 1)]), float(grid[min(best + 1, grid.size - 1)])
    refined = minimize_scalar(
        lambda log_power: solve(log_power)[1],
        bounds=around,
        method="bounded",
        options={"xatol": 1e-10},
    )
    (floor, scale), _ = solve(float(refined.x))
    power = math.exp(float(refined.x))
    return float(floor), float(scale * fewest**power), power


def _points(
    clients_per_round: ArrayLike, rounds: ArrayLike
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The points as two arrays of equal length, all from 1 to 1e18."""
    clients = frozen_floats("clients_per_round", clients_per_round)
    measured = frozen_floats("rounds", rounds)
    if clients.size != measured.size:
        accepted = f"it must hold one number for each of {clients.size:,} clients_per_round"
        raise ArgumentError("rounds", measured.tolist(), accepted)
    if clients.size == 0:
        raise ArgumentError("clients_per_round", [], "it must hold two numbers or more")
    for name, values in (("clients_per_round", clients), ("rounds", measured)):
        bad = np.flatnonzero(~((values >= 1) & (values <= 1e18)))
        if bad.size:
            accepted = "it must be a number from 1 to 1e18"
            raise ArgumentError(f"{name}[{bad[0]}]", values[bad[0]], accepted)
    return clients, measured


def _clients(clients_per_round: ArrayLike) -> NDArray[np.float64]:
    accepted = "there must be at least 1 client in every round"
    try:
        clients = np.asarray(clients_per_round, dtype=np.float64)
    except (TypeError, ValueError):
        raise ArgumentError("clients_per_round", clients_per_round, accepted) from None
    if not np.all((clients >= 1) & np.isfinite(clients)):
        raise ArgumentError("clients_per_round", clients_per_round, accepted)
    return clients
