"""The options by which every verb is told who the clients are."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pipefl.cli.patience import patience
from pipefl.errors import PipeflError

if TYPE_CHECKING:
    from pipefl.devices.population import Population

_DRAWN_CLIENTS = 1500

Times = Annotated[
    str | None,
    typer.Argument(
        metavar="TIMES",
        show_default=False,
        help="A .csv or .parquet file of compute times, or a distribution such as "
        "uniform:10:70, lognormal:30:0.5 or samples:10:70:0.1.",
    ),
]
Demo = Annotated[bool, typer.Option("--demo", help="Use the example population of 1,500 phones.")]
Clients = Annotated[
    int | None,
    typer.Option(
        "--num-clients",
        show_default=str(_DRAWN_CLIENTS),
        help="How many clients to draw from a distribution.",
    ),
]
Seed = Annotated[int, typer.Option("--seed", help="The seed of all that is drawn at random.")]
Column = Annotated[str, typer.Option("--column", help="The file's column of compute times.")]
SecondsPerSample = Annotated[
    float | None,
    typer.Option(
        "--seconds-per-sample",
        show_default=False,
        help="Take compute times as this many seconds for each of num_samples.",
    ),
]


def chosen_population(
    times: str | None,
    *,
    demo: bool,
    num_clients: int | None = None,
    seed: int = 0,
    column: str = "compute_time_s",
    seconds_per_sample: float | None = None,
    several_rows: bool = False,
) -> "Population":
    """The clients that the user named, whether by file, by distribution or as the example.

    Unless `several_rows` of a client are meant as measurements, each may have one only.
    """
    from pipefl.devices.distributions import draw_population, is_distribution, refuse_unless_file
    from pipefl.devices.example import example_population

    if demo and times is not None:
        raise PipeflError(f"both TIMES ({times}) and --demo are given; one of them says who plans")
    reads_a_file = not demo and times is not None and not is_distribution(times)
    if not reads_a_file and (column != "compute_time_s" or seconds_per_sample is not None):
        raise PipeflError("--column and --seconds-per-sample are for a file of clients")
    if num_clients is not None and (demo or reads_a_file):
        raise PipeflError("--num-clients is for a distribution; a file's clients are all planned")
    if demo:
        return example_population()
    if times is None:
        raise PipeflError(
            "TIMES is missing: give a .csv or .parquet file, a distribution such as "
            "uniform:10:70, or --demo"
        )
    if is_distribution(times):
        with patience("drawing clients"):
            number = _DRAWN_CLIENTS if num_clients is None else num_clients
            return draw_population(times, number, seed)
    refuse_unless_file(times)
    with patience("reading clients"):
        return _from_file(Path(times), column, seconds_per_sample, several_rows)


def _from_file(
    path: Path, column: str, seconds_per_sample: float | None, several_rows: bool
) -> "Population":
    from pipefl.devices.files import Columns, read_population
    from pipefl.devices.measurements import refuse_repeated_ids

    population = read_population(path, Columns(compute_time_s=column), seconds_per_sample)
    if not several_rows:
        refuse_repeated_ids(population)
    return population


def chosen_upload_time_s(upload_time_s: float | None, *, demo: bool) -> float:
    """One upload's seconds as given, or the example's own."""
    from pipefl.devices.example import EXAMPLE_UPLOAD_TIME_S

    if upload_time_s is not None:
        return upload_time_s
    if demo:
        return EXAMPLE_UPLOAD_TIME_S
    raise PipeflError("--upload-time is missing: give the seconds that one upload takes")
