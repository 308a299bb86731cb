"""Compute times drawn from a distribution that is given by name."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pipefl.checks import count, number
from pipefl.devices.population import Population
from pipefl.errors import ArgumentError
from pipefl.randomness import generator
from pipefl.settings import nearest
from pipefl.wording import counted

_ACCEPTED = "it must be a finite number above 0"

Draw = Callable[[np.random.Generator, int, tuple[float, ...]], "Drawn"]


@dataclass(frozen=True, eq=False)
class Drawn:
    """Compute times, and the sample counts that they come from, if they do."""

    compute_time_s: NDArray[np.float64]
    num_samples: NDArray[np.int64] | None = None


@dataclass(frozen=True)
class Family:
    """A named family of distributions: what its numbers are and how to draw from it."""

    parameters: tuple[str, ...]
    draw: Draw


def is_distribution(text: str) -> bool:
    """Whether a text such as `uniform:10:70` names a distribution rather than a file."""
    return text.partition(":")[0] in FAMILIES


def refuse_unless_file(text: str) -> None:
    """Complain of a text such as `unifrom:10:70` that is neither a distribution nor a file."""
    name, colon, _ = text.partition(":")
    if colon and not Path(text).exists():
        raise ArgumentError("distribution", text, _nearest(name))


def draw_population(text: str, num_clients: int, seed: int = 0) -> Population:
    """Draw compute times from a distribution written as `name:number:number…`.

    ==============================  ====================================================
    name                            compute times
    ==============================  ====================================================
    `uniform:LOW:HIGH`              uniform between two times
    `even:LOW:HIGH`                 evenly spread between two times, nothing random (the
                                    paper's uniform example)
    `lognormal:MEDIAN:SIGMA`        ln τ is normal with mean ln MEDIAN and deviation SIGMA
    `exponential:SHORTEST:MEAN`     SHORTEST plus an exponential time, MEAN in all
    `samples:LOW:HIGH:SECONDS`      n uniform on the whole numbers LOW … HIGH, and τ = σ n
                                    with σ = SECONDS a sample (the paper's MNIST clients)
    ==============================  ====================================================

    >>> draw_population("even:10:70", num_clients=3).compute_time_s
    array([10., 40., 70.])
    >>> draw_population("samples:10:70:0.1", num_clients=1500).num_samples.max()
    np.int64(70)
    """
    name, *numbers = text.split(":")
    if name not in FAMILIES:
        raise ArgumentError("distribution", text, _nearest(name))
    family = FAMILIES[name]
    if len(numbers) != len(family.parameters):
        pattern = ":".join((name, *family.parameters))
        raise ArgumentError("distribution", text, f"it must have the form {pattern}")
    parameters = tuple(
        number(f"{parameter} of {text!r}", _read(given), _ACCEPTED, lambda value: value > 0)
        for parameter, given in zip(family.parameters, numbers, strict=True)
    )
    rng = generator(seed, "compute times")
    drawn = family.draw(rng, count("num_clients", num_clients), parameters)
    source = f"{text}, {counted(num_clients, 'client')}, seed {seed}"
    return Population(source, drawn.compute_time_s, num_samples=drawn.num_samples)


def _read(text: str) -> float | str:
    """The number, or the text that is none, for the complaint."""
    try:
        return float(text)
    except ValueError:
        return text


def _nearest(name: str) -> str:
    return f"{nearest(name, FAMILIES)}the distributions are {', '.join(FAMILIES)}"


def _uniform(rng: np.random.Generator, num_clients: int, numbers: tuple[float, ...]) -> Drawn:
    low, high = _ordered(numbers)
    return Drawn(rng.uniform(low, high, num_clients))


def _even(rng: np.random.Generator, num_clients: int, numbers: tuple[float, ...]) -> Drawn:
    low, high = _ordered(numbers)
    return Drawn(np.linspace(low, high, num_clients).astype(np.float64))


def _lognormal(rng: np.random.Generator, num_clients: int, numbers: tuple[float, ...]) -> Drawn:
    median, sigma = numbers
    return Drawn(rng.lognormal(np.log(median), sigma, num_clients))


def _exponential(rng: np.random.Generator, num_clients: int, numbers: tuple[float, ...]) -> Drawn:
    shortest, mean = _ordered(numbers)
    return Drawn(shortest + rng.exponential(mean - shortest, num_clients))


def _samples(rng: np.random.Generator, num_clients: int, numbers: tuple[float, ...]) -> Drawn:
    low, high = _ordered(numbers[:2])
    if not (low.is_integer() and high.is_integer() and high < 2**63):
        accepted = "numbers of samples must be whole and below 2^63"
        raise ArgumentError("LOW and HIGH", numbers[:2], accepted)
    num_samples = rng.integers(int(low), int(high), num_clients, endpoint=True)
    return Drawn(num_samples.astype(np.float64) * numbers[2], num_samples)


def _ordered(numbers: tuple[float, ...]) -> tuple[float, float]:
    low, high = numbers
    if high < low:
        raise ArgumentError("distribution", numbers, "the larger number must come second")
    return low, high


FAMILIES = {
    "uniform": Family(("LOW", "HIGH"), _uniform),
    "even": Family(("LOW", "HIGH"), _even),
    "lognormal": Family(("MEDIAN", "SIGMA"), _lognormal),
    "exponential": Family(("SHORTEST", "MEAN"), _exponential),
    "samples": Family(("LOW", "HIGH", "SECONDS"), _samples),
}
