"""Samples a second of local training, beside the reference loop."""

from collections.abc import Callable, Iterable
from itertools import islice
from statistics import median
from time import sleep
from typing import TypeVar

import numpy as np

from cases import UNJUDGED, Case, case, training
from measuring import Row, per_second, progress, seconds_of, times

T = TypeVar("T")

# A second or so, since the caches are full of the other's model at first.
ROUNDS_A_TURN = {"CNN": 4, "MLP": 40, "LSTM": 1}
WARM_UP = 1  # turns, in which heaps grow
SETTLING_S = 0.3  # the reference's second thread spins for a while before it sleeps
GOALS = (("CNN", "fp32", "≥ 2.5×"), ("MLP", "fp32", "≥ 4×"), ("LSTM", "fp32", "≥ 1.3×"),
         ("LSTM", "bf16", "≥ 2×"))  # fmt: skip


def throughput_rows(repeats: int, *, small: bool) -> tuple[list[Row], dict[str, float], set[str]]:
    """The table's rows, our samples a second for each model, and what the data were.

    A round is everything from the clients' draw to the new model, but for judging it. Ours
    is done by two processes, the reference by two threads; they take turns, with the same
    clients.
    """
    rows, rates, sources = [], {}, set()
    for model, precision, goal in GOALS:
        of = case(model, clients_a_round=8 if small else 32, small=small)
        progress(f"{model}, {precision}")
        reference, ours, ratio = rates_per_s(of, precision, ROUNDS_A_TURN[model], repeats)
        name = model if precision == "fp32" else f'{model}, precision="{precision}"'
        what = f"{name}, {of.config.num_channels} clients a round"
        beside = f"{per_second(reference)} reference"
        rows.append(Row(what, per_second(ours), beside, times(ratio), goal))
        rates[name] = ours
        sources.add(of.source)
    return rows, rates, sources


def rates_per_s(
    of: Case, precision: str, rounds_a_turn: int, repeats: int
) -> tuple[float, float, float]:
    """Samples a second of the reference and of ours, medians, and the median of their ratios."""
    parts = of.assembled(executor="processes", workers=2, precision=precision, **UNJUDGED)
    reference = of.reference()
    found = []
    with training(parts) as (ours, steps):
        for number in range(WARM_UP + repeats):
            turn = list(islice(steps, rounds_a_turn))
            samples = sum(int(np.diff(of.data.offset)[step.client].sum()) for step in turn)
            cohorts = [step.client.tolist() for step in turn]
            taken_s = [seconds_of(_each, reference.take_round, cohorts)]
            sleep(SETTLING_S)
            taken_s.append(seconds_of(_each, ours.take, turn))
            if number >= WARM_UP:
                found.append([samples / each for each in taken_s])
    reference_rates, our_rates = zip(*found, strict=True)
    ratios = [ours / reference for reference, ours in found]
    return median(reference_rates), median(our_rates), median(ratios)


def _each(take: Callable[[T], object], things: Iterable[T]) -> None:
    for thing in things:
        take(thing)
