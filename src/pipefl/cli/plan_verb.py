"""`pipefl plan`: cluster the clients and say what it gains."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pipefl.cli.patience import patience
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
from pipefl.cli.uplink_options import (
    Channels,
    ClustersOption,
    Html,
    Save,
    ServerTime,
    Slack,
    UploadTime,
)
from pipefl.cli.values import check_choice, check_ending, number_of_clusters, solver_name

if TYPE_CHECKING:
    from pipefl.cli.planning import Planned


def plan_verb(
    times: Times = None,
    *,
    demo: Demo = False,
    upload_time: UploadTime = None,
    channels: Channels = 1,
    clusters: ClustersOption = "auto",
    slack: Slack = 0.0,
    server_time: ServerTime = 0.0,
    method: Annotated[
        str, typer.Option(help="Solver: isotonic, hull or hypotheses; all give the same plan.")
    ] = "isotonic",
    quantile: Annotated[
        float | None,
        typer.Option(
            show_default=False,
            help="Plan with this quantile of varying times: the file has a column deviation_s, "
            "or several rows a client.",
        ),
    ] = None,
    num_clients: Clients = None,
    seed: Seed = 0,
    column: Column = "compute_time_s",
    seconds_per_sample: SecondsPerSample = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the plan as JSON.")] = False,
    assignments: Annotated[
        Path | None,
        typer.Option(show_default=False, help="Write every client's cluster to .csv or .parquet."),
    ] = None,
    html: Html = None,
    save: Save = None,
    chart: Annotated[
        str, typer.Option(help="The chart to save: round, hull, histogram or efficiency.")
    ] = "round",
) -> None:
    """Cut the clients into clusters that upload in turn, and compare with waiting for all.

    Clusters are numbered from 1 in what is printed and written, as in the paper.
    """
    from pipefl.cli.planning import plan_population

    check_ending("--assignments", assignments, (".csv", ".parquet"))
    check_ending("--html", html, (".html",))
    check_ending("--save", save, (".png", ".svg", ".pdf", ".json"))
    check_choice("--chart", chart, ("round", "hull", "histogram", "efficiency"))
    num_clusters = number_of_clusters(clusters)
    population = chosen_population(
        times,
        demo=demo,
        num_clients=num_clients,
        seed=seed,
        column=column,
        seconds_per_sample=seconds_per_sample,
        several_rows=quantile is not None,
    )
    with patience("planning"):
        planned = plan_population(
            population,
            upload_time_s=chosen_upload_time_s(upload_time, demo=demo),
            num_channels=channels,
            num_clusters=num_clusters,
            slack_s=slack,
            server_time_s=server_time,
            method=solver_name(method),
            quantile=quantile,
        )
    written = [
        *_written_assignments(planned, assignments),
        *_written_page(planned, html),
        *_written_chart(planned, save, chart),
    ]
    if as_json:
        print(json.dumps(planned.to_dict()))
        return
    from pipefl.cli.plan_table import print_plan

    print_plan(planned)
    for path in written:
        print(f"Wrote {path}")


def _written_assignments(planned: "Planned", path: Path | None) -> list[Path]:
    if path is None:
        return []
    frame = planned.assignments()
    if path.suffix.lower() == ".csv":
        frame.write_csv(path)
    else:
        frame.write_parquet(path)
    return [path]


def _written_page(planned: "Planned", path: Path | None) -> list[Path]:
    if path is None:
        return []
    from pipefl.report.page import page_html
    from pipefl.report.plan_page import plan_page

    page = plan_page(
        planned.plan,
        planned.gain,
        source=planned.population.source,
        num_channels=planned.num_channels,
        server_time_s=planned.server_time_s,
        missed_share=planned.expected_missed_share,
    )
    path.write_text(page_html(page), encoding="utf-8")
    return [path]


def _written_chart(planned: "Planned", path: Path | None, name: str) -> list[Path]:
    if path is None:
        return []
    from pipefl.report.plan_charts import plan_chart
    from pipefl.report.saving import save_chart

    chart = plan_chart(name, planned.plan, planned.num_channels, planned.server_time_s)
    return [save_chart(chart, path)]
