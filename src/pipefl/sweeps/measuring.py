"""From a sweep's directory to its outcome."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pipefl.policies.paper_points import PAPER_NUM_CLUSTERS
from pipefl.policies.rolling import Rolling
from pipefl.runs.directory import RunDirectory
from pipefl.runs.scene import schedule_of
from pipefl.sweeps.config import SweepConfig
from pipefl.sweeps.directory import SweepDirectory
from pipefl.sweeps.measured import MeasuredCell, MeasuredSeed, MeasuredSweep, MeasuredTrial
from pipefl.sweeps.results import CellResult, sweep_results
from pipefl.sweeps.retiming import Clock, own_clock, recorded_rounds
from pipefl.sweeps.sessions import sessions
from pipefl.sweeps.trial import Outcome
from pipefl.timeline.demand import DISCIPLINES


def measured(directory: SweepDirectory) -> MeasuredSweep:
    """What is on disk of a sweep, finished or not, on every clock that its cells allow."""
    sweep, results = directory.config(), sweep_results(directory)
    about = _about_the_data(results)
    return MeasuredSweep(
        name=sweep.name,
        title=sweep.title,
        paper=sweep.paper,
        target_accuracy=sweep.base.target_accuracy or 0.0,
        dataset=sweep.base.dataset,
        source=str(about.get("source", "")),
        num_clients=len(about.get("num_samples", ())),
        seeds=sweep.seeds,
        num_tuning_seeds=len(sweep.tuning_seeds),
        sessions=sessions(directory.path),
        cells=tuple(_cell(sweep, result) for result in results),
    )


def clocks_of(run: RunDirectory) -> tuple[Clock, ...]:
    """The clocks on which a run's seconds are wanted, its own first.

    Clustered rounds are timed in every discipline. Rounds of n uniformly drawn clients stand
    for the paper's conventional scheme on n sub-channels, whatever K makes the upload time;
    for K·N = n sub-channels without clusters, with the upload times of K and of 1; and for
    n = K·N clients on N sub-channels, first come, first served.
    """
    config = run.config()
    own = own_clock(config)
    channels, clusters = own.num_channels, own.upload_clusters
    found = [own]
    if config.policy == "clustered":
        found += [Clock(each, channels, clusters) for each in DISCIPLINES]
    elif config.policy == "uniform":
        found += [Clock(each, channels, 1) for each in DISCIPLINES]
        found += [Clock("wait-all", channels, k) for k in PAPER_NUM_CLUSTERS]
        found += [Clock("fifo", channels // k, k) for k in PAPER_NUM_CLUSTERS if channels % k == 0]
    return tuple(dict.fromkeys(found))


def _cell(sweep: SweepConfig, result: CellResult) -> MeasuredCell:
    runs = tuple(
        _seed(seed, outcome, path)
        for seed, outcome, path in zip(result.seeds, result.outcome, result.run_path, strict=False)
        if outcome is not None
    )
    return MeasuredCell(
        name=result.name,
        settings=result.settings,
        point=result.point,
        is_settled=result.is_settled,
        runs=runs,
        tried=tuple(_trials(result)),
        in_flight=_in_flight(result),
    )


def _in_flight(result: CellResult) -> int | None:
    """W, which the run's scene decides, of the first seed."""
    if result.settings.get("policy") != "rolling" or not result.runs_begun:
        return None
    recorded = recorded_rounds(result.runs_begun[0])
    schedule = schedule_of(recorded.config, recorded.scene())
    return schedule.in_flight if isinstance(schedule, Rolling) else None


def _seed(seed: int, outcome: Outcome, path: Path) -> MeasuredSeed:
    seconds: dict[str, float] = {}
    if outcome.rounds is not None:
        recorded = recorded_rounds(path)
        for clock in clocks_of(RunDirectory(path)):
            seconds[clock.name] = round(float(recorded.clock_s(clock)[outcome.rounds - 1]), 3)
    return MeasuredSeed(seed=seed, rounds=outcome.rounds, is_over=outcome.is_over, seconds=seconds)


def _trials(result: CellResult) -> Iterator[MeasuredTrial]:
    for (point, seed), outcome in sorted(result.tried.items()):
        yield MeasuredTrial(
            point=point,
            seed=seed,
            done=outcome.done,
            rounds=outcome.rounds,
            failure=outcome.failure,
        )


def _about_the_data(results: tuple[CellResult, ...]) -> dict[str, Any]:
    """What the first run that was begun says of its clients."""
    for path in (path for result in results for path in result.runs_begun):
        text = RunDirectory(path).clients_path.read_text(encoding="utf-8")
        found: dict[str, Any] = json.loads(text)
        return found
    return {}
