"""The options by which `timeline` and `compare` are told the scene of their schedules."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from pipefl.cli.patience import patience

if TYPE_CHECKING:
    from pipefl.devices.population import Population
    from pipefl.policies.policy import Schedule
    from pipefl.policies.scene import Scene
    from pipefl.timeline import Discipline, Missed

Rounds = Annotated[
    int, typer.Option("--rounds", "-r", help="Simulate for the time of so many pipelined rounds.")
]
JitterOption = Annotated[
    float,
    typer.Option(help="How much a client's time varies from round to round, such as 0.2."),
]
MissedOption = Annotated[
    str, typer.Option(help="A client that misses its slot: drop, next-slot or carry.")
]
CellRadius = Annotated[
    float | None,
    typer.Option(
        "--cell",
        show_default=False,
        help="Give every client a radio channel: its place in a cell of this radius (m).",
    ),
]
LossesOption = Annotated[
    str | None,
    typer.Option(
        show_default=False,
        help="Where losses come from for policies that look at them: stand-in.",
    ),
]

_OPTION_OF_PART = {"channel": "--cell RADIUS", "losses": "--losses stand-in", "plan": "a plan"}


def make_scene(
    population: "Population",
    *,
    upload_time_s: float,
    num_channels: int,
    num_clusters: int | None,
    slack_s: float,
    server_time_s: float,
    cell_radius_m: float | None,
    losses: str | None,
    seed: int,
) -> "Scene":
    """Everything that policies may know of these clients, with the plan they share."""
    import numpy as np

    from pipefl.errors import ArgumentError
    from pipefl.plan import plan_clusters
    from pipefl.policies.loss_stand_in import DecayingLosses
    from pipefl.policies.scene import Scene
    from pipefl.wireless import cell_channel

    if losses not in (None, "stand-in"):
        raise ArgumentError("--losses", losses, "it must be stand-in: nothing trains here")
    times = population.compute_time_s
    plan = plan_clusters(times, upload_time_s, num_clusters=num_clusters, slack_s=slack_s)
    return Scene(
        compute_time_s=times,
        upload_time_s=np.full(times.size, plan.upload_time_s),
        num_channels=num_channels,
        server_time_s=server_time_s,
        num_samples=population.num_samples,
        plan=plan,
        channel=None
        if cell_radius_m is None
        else cell_channel(times.size, num_channels, cell_radius_m, seed),
        losses=None if losses is None else DecayingLosses(seed=seed),
    )


def schedule_from_options(
    name: str,
    scene: "Scene",
    *,
    discipline: str | None = None,
    missed: str = "drop",
    jitter: float = 0.0,
    settings: Sequence[str] = (),
) -> "Schedule":
    """The schedule of that name, or a complaint that says which options it needs."""
    from pipefl.devices.jitter import Jitter
    from pipefl.errors import ArgumentError, PipeflError
    from pipefl.policies.scene import MissingPartError
    from pipefl.policies.schedules import schedule_by_name
    from pipefl.settings import parse_setting

    late, varying = missed_name(missed), Jitter(jitter) if jitter else None
    own = discipline_name(discipline)
    given = dict(parse_setting(text) for text in settings)
    try:
        with patience(f"preparing {name}"):  # for how many are in flight there are trials
            schedule = schedule_by_name(
                name, scene, discipline=own, missed=late, jitter=varying, options=given
            )
            schedule.steps(scene)  # which complains of what is missing
    except MissingPartError as error:
        raise PipeflError(f"{name!r} needs {_OPTION_OF_PART[error.part]}") from None
    except ArgumentError as error:
        raise PipeflError(_as_typed(str(error))) from None
    return schedule


def _as_typed(message: str) -> str:
    """The message with `--set` for what a run's config calls `policy_options`.

    >>> _as_typed("policy_options.in_flight is 0; it must be 1")
    '--set in_flight is 0; it must be 1'
    """
    option = message.replace("policy_options.", "--set ", 1).replace("policy_options ", "--set ", 1)
    return option if message.startswith("policy_options") else message


def discipline_name(text: str | None) -> "Discipline | None":
    """One of the disciplines, or the policy's own."""
    from pipefl.errors import ArgumentError
    from pipefl.timeline import DISCIPLINES

    if text is None:
        return None
    for name in DISCIPLINES:
        if text == name:
            return name
    raise ArgumentError("--discipline", text, f"it must be one of {', '.join(DISCIPLINES)}")


def missed_name(text: str) -> "Missed":
    """One of the ways to treat a missed slot."""
    from pipefl.errors import ArgumentError
    from pipefl.timeline import MISSED

    for name in MISSED:
        if text == name:
            return name
    raise ArgumentError("--missed", text, f"it must be one of {', '.join(MISSED)}")
