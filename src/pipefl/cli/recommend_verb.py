"""`pipefl recommend`: which K and Δ to take for a wish."""

from typing import Annotated

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
from pipefl.cli.uplink_options import Channels, ServerTime, UploadTime


def recommend_verb(
    times: Times = None,
    *,
    demo: Demo = False,
    upload_time: UploadTime = None,
    channels: Channels = 1,
    server_time: ServerTime = 0.0,
    min_clients: Annotated[
        int | None,
        typer.Option(show_default=False, help="At least so many clients a round."),
    ] = None,
    max_seconds: Annotated[
        float | None, typer.Option(show_default=False, help="At most so many seconds a round.")
    ] = None,
    smallest_spread: Annotated[
        bool, typer.Option("--smallest-spread", help="Clusters as equal as can be.")
    ] = False,
    num_clients: Clients = None,
    seed: Seed = 0,
    column: Column = "compute_time_s",
    seconds_per_sample: SecondsPerSample = None,
) -> None:
    """Choose the number of clusters and the slack for what is wished, and say why."""
    import pipefl

    population = chosen_population(
        times,
        demo=demo,
        num_clients=num_clients,
        seed=seed,
        column=column,
        seconds_per_sample=seconds_per_sample,
    )
    upload_time_s = chosen_upload_time_s(upload_time, demo=demo)
    with patience("planning"):
        recommendation = pipefl.recommend(
            population.compute_time_s,
            upload_time_s,
            num_channels=channels,
            server_time_s=server_time,
            min_clients_per_round=min_clients,
            max_round_s=max_seconds,
            smallest_spread=smallest_spread,
        )
    plan = recommendation.plan
    print(f"K = {plan.num_clusters}, Δ = {plan.slack_s:g} s")
    print(recommendation.reason)
