"""Records turned back into what led to them: steps of the server, rounds, intervals."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pipefl.devices.jitter import Jitter
from pipefl.errors import InputFileError
from pipefl.plan import ClusterPlan
from pipefl.policies.scene import Scene
from pipefl.policies.step import Step
from pipefl.runs.recorded import RecordedRun
from pipefl.runs.records import RoundRecord
from pipefl.timeline.round import NO_CHANNEL, Round

if TYPE_CHECKING:
    import polars as pl


def recorded_scene(run: RecordedRun, plan: ClusterPlan) -> Scene:
    """Clients, their data and the uplink, as far as the run's folder tells.

    `plan` is the run's, for a run that has one.
    """
    num_samples = None if run.clients is None else run.clients.num_samples
    return Scene(
        compute_time_s=plan.compute_time_s,
        upload_time_s=np.full(plan.num_clients, plan.upload_time_s),
        num_channels=run.config.num_channels,
        server_time_s=run.config.server_time_s,
        num_samples=num_samples,
        plan=plan,
    )


def recorded_steps(records: Sequence[RoundRecord]) -> Iterator[Step]:
    """The steps of the server that records tell of."""
    oldest = _oldest_versions(records)
    for record, oldest_version in zip(records, oldest, strict=True):
        yield Step(
            index=record.round - 1,
            start_s=record.start_s,
            end_s=record.clock_s,
            client=np.array(record.client, dtype=np.intp),
            version=np.array(record.version, dtype=np.int64),
            channel=np.array(record.channel, dtype=np.intp),
            upload_start_s=np.array(record.upload_start_s, dtype=np.float64),
            upload_end_s=np.array(record.upload_end_s, dtype=np.float64),
            missed=np.array(record.missed, dtype=np.intp),
            oldest_version=oldest_version,
        )


def recorded_round(run: RecordedRun, plan: ClusterPlan, index: int) -> Round:
    """Round `index`, from 0, with the uploads that were recorded.

    Compute times are the plan's, with the jitter of that round; a client that was carried
    over from an earlier round is ready at once.
    """
    record = run.records[index]
    client = np.array([*record.client, *record.missed], dtype=np.intp)
    is_carried = np.isin(client, _carried(run.records[:index], run.config.missed))
    times_s = _round_times_s(run, plan, index)
    unsent = np.full(len(record.missed), np.nan)
    start_s = np.concatenate([np.array(record.upload_start_s) - record.start_s, unsent])
    end_s = np.concatenate([np.array(record.upload_end_s) - record.start_s, unsent])
    return Round(
        client=client,
        cluster=plan.cluster_of[client].astype(np.intp),
        channel=np.array([*record.channel, *[NO_CHANNEL] * len(record.missed)], dtype=np.intp),
        ready_s=np.fmin(np.where(is_carried, 0.0, times_s[client]), start_s),
        upload_start_s=start_s,
        upload_end_s=end_s,
        num_channels=run.config.num_channels,
        server_time_s=run.config.server_time_s,
        duration_s=record.duration_s,
    )


def recorded_flow(run: RecordedRun, plan: ClusterPlan, until_s: float) -> "pl.DataFrame":
    """Who was out when until then, of a run without rounds whose steps take one upload each.

    The columns are those of `Round.intervals`; times count from the run's start. A client set
    out when its model was there, and computed for as long as the plan has it, or until its
    upload began.
    """
    import polars as pl

    rows = []
    for record in run.records:
        for client, version, channel, upload_s, end_s in zip(
            record.client,
            record.version,
            record.channel,
            record.upload_start_s,
            record.upload_end_s,
            strict=True,
        ):
            sent_s = run.records[version].start_s
            ready_s = min(sent_s + float(plan.compute_time_s[client]), upload_s)
            cluster = int(plan.cluster_of[client])
            for kind, start, end in (
                ("compute", sent_s, ready_s),
                ("wait", ready_s, upload_s),
                ("upload", upload_s, end_s),
            ):
                if start < min(end, until_s - 0.005 * until_s):  # else it could not be seen
                    rows.append((client, cluster, channel, kind, start, min(end, until_s)))
    columns = ["client", "cluster", "channel", "kind", "start_s", "end_s"]
    return pl.DataFrame(rows, schema=columns, orient="row")


def refuse_foreign_clients(run: RecordedRun, plan: ClusterPlan) -> None:
    """Complain of records or client data that cannot be of this plan."""
    most = max((client for r in run.records for client in [*r.client, *r.missed]), default=-1)
    if most >= plan.num_clients:
        text = f"client {most} is in the records, and plan.json has {plan.num_clients:,} clients"
        raise InputFileError(f"{run.path}: {text}")
    if run.clients is not None and run.clients.num_samples.size != plan.num_clients:
        sizes = f"{run.clients.num_samples.size:,} and {plan.num_clients:,}"
        raise InputFileError(f"{run.path}: clients.json and plan.json have {sizes} clients")


def _oldest_versions(records: Sequence[RoundRecord]) -> list[int]:
    """For each record the oldest model that a later one refers to, or its own new one."""
    oldest = []
    later: float = float("inf")
    for record in reversed(records):
        oldest.append(int(min(later, record.round)))
        later = min([later, *record.version])
    return oldest[::-1]


def _carried(records: Sequence[RoundRecord], missed: str) -> list[int]:
    """Who computed in an earlier round and has not delivered yet."""
    waiting: set[int] = set()
    if missed == "carry":
        for record in records:
            waiting = (waiting | set(record.missed)) - set(record.client)
    return sorted(waiting)


def _round_times_s(run: RecordedRun, plan: ClusterPlan, index: int) -> NDArray[np.float64]:
    coefficient = run.config.devices.jitter
    if not coefficient:
        return plan.compute_time_s
    return Jitter(coefficient).times_s(plan.compute_time_s, index, run.config.seed)
