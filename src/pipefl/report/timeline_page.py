"""One schedule over many steps as a page, and several side by side."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from pipefl.policies.policy import Schedule
from pipefl.policies.rounds import RoundSchedule
from pipefl.policies.scene import Scene
from pipefl.policies.summary import Summary
from pipefl.report.numbers import number, share
from pipefl.report.parts import Fact, Facts, Figure, Page, Section, Table, Tile, Tiles
from pipefl.report.round_chart import round_chart
from pipefl.report.schedule_chart import schedule_chart
from pipefl.report.summary_charts import (
    comparison_chart,
    duration_chart,
    participation_chart,
    utilisation_chart,
)
from pipefl.report.theme import Mode
from pipefl.timeline.round import Round

STEPS_SHOWN = 6
MOST_ROWS = 48

_LEGEND = (
    "Staleness counts the steps that the server took since a client was given its model. "
    "Worst-off is the least number of updates of any client as a share of the mean. Bias is the "
    "share of the average's weight that lies with the wrong clients."
)


def timeline_page(
    schedule: Schedule, summary: Summary, scene: Scene, *, source: str, seed: int = 0
) -> Page:
    """The summary's figures and charts, and the first rounds drawn."""

    def uplink(mode: Mode) -> Any:
        until_s = STEPS_SHOWN * max(summary.mean_step_s, float(scene.upload_time_s.max()))
        steps = schedule.steps(scene, seed)
        return schedule_chart(steps, scene.num_channels, until_s, mode=mode)

    figures = [
        *_first_round(schedule, scene, seed),
        Figure("uplink", "The sub-channels over the first steps: who uploads when.", uplink),
        *summary_figures(summary),
    ]
    return Page(
        title=summary.name,
        lead=source,
        opening=[_tiles(summary), *figures],
        sections=_sections([summary], scene),
    )


def comparison_page(
    summaries: list[Summary], scene: Scene, *, source: str, left_out: Sequence[str] = ()
) -> Page:
    """Schedules side by side, those first that serve most clients a second.

    `left_out` has a line for each schedule that could not be compared, and why.
    """
    ranked = sorted(summaries, key=lambda summary: -summary.clients_per_s)
    figures = [
        Figure(
            "comparison",
            "Clients served a second by each schedule.",
            partial(comparison_chart, ranked),
        ),
        Figure(
            "durations",
            "How long the steps of each schedule last.",
            partial(duration_chart, ranked),
        ),
    ]
    return Page(
        title=f"{len(ranked)} schedules in the same clock",
        lead=source,
        opening=figures,
        sections=_sections(ranked, scene, left_out),
    )


def summary_figures(summary: Summary) -> list[Figure]:
    """The charts of a schedule over all its steps."""
    return [
        Figure(
            "utilisation",
            "Utilisation over the simulated time.",
            partial(utilisation_chart, summary),
        ),
        Figure("durations", "How long steps last.", partial(duration_chart, [summary])),
        Figure(
            "participation", "Updates delivered by client.", partial(participation_chart, summary)
        ),
    ]


def _first_round(schedule: Schedule, scene: Scene, seed: int) -> list[Figure]:
    """The first round's chart, if there are rounds and few enough clients for a row each."""
    if not isinstance(schedule, RoundSchedule):
        return []
    _, first = next(schedule.rounds(scene, seed))
    if first.client.size > MOST_ROWS:
        return []
    drawn = partial(_drawn, first, schedule, scene)
    return [Figure("first-round", "The first round, client by client.", drawn)]


def _drawn(round_: Round, schedule: RoundSchedule, scene: Scene, mode: Mode) -> Any:
    in_slots = scene.plan is not None and schedule.discipline == "slots"
    slots_s = scene.plan.slot_time_s.tolist() if scene.plan is not None and in_slots else []
    return round_chart(round_, slots_s, f"The first round of {schedule.name}", mode)


def _tiles(summary: Summary) -> Tiles:
    clients = f"{number(summary.clients_per_step)} client{'s' * (summary.clients_per_step != 1)}"
    tiles = [
        Tile(number(summary.clients_per_s), "clients served a second"),
        Tile(share(summary.utilisation), "of the sub-channels' time in use"),
        Tile(f"{number(summary.mean_step_s)} s", f"a step of the server, {clients}"),
        Tile(f"{summary.fairness.jain:.3f}", "Jain's index of fairness"),
    ]
    if summary.energy_j is not None:
        spent_j = summary.energy_j / max(1, summary.num_served + summary.num_missed)
        tiles.append(Tile(f"{number(spent_j)} J", "spent by a scheduled client"))
    return Tiles(tiles)


def _sections(
    summaries: list[Summary], scene: Scene, left_out: Sequence[str] = ()
) -> list[Section]:
    columns = (
        "schedule", "clients/s", "in use", "steps", "clients/step", "s/step", "missed",
        "staleness", "Jain", "worst-off", "bias",
    )  # fmt: skip
    table = Table(columns, [_row(each) for each in summaries], notes=[_LEGEND, *left_out])
    return [
        Section("Figures", [table]),
        Section("Settings", [_settings(scene, summaries[0].total_s)]),
    ]


def _row(summary: Summary) -> list[str]:
    return [
        summary.name,
        number(summary.clients_per_s),
        share(summary.utilisation),
        f"{summary.num_steps:,}",
        number(summary.clients_per_step),
        number(summary.mean_step_s),
        f"{summary.num_missed:,}",
        number(summary.staleness),
        f"{summary.fairness.jain:.3f}",
        share(summary.fairness.worst_off, 0),
        f"{summary.fairness.bias:.3f}",
    ]


def _settings(scene: Scene, total_s: float) -> Facts:
    fastest, slowest = number(scene.compute_time_s.min()), number(scene.compute_time_s.max())
    plan = scene.plan
    clusters = [
        Fact("clusters (K)", f"{plan.num_clusters:,}"),
        Fact("slack (Δ_global)", f"{plan.slack_s} s"),
    ] if plan is not None else []  # fmt: skip
    return Facts([
        Fact("clients (M)", f"{scene.num_clients:,}"),
        Fact("compute times", f"{fastest} to {slowest} s"),
        Fact("one upload (τ_com)", f"{number(scene.upload_time_s.min())} s"),
        Fact("sub-channels (N)", f"{scene.num_channels:,}"),
        *clusters,
        Fact("server (τ_server)", f"{scene.server_time_s} s"),
        Fact("simulated", f"{number(total_s)} s"),
    ])  # fmt: skip
