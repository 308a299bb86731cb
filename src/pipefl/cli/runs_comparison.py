"""Runs side by side in the terminal: where they differ, and what came of them."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.table import Table

from pipefl.cli.tables import print_whole
from pipefl.policies.summary import summarise
from pipefl.report.durations import in_words
from pipefl.runs.flat import differing, shown
from pipefl.runs.planned_clients import as_planned
from pipefl.runs.recorded import RecordedRun
from pipefl.runs.replay import recorded_scene, recorded_steps, refuse_foreign_clients

_WRITTEN: Mapping[str, tuple[str, Callable[[Any], str]]] = {
    "state": ("state", str),
    "num_rounds": ("rounds done", "{:,}".format),
    "clock_s": ("on the clock", in_words),
    "rounds_to_target": ("rounds to the target", "{:,}".format),
    "seconds_to_target": ("time to the target", in_words),
    "ratio": ("against the first", "{:.2f}×".format),
    "best_accuracy": ("best accuracy", "{:.4f}".format),
    "num_updates": ("updates", "{:,}".format),
    "num_missed": ("missed", "{:,}".format),
    "num_refused": ("refused", "{:,}".format),
    "utilisation": ("sub-channels in use", "{:.1%}".format),
    "jain": ("Jain's index", "{:.3f}".format),
}


def print_comparison(runs: Sequence[RecordedRun]) -> None:
    """A column a run; a row for each setting that is not alike, then the outcomes."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("setting or outcome")
    for run in runs:
        table.add_column(run.path.name, justify="right", no_wrap=True)
    for name, values in _settings(runs).items():
        table.add_row(name, *(shown(value) for value in values))
    table.add_section()
    outcomes = _outcomes(runs)
    for name, (title, write) in _WRITTEN.items():
        values = [outcome[name] for outcome in outcomes]
        if any(value is not None for value in values):
            table.add_row(title, *("–" if value is None else write(value) for value in values))
    print_whole(table)


def comparison_json(runs: Sequence[RecordedRun]) -> str:
    """The same as JSON, a value a run in each list."""
    outcomes = _outcomes(runs)
    return json.dumps(
        {
            "runs": [str(run.path) for run in runs],
            "settings": _settings(runs),
            "outcomes": {name: [outcome[name] for outcome in outcomes] for name in _WRITTEN},
        },
        indent=1,
    )


def _settings(runs: Sequence[RecordedRun]) -> dict[str, list[Any]]:
    found = differing([run.config for run in runs])
    found.pop("name", None)
    return found


def _outcomes(runs: Sequence[RecordedRun]) -> list[dict[str, Any]]:
    """What came of each run; the ratio is of its seconds to those of the first to that target."""
    first, one_target = runs[0].at_target, len({run.config.target_accuracy for run in runs}) == 1
    first_s = first.clock_s if first is not None and one_target else None
    return [_outcome(run, first_s) for run in runs]


def _outcome(run: RecordedRun, first_s: float | None) -> dict[str, Any]:
    seconds = None if run.at_target is None else run.at_target.clock_s
    return {
        "state": run.state,
        "num_rounds": len(run.records),
        "clock_s": run.clock_s,
        "rounds_to_target": None if run.at_target is None else run.at_target.round,
        "seconds_to_target": seconds,
        "ratio": None if seconds is None or first_s is None else seconds / first_s,
        "best_accuracy": run.best_accuracy,
        "num_updates": sum(len(record.client) for record in run.records),
        "num_missed": sum(len(record.missed) for record in run.records),
        "num_refused": sum(len(record.refused) for record in run.records),
        **_of_the_schedule(run),
    }


def _of_the_schedule(run: RecordedRun) -> dict[str, float | None]:
    """What takes the plan to know, and a round to be there."""
    if run.plan is None or not run.records:
        return {"utilisation": None, "jain": None}
    known = as_planned(run)
    refuse_foreign_clients(known, run.plan)
    scene = recorded_scene(known, run.plan)
    steps = recorded_steps(known.records)
    summary = summarise(run.schedule, steps, scene, run.clock_s)
    return {"utilisation": summary.utilisation, "jain": summary.fairness.jain}
