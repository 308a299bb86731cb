"""Which part of a round's time goes where: in a worker, and in the process that asks it."""

import cProfile
import re
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from pstats import Stats
from typing import Any

from cases import UNJUDGED, case, training
from measuring import columns, progress
from pipefl.models.heap import keep_freed_memory
from pipefl.train.assembly import Assembly

Function = tuple[str, int, str]
"""As the profiler knows it: file, line and name; the file is "~" if Python is not its language."""

PRODUCTS, RECURRENCE = "products of matrices", "recurrence and its gradient"
WAITING, REST = "waiting for workers", "the rest"
OF_CALL = {
    **dict.fromkeys(("mm", "bmm", "addmm", "addmm_", "baddbmm_"), PRODUCTS),
    **dict.fromkeys(("lstm", "run_backward"), RECURRENCE),
    "poll": WAITING,
}
OF_FUNCTION = {"on_both_sides": "patches and tiles", "_patches": "patches and tiles"}
OF_FILE = {
    "pooling": "pooling",
    "loss": "loss",
    **dict.fromkeys(("workplace", "randomness", "differentiated"), "batches"),
    **dict.fromkeys(("algorithm", "descent", "joint_change", "local_sgd", "work"), "averaging"),
    **dict.fromkeys(("training", "server", "slots"), "averaging"),
}


def shares_table(repeats: int, *, small: bool) -> str:
    """A column a model: where the time of a worker goes, and how long it is not waited for.

    The profiler makes calls longer, and so what has many small ones.
    """
    keep_freed_memory()
    shares = {}
    for model in ("CNN", "MLP", "LSTM"):
        progress(f"profile, {model}")
        of = case(model, clients_a_round=8 if small else 32, small=small)
        asking = profiled(of.assembled(executor="processes", workers=2, **UNJUDGED), repeats)
        worker = profiled(of.assembled(**UNJUDGED), repeats)
        shares[model] = worker | {"asking process, not waiting": 1 - asking[WAITING]}
    kinds = dict.fromkeys(kind for column in shares.values() for kind in column)
    ordered = sorted(kinds, key=lambda kind: (kind.startswith("asking"), kind == REST))
    cells = [[kind, *(_percent(shares[model].get(kind)) for model in shares)] for kind in ordered]
    return columns([["share of the time", *shares], *cells])


def profiled(parts: Assembly, repeats: int) -> dict[str, float]:
    """The shares of this process's time in rounds of a training, after one that is not counted."""
    profiler = cProfile.Profile()
    with training(parts) as (ours, steps):
        ours.take(next(steps))
        chosen = list(islice(steps, repeats))
        profiler.enable()
        for step in chosen:
            ours.take(step)
        profiler.disable()
    taken: Counter[str] = Counter()
    for kind, seconds in _kinds(Stats(profiler)):
        taken[kind] += seconds  # type: ignore[assignment]  # counters also add up floats
    return {kind: seconds / sum(taken.values()) for kind, seconds in taken.items()}


def _kinds(stats: Any) -> Iterator[tuple[str, float]]:
    """What each function's own time was for; that of calls out of Python goes to the callers."""
    for function, (_, _, own_s, _, callers) in stats.stats.items():
        if function[0] != "~":
            yield _kind_of_python(function), own_s
            continue
        for caller, (_, _, of_caller_s, _) in callers.items():
            yield _kind_of_call(function, caller), of_caller_s


def _kind_of_python(function: Function) -> str:
    file, _, name = function
    return OF_FUNCTION.get(name) or OF_FILE.get(Path(file).stem, REST)


def _kind_of_call(function: Function, caller: Function) -> str:
    by_caller = _kind_of_python(caller)
    words = re.findall(r"[a-z_]+", function[2].replace("built-in method", ""))
    named = next((OF_CALL[word] for word in words if word in OF_CALL), by_caller)
    return by_caller if named == PRODUCTS and by_caller == "patches and tiles" else named


def _percent(share: float | None) -> str:
    return "" if share is None else f"{share:.0%}"
