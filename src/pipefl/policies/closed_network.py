"""How busy W clients that are always out keep N sub-channels: an instant forecast."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_banded
from scipy.special import gammaln, xlog1py, xlogy

from pipefl.checks import count
from pipefl.policies.scene import Scene

_OVERLOAD = 4.0  # asked for that much more than there is, a sub-channel idles in < 0.1 % of time
_MOST_ITERATIONS = 50
_CONVERGED = 1e-6
_ALMOST_SURE = 1 - 1e-9
_TAIL_DEVIATIONS = 10.0  # a binomial is cut off that far above its mean, plus a few


@dataclass(frozen=True)
class Load:
    """What W clients in flight make of the sub-channels in the long run.

    `utilisation` is the share of the sub-channels' time in which they carry an upload,
    `clients_per_s` how many uploads end in a second, `wait_s` the mean time from being
    ready to the start of the upload. `relative_error` is the standard error of the first
    two as a share of them, NaN where it is not known.
    """

    in_flight: int
    utilisation: float
    clients_per_s: float
    wait_s: float
    relative_error: float = math.nan


def most_utilisation(scene: Scene, in_flight: int) -> float:
    r"""The utilisation if no client ever had to wait: no schedule of these clients beats it.

    .. math:: U \le \min\Big(1,\ \frac{W}{N}\,\frac{S}{Z + S}\Big)

    Legend as in `forecast_load`. With W close to M it is not a bound, because fast
    clients are then out more often than slow ones.
    """
    upload_s = float(_upload_times(scene).mean())
    compute_s = float(scene.compute_time_s.mean()) + scene.server_time_s
    return min(1.0, in_flight * upload_s / (scene.num_channels * (compute_s + upload_s)))


def forecast_load(scene: Scene, in_flight: int) -> Load:
    r"""The load of W clients in flight, from a Markov chain on the grid of upload times.

    A closed queueing network: W customers go round between a stage where all are served
    at once (computing, and the server's answer: mean Z) and N servers that take S each,
    first come, first served. Its product form holds for exponential service only; for
    constant service it is up to 19 % too low. So the chain of Crommelin for M/D/N is
    taken over to a finite population: with n clients waiting or uploading at some moment,
    all b = min(n, N) that upload then have ended S later, and nobody else has, so that

    .. math:: n' = n - b + \mathrm{Bin}(W - n,\ p) + \mathrm{Bin}(b,\ q), \qquad
        p = \frac{E\min(\tau, S)}{Z}, \qquad q = 1 - \frac{E\min(\tau, S)}{S}

    p is the chance that a client found computing is ready within S (its residual time has
    the density P(τ > x)/Z), q that one whose upload ends at any moment of the S, or its
    successor, is ready again within the rest of it. With these two the chain satisfies
    Little's law exactly. U = E min(n, N)/N and X = N U/S follow.

    Which clients are out is not quite uniform when W is near M: the busy time of each is
    part of its cycle, and in X_m = 1/(τ_m + common) the weights of the means solve

    .. math:: \omega_m \propto \frac{1}{\tau_m + M/X - Z}, \qquad
        Z = \sum_m \omega_m \tau_m

    Legend: W `in_flight`, M clients, N sub-channels, τ compute time plus server time, S
    upload time, U utilisation, X uploads a second.

    Assumes equal uploads (unequal ones enter by their mean) and that computing clients
    forget how long they have been at it. Throughput compared with simulation for N = 1 … 8,
    S/Z = 0.05 … 2 and W up to three times what would do: off by at most 2.4 % for uniform
    times whose longest is 7 times the shortest, 2.0 % for log-normal ones with σ = 0.5, 0.9 %
    with σ = 1. The closer together the compute times, the more pessimistic, for such clients
    fall into step: 6 % with σ = 0.2, 13 % where all are within 2 %. `measure_load` has no such
    limits. O(W (N + A)²), A the most clients that get ready in S.

    >>> scene = Scene(np.linspace(10.0, 70.0, 600), 2.0, num_channels=4)
    >>> round(forecast_load(scene, in_flight=84).utilisation, 2)
    0.96
    """
    count("in_flight", in_flight, maximum=scene.num_clients)
    answered_s = scene.compute_time_s + scene.server_time_s
    upload_time_s = _upload_times(scene)
    weight = np.full(scene.num_clients, 1.0 / scene.num_clients)
    rate_hz = 0.0
    for _ in range(_MOST_ITERATIONS):
        compute_s = float(weight @ answered_s)
        upload_s = float(weight @ upload_time_s)
        ready_s = float(weight @ np.minimum(answered_s, upload_s))
        busy = _busy(in_flight, scene.num_channels, compute_s, upload_s, ready_s)
        previous_hz, rate_hz = rate_hz, busy / upload_s
        if abs(rate_hz - previous_hz) < _CONVERGED * rate_hz:
            break
        weight = 1.0 / (answered_s + scene.num_clients / rate_hz - compute_s)
        weight /= weight.sum()
    wait_s = max(0.0, in_flight / rate_hz - compute_s - upload_s)
    return Load(in_flight, busy / scene.num_channels, rate_hz, wait_s)


def _upload_times(scene: Scene) -> NDArray[np.float64]:
    """As in the first round, if they differ from round to round; the mean of whoever has none."""
    times = scene.round_upload_time_s(0)
    reached = np.isfinite(times)
    return np.where(reached, times, times[reached].mean() if reached.any() else 1.0)


def _busy(
    in_flight: int, num_channels: int, compute_s: float, upload_s: float, ready_s: float
) -> float:
    """E min(n, N): how many sub-channels are busy on average."""
    wanted = in_flight * upload_s / (compute_s + upload_s)
    if wanted > _OVERLOAD * num_channels:
        return float(num_channels)
    # A chance of 1 would let the chain alternate between states for ever, in more ways than one.
    ready = min(_ALMOST_SURE, ready_s / compute_s)
    again = max(0.0, 1.0 - ready_s / upload_s)  # for rounding
    moves, lowest = _moves(in_flight, num_channels, ready, again)
    likeliest = round(max(in_flight - num_channels * compute_s / upload_s, wanted))
    share = _stationary(moves, lowest, likeliest)
    return float(share @ np.minimum(np.arange(in_flight + 1), num_channels))


def _moves(
    in_flight: int, num_channels: int, ready: float, again: float
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Row n: the chances of going from n to lowest[n], lowest[n] + 1 and so on."""
    state = np.arange(in_flight + 1)
    busy = np.minimum(state, num_channels)
    mean = in_flight * ready
    width = min(in_flight, math.ceil(mean + _TAIL_DEVIATIONS * math.sqrt(mean) + 10))
    fresh = _binomial(in_flight - state, ready, width)
    back = _binomial(busy, again, min(in_flight, num_channels))
    moves = np.zeros((in_flight + 1, width + back.shape[1]))
    for k in range(back.shape[1]):
        moves[:, k : k + width + 1] += back[:, k : k + 1] * fresh
    return moves / moves.sum(axis=1, keepdims=True), state - busy


def _binomial(trials: NDArray[np.int64], chance: float, most: int) -> NDArray[np.float64]:
    """Row i: the chances of 0, 1, … `most` hits in trials[i]."""
    n, k = trials[:, None], np.arange(most + 1)
    misses = np.maximum(n - k, 0)
    log = gammaln(n + 1) - gammaln(k + 1) - gammaln(misses + 1)
    log = log + xlogy(k, chance) + xlog1py(misses, -chance)
    return np.where(k <= n, np.exp(log), 0.0)


def _stationary(
    moves: NDArray[np.float64], lowest: NDArray[np.int64], likeliest: int
) -> NDArray[np.float64]:
    """The chances of each state in the long run: π = πP, with π = 1 at the likeliest first.

    Scaling at the likeliest state keeps numbers in range; the matrix has a narrow band.
    """
    size = moves.shape[0]
    source = np.repeat(np.arange(size), moves.shape[1])
    target = (lowest[:, None] + np.arange(moves.shape[1])).ravel()
    chance = moves.ravel()
    inside = (target < size) & (target != likeliest) & (chance > 0)
    source, target, chance = source[inside], target[inside], chance[inside]
    below = int(max(0, (target - source).max(initial=0)))
    above = int(max(0, (source - target).max(initial=0)))
    band = np.zeros((below + above + 1, size))
    band[above + target - source, source] = chance
    band[above] -= 1.0
    band[above, likeliest] = 1.0
    unit = np.zeros(size)
    unit[likeliest] = 1.0
    share: NDArray[np.float64] = solve_banded((below, above), band, unit)
    share /= share.sum()
    return share
