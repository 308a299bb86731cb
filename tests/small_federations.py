"""Federations of a few clients and short rounds, for tests of the schedule in Flower."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from flwr.app import MetricRecord
from flwr.serverapp.strategy import FedAvg, Result, Strategy

from in_process import MODEL, InProcessGrid, record
from pipefl.flower import ClusteredScheduling, PlanConfig
from pipefl.runs.directory import RunDirectory
from pipefl.runs.intervals import IntervalRecord, read_intervals
from pipefl.runs.records import RoundRecord, read_records

COMPUTE_S = (0.02, 0.03, 0.08, 0.09, 0.14, 0.15)

# Uploads of 50 ms; so much is forgiven that a busy machine makes no difference.
QUICK = PlanConfig(
    upload_time_s=0.05,
    num_clusters=3,
    forgiven_s=5.0,
    replan_above=1.0,
    min_clients=len(COMPUTE_S),
    patience_s=5.0,
    poll_s=0.01,
)

# What makes a strategy train with whom it is shown.
TAKING: dict[str, Any] = {"min_train_nodes": 1, "min_available_nodes": 1, "fraction_evaluate": 0.0}


def quick(**changes: Any) -> PlanConfig:
    """The same with changes."""
    return replace(QUICK, **changes)


def averaging(**changes: Any) -> FedAvg:
    """FedAvg that takes whom it is shown."""
    return FedAvg(**{**TAKING, **changes})


def federate(
    grid: InProcessGrid,
    *,
    rounds: int = 1,
    config: PlanConfig = QUICK,
    strategy: Strategy | None = None,
    run_dir: Path | None = None,
    **more: Any,
) -> Result:
    """Run so many rounds over these nodes."""
    scheduling = ClusteredScheduling(
        strategy or averaging(), config, run_dir=run_dir, resume=more.pop("resume", False)
    )
    return scheduling.start(grid, record(MODEL), num_rounds=rounds, **more)


def accuracy_of_round(number: int, arrays: object) -> MetricRecord:
    """An evaluation that says what it was asked."""
    return MetricRecord({"accuracy": number / 10, "num-examples": 7})


def rounds_of(path: Path) -> list[RoundRecord]:
    """What a run recorded."""
    return read_records(RunDirectory(path).rounds_path)


def intervals_of(path: Path) -> list[IntervalRecord]:
    """And its intervals."""
    return read_intervals(RunDirectory(path).intervals_path)


def outcomes_of(path: Path) -> list[dict[int, str]]:
    """For each round what came of each client."""
    return [dict(zip(r.client, r.outcome, strict=True)) for r in intervals_of(path)]


def events_of(path: Path) -> str:
    """All events, a line each."""
    return "\n".join(event for record in intervals_of(path) for event in record.events)
