"""`pipefl explain`: the paper's Example 1 for any thresholds or clients."""

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
from pipefl.cli.uplink_options import ClustersOption, Slack, UploadTime
from pipefl.cli.values import number_of_clusters, whole_numbers
from pipefl.errors import PipeflError


def explain_verb(
    times: Times = None,
    *,
    demo: Demo = False,
    capacity: Annotated[
        str | None,
        typer.Option(
            show_default=False,
            help="Thresholds π_1 … π_K in place of clients; the paper's are 10,46,80,100.",
        ),
    ] = None,
    upload_time: UploadTime = None,
    clusters: ClustersOption = "auto",
    slack: Slack = 0.0,
    num_clients: Clients = None,
    seed: Seed = 0,
    column: Column = "compute_time_s",
    seconds_per_sample: SecondsPerSample = None,
) -> None:
    """Test hypotheses on which constraints bind, one after the other, until one is optimal."""
    import pipefl

    if capacity is not None:
        own = (times, upload_time, seconds_per_sample, num_clients, demo or None, slack or None)
        is_given = any(each is not None for each in own) or seed != 0
        if is_given or column != "compute_time_s" or clusters != "auto":
            raise PipeflError(
                "--capacity says all that is explained; other options are for clients in its place"
            )
        print(pipefl.explain(whole_numbers("--capacity", capacity)))
        return
    population = chosen_population(
        times,
        demo=demo,
        num_clients=num_clients,
        seed=seed,
        column=column,
        seconds_per_sample=seconds_per_sample,
    )
    plan = pipefl.plan_clusters(
        population.compute_time_s,
        chosen_upload_time_s(upload_time, demo=demo),
        num_clusters=number_of_clusters(clusters),
        slack_s=slack,
    )
    print(pipefl.explain(plan.capacity))
