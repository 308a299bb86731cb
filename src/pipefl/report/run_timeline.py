"""When a run's clients computed, waited and uploaded, from its records."""

from functools import partial
from typing import Any

import polars as pl

from pipefl.plan import ClusterPlan
from pipefl.policies.summary import Summary
from pipefl.report.intervals_chart import Intervals, intervals_chart
from pipefl.report.parts import Figure, Part, Section
from pipefl.report.round_chart import round_chart
from pipefl.report.run_view import RunView
from pipefl.report.schedule_chart import schedule_chart
from pipefl.report.summary_charts import duration_chart, utilisation_chart
from pipefl.report.theme import Mode
from pipefl.report.timeline_page import MOST_ROWS, STEPS_SHOWN
from pipefl.runs.records import RoundRecord
from pipefl.runs.replay import recorded_flow, recorded_round

_CLIENTS_OF_FLOW = 24


def timeline_section(view: RunView) -> Section | None:
    """The first round client by client, the sub-channels after it, and all rounds' durations.

    A federation knows more of its rounds than this tells: see `federation_section`.
    """
    if view.summary is None or view.planned is None:
        return None
    plan, scene = view.planned
    until_s = _shown_until_s(view, view.summary)
    uplink = Figure(
        "uplink",
        "The sub-channels over the run's first seconds: who uploads when.",
        lambda mode: schedule_chart(view.steps, scene.num_channels, until_s, mode=mode),
        caption="As recorded. An upload is stale by the steps that the server took since its "
        "client was given the model.",
    )
    first = [] if view.run.intervals else _first(view, plan)
    parts: list[Part] = [*first, uplink, *_over_time(view, view.summary)]
    return Section("Timeline", parts)


def _shown_until_s(view: RunView, summary: Summary) -> float:
    """The end of a few rounds, or of as many steps as there are clients drawn."""
    if not view.has_rounds:
        return _last_of_flow(view).clock_s
    return min(STEPS_SHOWN * summary.mean_step_s, view.run.clock_s)


def _last_of_flow(view: RunView) -> RoundRecord:
    return view.run.records[min(_CLIENTS_OF_FLOW, len(view.run.records)) - 1]


def _first(view: RunView, plan: ClusterPlan) -> list[Figure]:
    """The first round, or the first clients of a run without rounds, a row each."""
    varying = view.run.config.devices.jitter > 0
    if view.has_rounds:
        first = view.run.records[0]
        if not 0 < len(first.client) + len(first.missed) <= MOST_ROWS:
            return []
        caption = "Uploads as recorded; compute times as planned" + (
            ", with the round's jitter." if varying else "."
        )
        description = "The first round, client by client: computing, waiting, uploading."
        draw = partial(_round, view, plan)
    else:
        if any(len(record.client) != 1 for record in view.run.records[:_CLIENTS_OF_FLOW]):
            return []
        caption = "Uploads as recorded; clients set out when they were given their model, and " + (
            "compute times, which vary, are the planned ones." if varying else "compute as planned."
        )
        description = "The first clients: when each computed, waited and uploaded."
        draw = partial(_flow, view, plan)
    return [Figure("first-round", description, draw, caption=caption)]


def _round(view: RunView, plan: ClusterPlan, mode: Mode) -> Any:
    in_slots = view.run.schedule.endswith("slots")  # slots and eager-slots
    slots_s = plan.slot_time_s.tolist() if in_slots else []
    title = f"The first round of {view.run.schedule}"
    return round_chart(recorded_round(view.run, plan, 0), slots_s, title, mode)


def _flow(view: RunView, plan: ClusterPlan, mode: Mode) -> Any:
    until_s = _last_of_flow(view).clock_s
    clients = recorded_flow(view.run, plan, until_s)
    order = clients.group_by("client").agg(sent_s=pl.col("start_s").min())
    intervals = Intervals(
        clients=clients.join(order, on="client").sort("sent_s", "client", "start_s"),
        num_channels=view.run.config.num_channels,
        until_s=until_s,
    )
    return intervals_chart(
        intervals,
        f"The first clients of {view.run.schedule}",
        rows_title="clients",
        since="the start",
        mode=mode,
    )


def _over_time(view: RunView, summary: Summary) -> list[Figure]:
    """Utilisation where there are no rounds, which would each be a hill; durations that differ."""
    figures = []
    if not view.has_rounds:
        figures.append(
            Figure(
                "utilisation",
                "The share of the sub-channels in use over the simulated time.",
                partial(utilisation_chart, summary),
            )
        )
    if summary.duration_s.max() > summary.duration_s.min() * (1 + 1e-9):
        figures.append(
            Figure(
                "durations",
                f"How long {view.step_name}s lasted: median, middle half and extremes.",
                partial(duration_chart, [summary]),
            )
        )
    return figures
