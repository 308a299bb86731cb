"""`pipefl compare`: rival schedules in the same clock."""

import sys
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from pipefl.cli.option_names import in_options
from pipefl.cli.population_options import (
    Clients,
    Column,
    Demo,
    SecondsPerSample,
    Seed,
    Times,
    chosen_population,
    chosen_upload_time_s,
)
from pipefl.cli.scene_options import (
    CellRadius,
    JitterOption,
    LossesOption,
    MissedOption,
    Rounds,
    make_scene,
    schedule_from_options,
)
from pipefl.cli.uplink_options import (
    Channels,
    ClustersOption,
    Html,
    Save,
    ServerTime,
    Slack,
    UploadTime,
)
from pipefl.cli.values import check_ending, number_of_clusters
from pipefl.errors import PipeflError

if TYPE_CHECKING:
    from pipefl.policies.policy import Schedule


def compare_verb(
    times: Times = None,
    *,
    demo: Demo = False,
    policies: Annotated[
        str, typer.Option("--policies", "-p", help="all, or names such as clustered/fifo,rolling.")
    ] = "all",
    rounds: Rounds = 300,
    upload_time: UploadTime = None,
    channels: Channels = 1,
    clusters: ClustersOption = "auto",
    slack: Slack = 0.0,
    server_time: ServerTime = 0.0,
    jitter: JitterOption = 0.0,
    missed: MissedOption = "drop",
    cell: CellRadius = None,
    losses: LossesOption = None,
    num_clients: Clients = None,
    seed: Seed = 0,
    column: Column = "compute_time_s",
    seconds_per_sample: SecondsPerSample = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the summaries as JSON.")] = False,
    save: Save = None,
    html: Html = None,
) -> None:
    """Simulate schedules for the same time; those that serve most clients a second come first."""
    from pipefl.cli.scheduling import run_schedule
    from pipefl.cli.summary_table import print_comparison, summary_json

    check_ending("--save", save, (".png", ".svg", ".pdf", ".json"))
    check_ending("--html", html, (".html",))
    population = chosen_population(
        times,
        demo=demo,
        num_clients=num_clients,
        seed=seed,
        column=column,
        seconds_per_sample=seconds_per_sample,
    )
    scene = make_scene(
        population,
        upload_time_s=chosen_upload_time_s(upload_time, demo=demo),
        num_channels=channels,
        num_clusters=number_of_clusters(clusters),
        slack_s=slack,
        server_time_s=server_time,
        cell_radius_m=cell,
        losses=losses,
        seed=seed,
    )
    make = partial(schedule_from_options, scene=scene, missed=missed, jitter=jitter)
    schedules, left_out = _chosen(policies, make)
    summaries = [run_schedule(schedule, scene, rounds=rounds, seed=seed) for schedule in schedules]
    if save is not None:
        from pipefl.report.saving import save_chart
        from pipefl.report.summary_charts import comparison_chart

        save_chart(comparison_chart(summaries), save)
    if html is not None:
        from pipefl.report.page import page_html
        from pipefl.report.timeline_page import comparison_page

        page = comparison_page(summaries, scene, source=population.source, left_out=left_out)
        html.write_text(page_html(page), encoding="utf-8")
    if as_json:
        print(f"[{', '.join(map(summary_json, summaries))}]")
        for line in left_out:
            print(f"pipefl: warning: {line}", file=sys.stderr)
        return
    print_comparison(summaries, left_out, population.source)
    for path in (save, html):
        if path is not None:
            print(f"Wrote {path}")


def _chosen(policies: str, make: "Callable[[str], Schedule]") -> tuple["list[Schedule]", list[str]]:
    """The schedules to compare, each once, and a line for each of `all` that cannot be made."""
    from pipefl.policies.schedules import COMPARED

    asked = [name.strip() for name in policies.split(",")]
    chosen = {name: make(name) for name in asked if name != "all"}
    left_out = []
    for name in COMPARED if "all" in asked else ():
        try:
            chosen[name] = make(name)
        except PipeflError as error:
            reason = in_options(str(error)).replace(f"{name!r} needs", "it needs")
            left_out.append(f"{name} is left out: {reason}")
    return list(chosen.values()), left_out
