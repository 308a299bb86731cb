"""`pipefl sweep`: what each choice of K, Δ, N and upload time would give."""

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
from pipefl.cli.uplink_options import ServerTime
from pipefl.cli.values import check_ending, numbers, whole_numbers

if TYPE_CHECKING:
    import polars


def sweep_verb(
    times: Times = None,
    *,
    demo: Demo = False,
    upload_time: Annotated[
        str | None,
        typer.Option(
            "--upload-time", "-u", help="Seconds of one upload: 1.5 or 1,1.5,2.", show_default=False
        ),
    ] = None,
    channels: Annotated[
        str, typer.Option("--channels", "-n", help="Sub-channels N: 4 or 1,2,4 or 1-8.")
    ] = "1",
    clusters: Annotated[
        str, typer.Option("--clusters", "-k", help="Clusters K: 4 or 1,2,4 or 1-8, or auto.")
    ] = "auto",
    slack: Annotated[str, typer.Option(help="Extra seconds of a round (Δ): 0 or 0,0.5,1.")] = "0",
    server_time: ServerTime = 0.0,
    num_clients: Clients = None,
    seed: Seed = 0,
    column: Column = "compute_time_s",
    seconds_per_sample: SecondsPerSample = None,
    pareto: Annotated[
        bool, typer.Option("--pareto", help="Only choices that no other beats in everything.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the rows as JSON.")] = False,
    out: Annotated[
        Path | None,
        typer.Option(show_default=False, help="Write all columns to .csv or .parquet."),
    ] = None,
) -> None:
    """Print the trade-off of clusters, slack, sub-channels and upload time, a row a choice."""
    import pipefl

    check_ending("--out", out, (".csv", ".parquet"))
    uploads = None if upload_time is None else numbers("--upload-time", upload_time)
    asked = None if clusters == "auto" else whole_numbers("--clusters", clusters)
    slacks = numbers("--slack", slack)
    channel_counts = whole_numbers("--channels", channels)
    population = chosen_population(
        times,
        demo=demo,
        num_clients=num_clients,
        seed=seed,
        column=column,
        seconds_per_sample=seconds_per_sample,
    )
    with patience("planning"):
        frame = pipefl.sweep(
            population.compute_time_s,
            uploads or chosen_upload_time_s(None, demo=demo),
            num_clusters=asked,
            slack_s=slacks,
            num_channels=channel_counts,
            server_time_s=server_time,
        )
        frame = pipefl.pareto_front(frame) if pareto else frame
    if out is not None:
        _write(frame, out)
    _show(frame, population.source, as_json=as_json)
    if out is not None and not as_json:
        print(f"Wrote {out}")


def _show(frame: "polars.DataFrame", source: str, *, as_json: bool) -> None:
    if as_json:
        print(frame.write_json())
        return
    from pipefl.cli.sweep_table import print_sweep

    print_sweep(frame, source)


def _write(frame: "polars.DataFrame", path: Path) -> None:
    import polars as pl

    if path.suffix.lower() == ".parquet":
        frame.write_parquet(path)
    else:
        sizes = pl.col("sizes").list.eval(pl.element().cast(pl.String)).list.join(" ")
        frame.with_columns(sizes).write_csv(path)
