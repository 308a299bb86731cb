"""What a round takes beside its training and its evaluation."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import thread_time
from typing import Any, cast

from cases import NEVER, UNJUDGED, Case, blank_images, case, training
from measuring import Row, progress, seconds, seconds_of, times
from pipefl.models.heap import keep_freed_memory
from pipefl.models.joint_change import JointChange
from pipefl.models.model import Model
from pipefl.runs.overrides import with_overrides
from pipefl.runs.records import RecordFile
from pipefl.train.executors.executor import Executor
from pipefl.train.executors.serial import Serial
from pipefl.train.training import Training

WARM_UP = 12  # rounds, until the heap does not grow any more


@dataclass
class Watch:
    """How long what it watches has taken."""

    taken_s: float = 0.0


class Timed:
    """Stands for an object, has some methods watched, and has some other attributes.

    Changes of clients that were trained together are watched as well: their sum is the last
    product of matrices of their steps.
    """

    def __init__(self, timed: object, watch: Watch, *methods: str, **others: object) -> None:
        self._timed = timed
        self._watch = watch
        self._methods = methods
        self._others = others

    def __getattr__(self, name: str) -> Any:
        if name in self._others:
            return self._others[name]
        found = getattr(self._timed, name)
        return partial(self._call, found) if name in self._methods else found

    def _call(self, method: Callable[..., object], *args: object) -> object:
        start = thread_time()
        result = method(*args)
        self._watch.taken_s += thread_time() - start
        return Timed(result, self._watch, "sum") if isinstance(result, JointChange) else result


def overhead_rows(repeats: int, *, small: bool) -> list[Row]:
    """Rounds of four clients, judged and recorded, less their steps and the judging.

    They run in one process, where that can be told apart, and what counts is the processor's
    time, which other programs disturb least. What is left is: draws, batches, images to
    floats, copies and differences of models, sums, the server's step, the order in which to
    judge, and the record.
    """
    keep_freed_memory()
    rows = []
    for name in ("CNN", "MLP", "LSTM"):
        progress(f"overhead, {name}")
        round_s, rest_s = overhead_s(name, repeats, small=small)
        what = f"{name}, round of 4 clients but for steps and judging"
        beside = f"{seconds(round_s)} round"
        rows.append(Row(what, seconds(rest_s), beside, times(rest_s / round_s), "< 3 ms"))
    taken_s = bare_round_s(8 * repeats)
    what = "linear model, whole round of 4 clients of 1 image, two processes"
    return [*rows, Row(what, seconds(taken_s), goal="< 3 ms")]


def bare_round_s(repeats: int) -> float:
    """The median of rounds with next to nothing to compute: messages, sums and the record."""
    config = case("CNN", clients_a_round=4, small=True).config
    # All compute for the same time, so that no upload time follows from that.
    changed = {"model": "linear", "executor": "processes", "workers": 2, "upload_time_s": 1.0}
    of = Case(with_overrides(config, changed), blank_images(100, 1))
    with training(of.assembled(**UNJUDGED)) as (ours, steps):
        taken_s = [seconds_of(ours.take, step) for step in islice(steps, WARM_UP + repeats)]
    return median(taken_s[WARM_UP:])


def overhead_s(name: str, repeats: int, *, small: bool) -> tuple[float, float]:
    """Medians of a round's seconds, and of those that go neither to steps nor to judging."""
    parts = case(name, clients_a_round=4, small=small).assembled(max_rounds=NEVER)
    plain, watch = parts.place.model, Watch()
    joint = None if plain.joint is None else Timed(plain.joint, watch, "train")
    model = Timed(plain, watch, "descend", joint=joint)
    place = replace(parts.place, model=cast("Model", model))
    executor = Timed(Serial(place, parts.algorithm), watch, "judge")
    ours = Training(replace(parts, place=place), cast("Executor", executor))
    whole_s, rest_s = [], []
    with TemporaryDirectory() as folder:
        file = RecordFile(Path(folder) / "rounds.jsonl", keep=0)
        steps = parts.schedule.steps(parts.scene, parts.config.seed)
        for _ in range(WARM_UP + repeats):
            watch.taken_s = 0.0
            start = thread_time()
            file.append(ours.take(next(steps)))
            whole_s.append(thread_time() - start)
            rest_s.append(whole_s[-1] - watch.taken_s)
        file.close()
    return median(whole_s[WARM_UP:]), median(rest_s[WARM_UP:])
