from itertools import islice

import numpy as np
import pytest

import pipefl
from charts import layers_of, rows
from page_outline import refuse_repeated_ids, refuse_scripts_and_requests
from pipefl.policies import Clustered, FedAt, Rolling, RoundSchedule, Scene, Summary, summarise
from pipefl.policies.policy import Schedule
from pipefl.report.page import page_html
from pipefl.report.saving import svg
from pipefl.report.schedule_chart import schedule_chart
from pipefl.report.summary_charts import (
    comparison_chart,
    duration_chart,
    participation_chart,
    utilisation_chart,
)
from pipefl.report.theme import Mode
from pipefl.report.timeline_page import comparison_page, timeline_page

TIMES_S = np.linspace(1.0, 7.0, 40)
SCENE = Scene(TIMES_S, np.full(40, 1.5), 2, plan=pipefl.plan_clusters(TIMES_S, 1.5))
SCHEDULES: list[Schedule] = [RoundSchedule(Clustered(), "fifo"), Rolling(in_flight=9)]
FLOWS: list[Schedule] = [Rolling(in_flight=9, batch=4), FedAt(num_tiers=3, clients_per_round=2)]


def _summary(schedule: Schedule) -> Summary:
    return summarise(schedule.name, schedule.steps(SCENE), SCENE, until_s=300.0)


@pytest.mark.parametrize("schedule", [*SCHEDULES, *FLOWS], ids=lambda schedule: schedule.name)
def test_every_upload_until_then_is_a_bar_on_its_sub_channel(schedule: Schedule) -> None:
    spec = schedule_chart(schedule.steps(SCENE), 2, until_s=30.0).to_dict()
    bars = rows(spec, layers_of(spec, "bar")[0])
    expected = [
        (f"sub-channel {channel + 1}", int(client), start_s, end_s)
        for step in islice(schedule.steps(SCENE), 200)
        for channel, client, start_s, end_s in zip(
            step.channel, step.client, step.upload_start_s, step.upload_end_s, strict=True
        )
        if start_s < 30.0
    ]
    assert [(b["row"], b["client"], b["start_s"], b["end_s"]) for b in bars] == expected


def test_before_the_first_upload_there_is_an_empty_chart() -> None:
    spec = schedule_chart(SCHEDULES[1].steps(SCENE), 2, until_s=0.5).to_dict()
    assert rows(spec, layers_of(spec, "bar")[0]) == []


def test_dashed_lines_are_the_servers_steps() -> None:
    schedule = SCHEDULES[0]
    spec = schedule_chart(schedule.steps(SCENE), 2, until_s=30.0).to_dict()
    ends_s = [step.end_s for step in islice(schedule.steps(SCENE), 10) if step.end_s <= 30.0]
    assert [line["end_s"] for line in rows(spec, layers_of(spec, "rule")[0])] == ends_s


def test_the_utilisation_is_drawn_part_by_part_with_its_mean() -> None:
    summary = _summary(SCHEDULES[1])
    spec = utilisation_chart(summary).to_dict()
    area, mean = (rows(spec, layers_of(spec, kind)[0]) for kind in ("area", "rule"))
    assert [part["share"] for part in area[:-1]] == summary.busy_share.tolist()
    assert [part["time_s"] for part in (area[0], area[-1])] == [0.0, summary.total_s]
    assert mean == [{"share": summary.utilisation}]


def test_participation_counts_every_client_once() -> None:
    summary = _summary(SCHEDULES[0])
    spec = participation_chart(summary).to_dict()
    bars = rows(spec, spec)
    assert sum(bar["clients"] for bar in bars) == 40
    assert sum((bar["low"] + 0.5) * bar["clients"] for bar in bars) == summary.num_served


def test_schedules_are_compared_best_first() -> None:
    summaries = [_summary(schedule) for schedule in SCHEDULES]
    spec = comparison_chart(summaries).to_dict()
    names = [bar["name"] for bar in rows(spec, layers_of(spec, "bar")[0])]
    assert names == ["rolling", "clustered/fifo"]


def test_durations_are_drawn_by_their_quantiles() -> None:
    summaries = [_summary(schedule) for schedule in SCHEDULES]
    spec = duration_chart(summaries).to_dict()
    drawn = {row["name"]: row for row in rows(spec, layers_of(spec, "bar")[0])}
    for summary in summaries:
        row = drawn[summary.name]
        quantiles = np.quantile(summary.duration_s, [0, 0.25, 0.5, 0.75, 1])
        assert [row[name] for name in ("least", "low", "median", "high", "most")] == pytest.approx(
            quantiles.tolist()
        )


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_all_of_them_render(mode: Mode) -> None:
    summary = _summary(SCHEDULES[1])
    steps = SCHEDULES[1].steps(SCENE)
    for chart in (
        schedule_chart(steps, 2, 20.0, mode=mode),
        utilisation_chart(summary, mode),
        participation_chart(summary, mode),
        duration_chart([summary], mode),
        comparison_chart([summary], mode),
    ):
        assert svg(chart).startswith("<svg")


@pytest.mark.parametrize("schedule", SCHEDULES, ids=lambda schedule: schedule.name)
def test_a_page_says_where_the_clients_come_from_and_loads_nothing(schedule: Schedule) -> None:
    page = page_html(timeline_page(schedule, _summary(schedule), SCENE, source="forty <phones>"))
    assert "forty &lt;phones&gt;" in page
    refuse_scripts_and_requests(page)
    refuse_repeated_ids(page)
    assert ("The first round, client by client." in page) == (schedule is SCHEDULES[0])


def test_a_comparison_has_a_row_a_schedule_best_first() -> None:
    summaries = [_summary(schedule) for schedule in SCHEDULES]
    page = page_html(comparison_page(summaries, SCENE, source="phones"))
    assert page.index(">rolling</td>") < page.index(">clustered/fifo</td>")
