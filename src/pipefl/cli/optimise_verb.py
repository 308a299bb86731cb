"""`pipefl optimise`: the schedule that reaches a target in the fewest seconds."""

from typing import TYPE_CHECKING, Annotated

import typer

from pipefl.cli.patience import progress
from pipefl.cli.population_options import (
    Clients,
    Column,
    Demo,
    SecondsPerSample,
    Seed,
    Times,
    chosen_population,
)
from pipefl.cli.uplink_options import ServerTime
from pipefl.errors import ArgumentError, PipeflError

if TYPE_CHECKING:
    from pipefl.policies.rounds_curve import RoundsCurve


def optimise_verb(
    times: Times = None,
    *,
    demo: Demo = False,
    band_upload_time: Annotated[
        float | None,
        typer.Option(
            show_default=False, help="Seconds of one upload over the whole band, cut into none."
        ),
    ] = None,
    table: Annotated[
        str | None,
        typer.Option(
            show_default=False,
            help="Rounds as in a table of the paper: mnist-cnn, mnist-mlp, emnist-cnn or "
            "shakespeare-lstm.",
        ),
    ] = None,
    points: Annotated[
        str | None,
        typer.Option(
            show_default=False, help="Rounds to the target by clients a round: 1:273,4:131,32:97."
        ),
    ] = None,
    measured: Annotated[
        str | None,
        typer.Option(
            show_default=False,
            help="Rounds as we measured them, for clusters, for random clients and for rolling: "
            "table1, table2, table3-writers or table4, as far as they have been run.",
        ),
    ] = None,
    server_time: ServerTime = 0.0,
    max_channels: Annotated[
        int, typer.Option(help="Cut the band into at most so many sub-channels.")
    ] = 16,
    max_clients: Annotated[
        int, typer.Option(help="Schedule at most so many clients a round.")
    ] = 256,
    num_clients: Clients = None,
    seed: Seed = 0,
    column: Column = "compute_time_s",
    seconds_per_sample: SecondsPerSample = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print all candidates as JSON, the fastest first.")
    ] = False,
) -> None:
    """Choose sub-channels, clusters, slack and discipline for the fewest seconds to a target."""
    from pipefl.policies.optimise import optimise_schedule

    if band_upload_time is None:
        raise PipeflError(
            "--band-upload-time is missing: one upload over the whole band, in seconds"
        )
    curves = _curves(table, points, measured)
    population = chosen_population(
        times,
        demo=demo,
        num_clients=num_clients,
        seed=seed,
        column=column,
        seconds_per_sample=seconds_per_sample,
    )
    with progress("comparing schedules", 100, "%") as advance:
        choice = optimise_schedule(
            population.compute_time_s,
            one_channel_upload_time_s=band_upload_time,
            curve=curves[0],
            uniform_curve=curves[1],
            rolling_curve=curves[2],
            server_time_s=server_time,
            max_channels=max_channels,
            max_clients_per_round=max_clients,
            seed=seed,
            progress=advance,
        )
    print(choice.candidates.write_json() if as_json else choice.reason)


def _curves(
    table: str | None, points: str | None, measured: str | None
) -> "tuple[RoundsCurve, RoundsCurve | None, RoundsCurve | None]":
    """Rounds to the target by clients a round: of clusters, of random clients, of `rolling`."""
    from pipefl.policies.measured_rounds import measured_rounds
    from pipefl.policies.paper_points import paper_points
    from pipefl.policies.rounds_curve import fit_rounds_curve

    if sum(given is not None for given in (table, points, measured)) != 1:
        raise PipeflError(
            "give one of --table, the paper's rounds, --measured, ours, and --points, your own"
        )
    if measured is not None:
        return measured_rounds(measured).curves
    if table is not None:
        known = paper_points(table)
        return fit_rounds_curve(known.clients_per_round, known.rounds), None, None
    try:
        pairs = [[float(part) for part in point.split(":")] for point in str(points).split(",")]
        clients, rounds = zip(*pairs, strict=True)
    except ValueError:
        accepted = "it must be clients and rounds such as 1:273,4:131,32:97"
        raise ArgumentError("--points", points, accepted) from None
    try:
        return fit_rounds_curve(clients, rounds), None, None
    except PipeflError as error:
        raise PipeflError(f"--points: {error}") from None
