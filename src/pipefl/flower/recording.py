"""A federation's round as records: what simulated runs keep, and its intervals beside it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from flwr.app import MetricRecord
from numpy.typing import NDArray

from pipefl.flower.believing import receipt_s
from pipefl.flower.cohort_grid import Exchanged
from pipefl.flower.deeds import Deed
from pipefl.flower.round_plan import RoundPlan
from pipefl.runs.intervals import IntervalRecord, Intervals
from pipefl.runs.records import RoundRecord, finite

_UPLOADED = ("delivered", "refused")


@dataclass(frozen=True, eq=False)
class DoneRound:
    """All that is known of round `index`, from 0.

    It began at `clock_s` of the run's clock; the server's own work took `server_time_s`.
    """

    index: int
    clock_s: float
    plan: RoundPlan
    deeds: Sequence[Deed]
    exchanged: Exchanged
    server_time_s: float
    losses: Sequence[float | None]
    events: Sequence[str]

    @property
    def duration_s(self) -> float:
        """From the first message to the new model."""
        return self.exchanged.end_s - self.exchanged.start_s + self.server_time_s


def interval_record(done: DoneRound) -> IntervalRecord:
    """The intervals of a round, as planned and as they were."""
    plan = done.plan
    return IntervalRecord(
        round=done.index + 1,
        plan=plan.planning.number,
        slot_time_s=plan.planning.plan.slot_time_s.tolist(),
        num_channels=plan.round_.num_channels,
        client=plan.client.tolist(),
        cluster=plan.round_.cluster.tolist(),
        outcome=[deed.outcome for deed in done.deeds],
        lateness_s=[deed.seen.report.lateness_s if deed.seen else None for deed in done.deeds],
        planned=_planned(plan),
        actual=_actual(done),
        events=[*done.events, *_complaints(done)],
    )


def round_record(done: DoneRound, metrics: MetricRecord | None, accuracy_key: str) -> RoundRecord:
    """The record of a round, with what the server's own evaluation gave."""
    plan = done.plan
    rows = [row for row, deed in enumerate(done.deeds) if deed.outcome in _UPLOADED]
    actual = _actual(done)
    clients = plan.client.tolist()
    accuracy = _number(metrics, accuracy_key)
    return RoundRecord(
        round=done.index + 1,
        start_s=done.clock_s,
        duration_s=done.duration_s,
        clock_s=done.clock_s + done.duration_s,
        client=[clients[row] for row in rows],
        version=[done.deeds[row].version for row in rows],
        client_loss=[done.losses[row] for row in rows],
        channel=[int(plan.round_.channel[row]) for row in rows],
        upload_start_s=[done.clock_s + _known(actual.upload_start_s[row]) for row in rows],
        upload_end_s=[done.clock_s + _known(actual.upload_end_s[row]) for row in rows],
        missed=[clients[row] for row in range(len(clients)) if row not in rows],
        refused={
            str(clients[row]): str(done.deeds[row].reason)
            for row in rows
            if done.deeds[row].outcome == "refused"
        },
        loss=_mean_loss(done),
        accuracy=None if accuracy is None else finite(accuracy),
        num_judged=int(_number(metrics, "num-examples") or 0),
    )


def _planned(plan: RoundPlan) -> Intervals:
    round_ = plan.round_
    return Intervals(
        channel=round_.channel.tolist(),
        ready_s=_or_none(round_.ready_s),
        upload_start_s=_or_none(round_.upload_start_s),
        upload_end_s=_or_none(round_.upload_end_s),
        duration_s=round_.duration_s,
        server_time_s=round_.server_time_s,
    )


def _actual(done: DoneRound) -> Intervals:
    ready_s: list[float | None] = []
    start_s: list[float | None] = []
    end_s: list[float | None] = []
    for deed in done.deeds:
        ready, start, end = _times(deed, done)
        ready_s.append(ready)
        start_s.append(start)
        end_s.append(end)
    channels = done.plan.round_.channel.tolist()
    return Intervals(
        channel=[-1 if e is None else c for c, e in zip(channels, end_s, strict=True)],
        ready_s=ready_s,
        upload_start_s=start_s,
        upload_end_s=end_s,
        duration_s=done.duration_s,
        server_time_s=done.server_time_s,
    )


def _times(deed: Deed, done: DoneRound) -> tuple[float | None, float | None, float | None]:
    """When a client was ready, began and ended its upload.

    Of one whose report is missing or cannot be true the upload is as long as planned.
    """
    arrived_s, uploaded = deed.arrived_s, deed.outcome in _UPLOADED
    if deed.seen is None:
        if arrived_s is None or not uploaded:
            return None, None, None
        width_s = done.plan.planning.plan.upload_time_s
        return None, max(0.0, arrived_s - width_s), arrived_s
    report, received_s = deed.seen.report, receipt_s(deed.seen, done.exchanged.start_unix_s)
    ready_s = received_s + report.compute_s
    if not uploaded:
        return ready_s, None, None
    start_s = received_s + report.upload_start_s
    return ready_s, start_s, max(start_s, deed.seen.arrived_s)


def _complaints(done: DoneRound) -> list[str]:
    """A sentence for each client whose report was not believed, or which failed."""
    told = [
        (client, deed.outcome, deed.reason)
        for client, deed in zip(done.plan.client.tolist(), done.deeds, strict=True)
        if deed.reason
    ]
    verbs = {"refused": "was refused", "failed": "failed"}
    return [
        f"client {client} {verbs.get(outcome, 'was not believed')}: {reason}"
        for client, outcome, reason in told
    ]


def _mean_loss(done: DoneRound) -> float | None:
    """The mean by n_m of the losses of those that were used."""
    samples = done.plan.planning.scene.samples[done.plan.round_.client]
    known = [
        (loss, int(samples[row]))
        for row, (deed, loss) in enumerate(zip(done.deeds, done.losses, strict=True))
        if deed.outcome == "delivered" and loss is not None
    ]
    if not known:
        return None
    losses, weights = zip(*known, strict=True)
    return float(np.average(losses, weights=weights))


def _number(metrics: MetricRecord | None, key: str) -> float | None:
    value = None if metrics is None else metrics.get(key)
    return None if value is None or isinstance(value, list) else float(value)


def _known(value: float | None) -> float:
    assert value is not None  # noqa: S101  # whoever uploaded has both times
    return value


def _or_none(values: NDArray[np.float64]) -> list[float | None]:
    return [finite(value) for value in values.tolist()]
