"""Samples a second of local training, beside the reference loop."""

from itertools import islice
from statistics import median

import numpy as np

from cases import UNJUDGED, Case, case, training
from measuring import Row, per_second, progress, seconds_of, times

WARM_UP = 2  # rounds, in which heaps grow
GOALS = (("CNN", "fp32", "≥ 2.5×"), ("MLP", "fp32", "≥ 4×"), ("LSTM", "fp32", "≥ 1.3×"),
         ("LSTM", "bf16", "≥ 2×"))  # fmt: skip


def throughput_rows(repeats: int, *, small: bool) -> tuple[list[Row], dict[str, float], set[str]]:
    """The table's rows, our samples a second for each model, and what the data were.

    A round is everything from the clients' draw to the new model, but for judging it. Ours
    is done by two processes, the reference by two threads; the rounds take turns, with the
    same clients.
    """
    rows, rates, sources = [], {}, set()
    for model, precision, goal in GOALS:
        of = case(model, clients_a_round=8 if small else 32, small=small)
        progress(f"{model}, {precision}")
        reference, ours, ratio = rates_per_s(of, precision, repeats)
        name = model if precision == "fp32" else f'{model}, precision="{precision}"'
        what = f"{name}, {of.config.num_channels} clients a round"
        beside = f"{per_second(reference)} reference"
        rows.append(Row(what, per_second(ours), beside, times(ratio), goal))
        rates[name] = ours
        sources.add(of.source)
    return rows, rates, sources


def rates_per_s(of: Case, precision: str, repeats: int) -> tuple[float, float, float]:
    """Samples a second of the reference and of ours, medians, and the median of their ratios."""
    parts = of.assembled(executor="processes", workers=2, precision=precision, **UNJUDGED)
    reference = of.reference()
    found = []
    with training(parts) as (ours, steps):
        for number, step in enumerate(islice(steps, WARM_UP + repeats)):
            samples = int(np.diff(of.data.offset)[step.client].sum())
            taken_s = [
                seconds_of(reference.take_round, step.client.tolist()),
                seconds_of(ours.take, step),
            ]
            if number >= WARM_UP:
                found.append([samples / each for each in taken_s])
    reference_rates, our_rates = zip(*found, strict=True)
    ratios = [ours / reference for reference, ours in found]
    return median(reference_rates), median(our_rates), median(ratios)
