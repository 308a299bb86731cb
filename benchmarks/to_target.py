"""A whole run to its target, beside as many rounds of the reference loop."""

from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter

import pipefl
from cases import Case, case
from measuring import Row, progress, seconds, seconds_of, times
from pipefl.runs.overrides import with_overrides

REFERENCE_ROUNDS = 5
SMALL_TARGET = 0.75


def to_target_rows(*, small: bool) -> tuple[list[Row], str]:
    """The CNN in four clusters on eight sub-channels to 97 %, from start to end, in wall time.

    The reference loop judges the whole test set after every round. Its seconds a round are
    the median of a few, for cohorts that ours had, times the number of rounds that ours took.
    """
    base = case("CNN", clients_a_round=1, small=small)
    schedule = {"policy": "clustered", "discipline": "slots", "num_clusters": 4, "num_channels": 8}
    changed = {**schedule, "executor": "processes", "workers": 2, "name": "to-target"}
    if small:
        changed |= {"target_accuracy": SMALL_TARGET}
    of = Case(with_overrides(base.config, changed), base.data)
    progress("a run to its target")
    with TemporaryDirectory() as folder:
        start = perf_counter()
        result = pipefl.run(of.config, runs_dir=folder)
        ours_s = perf_counter() - start
    reference = of.reference()
    taken_s = []
    for record in result.records[: REFERENCE_ROUNDS + 1]:
        progress(f"the reference's round {record.round}")
        training_s = seconds_of(reference.take_round, record.client)
        taken_s.append(training_s + seconds_of(reference.accuracy))
    reference_s = median(taken_s[1:]) * result.num_rounds
    judged = sum(record.num_judged for record in result.records) / result.num_rounds
    target = f"{of.config.target_accuracy:.0%}"
    reached = f"to {target}" if result.rounds_to_target else f"not to {target}"
    what = f"CNN, K = 4, N = 8 {reached}: {result.num_rounds} rounds"
    beside = f"{seconds(reference_s)} reference"
    rows = [Row(what, seconds(ours_s), beside, times(reference_s / ours_s), "≥ 4×")]
    images = f"{len(of.data.test):,} reference"
    rows.append(Row("images judged a round, mean", f"{judged:,.0f}", images, "", "< 1,500"))
    return rows, of.source
