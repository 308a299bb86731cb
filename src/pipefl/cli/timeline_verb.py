"""`pipefl timeline`: one schedule on the clock, over many rounds."""

from typing import Annotated

import typer

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
from pipefl.cli.uplink_options import Channels, ClustersOption, Html, ServerTime, Slack, UploadTime
from pipefl.cli.values import check_ending, number_of_clusters


def timeline_verb(
    times: Times = None,
    *,
    demo: Demo = False,
    policy: Annotated[
        str,
        typer.Option("--policy", "-p", help="clustered, uniform, rolling, … or clustered/fifo."),
    ] = "clustered",
    discipline: Annotated[
        str | None,
        typer.Option(
            "--discipline",
            "-d",
            show_default=False,
            help="slots, eager-slots, fifo or wait-all; left out, the policy's own.",
        ),
    ] = None,
    rounds: Rounds = 1000,
    upload_time: UploadTime = None,
    channels: Channels = 1,
    clusters: ClustersOption = "auto",
    slack: Slack = 0.0,
    server_time: ServerTime = 0.0,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            help="One of the policy's own settings, such as per_channel=2 or in_flight=20.",
        ),
    ] = None,
    jitter: JitterOption = 0.0,
    missed: MissedOption = "drop",
    cell: CellRadius = None,
    losses: LossesOption = None,
    num_clients: Clients = None,
    seed: Seed = 0,
    column: Column = "compute_time_s",
    seconds_per_sample: SecondsPerSample = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the summary as JSON.")] = False,
    html: Html = None,
) -> None:
    """Simulate a schedule's rounds: seconds, utilisation, participation and energy."""
    from pipefl.cli.scheduling import run_schedule
    from pipefl.cli.summary_table import print_summary, summary_json

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
    schedule = schedule_from_options(
        policy,
        scene,
        discipline=discipline,
        missed=missed,
        jitter=jitter,
        settings=settings or (),
    )
    summary = run_schedule(schedule, scene, rounds=rounds, seed=seed)
    if html is not None:
        from pipefl.report.page import page_html
        from pipefl.report.timeline_page import timeline_page

        page = timeline_page(schedule, summary, scene, source=population.source, seed=seed)
        html.write_text(page_html(page), encoding="utf-8")
    if as_json:
        print(summary_json(summary))
        return
    print_summary(summary, scene, population.source)
    if html is not None:
        print(f"Wrote {html}")
