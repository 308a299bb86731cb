"""`pipefl run`: train a recipe or a configuration in the clock."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pipefl.cli.values import check_choice
from pipefl.errors import ArgumentError

if TYPE_CHECKING:
    from pipefl.runs.config import RunConfig
    from pipefl.train.observer import Observer

_LOGS = ("tensorboard", "mlflow")


def run_verb(
    recipe: Annotated[
        str,
        typer.Argument(
            metavar="RECIPE", help="A recipe's name (see `pipefl recipes`), or a file config.toml."
        ),
    ],
    *,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="Change a setting; may be repeated."),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with the run that is there already.")
    ] = False,
    executor: Annotated[
        str | None,
        typer.Option(
            "--executor", show_default=False, help="serial, processes, ray or vectorised."
        ),
    ] = None,
    workers: Annotated[
        int | None, typer.Option("--workers", show_default=False, help="Worker processes.")
    ] = None,
    ray_address: Annotated[
        str | None,
        typer.Option(
            "--ray-address", show_default=False, help="HOST:PORT of a Ray cluster's head, or auto."
        ),
    ] = None,
    runs_dir: Annotated[Path, typer.Option("--runs-dir", help="The folder of all runs.")] = Path(
        "runs"
    ),
    logs: Annotated[
        list[str] | None,
        typer.Option("--log", help="Write to tensorboard or mlflow too; may be repeated."),
    ] = None,
) -> None:
    """Train, and record rounds, simulated seconds and accuracy in a folder of the run's own."""
    for log in logs or []:
        check_choice("--log", log, _LOGS)
    all_settings = _with_options(settings or [], executor, workers, ray_address)
    if recipe == "demo":
        _run_demo(all_settings, runs_dir, resume, logs or [])
        return
    from pipefl.recipes.run import chosen_config

    config = _changed(chosen_config(recipe), all_settings)
    go_on = _command(runs_dir / config.name / "config.toml", [], runs_dir, logs or [])
    _run_one(config, runs_dir, resume, logs or [], go_on)


def _run_one(
    config: "RunConfig", runs_dir: Path, resume: bool, logs: list[str], go_on: str
) -> None:
    from pipefl.cli.run_progress import Progress, print_outcome
    from pipefl.cli.stopping import stop_after_round
    from pipefl.models.heap import keep_freed_memory
    from pipefl.recipes.run import run

    keep_freed_memory()
    with Progress() as progress, stop_after_round() as stop:
        observers = [progress, *_observers(logs, runs_dir)]
        result = run(config, runs_dir=runs_dir, resume=resume, observers=observers, stop=stop)
    print_outcome(result, go_on)
    if result.ending == "stopped":
        raise typer.Exit(130)


def _run_demo(settings: list[str], runs_dir: Path, resume: bool, logs: list[str]) -> None:
    """Both halves of the demo, then what came of them side by side."""
    from pipefl.cli.contest_table import print_contest
    from pipefl.recipes.catalogue import recipe_config
    from pipefl.report.accuracy_chart import accuracy_chart
    from pipefl.report.saving import save_chart

    halves = [recipe_config(half) for half in ("demo-conventional", "demo-clustered")]
    # In processes: the same bits, in half the time.
    configs = [
        _changed(half.model_copy(update={"executor": "processes"}), settings) for half in halves
    ]
    if configs[0].name == configs[1].name:
        text = "the demo names its two runs itself"
        raise ArgumentError("--set name", configs[0].name, text)
    for config in configs:
        _run_one(config, runs_dir, resume, logs, _command("demo", settings, runs_dir, logs))
    paths = [runs_dir / config.name for config in configs]
    print_contest(paths)
    chart = save_chart(accuracy_chart(paths), runs_dir / "demo.png")
    print(
        "Fewer rounds are not yet less time: a round in slots always lasts until its last slot.\n"
        "`pipefl compare --demo` puts this schedule and its rivals in the same clock."
    )
    print(f"Chart: {chart}")


def _with_options(
    settings: list[str], executor: str | None, workers: int | None, ray_address: str | None
) -> list[str]:
    """The settings, with those that have options of their own."""
    meant = None if workers is None else "processes"
    meant = meant if ray_address is None else "ray"
    options = {"executor": executor, "workers": workers, "ray_address": ray_address}
    return [
        *([] if meant is None else [f"executor={meant}"]),
        *settings,
        *(f"{name}={value}" for name, value in options.items() if value is not None),
    ]


def _changed(config: "RunConfig", settings: list[str]) -> "RunConfig":
    from pipefl.runs.overrides import with_overrides
    from pipefl.settings import parse_setting

    return with_overrides(config, dict(parse_setting(text) for text in settings))


def _command(recipe: str | Path, settings: list[str], runs_dir: Path, logs: list[str]) -> str:
    """The command that goes on with a run."""
    changes = [part for text in settings for part in ("--set", text)]
    watched = [part for log in logs for part in ("--log", log)]
    place = ["--runs-dir", str(runs_dir)]
    return shlex.join(["pipefl", "run", str(recipe), *changes, *watched, *place, "--resume"])


def _observers(logs: list[str], runs_dir: Path) -> "list[Observer]":
    observers: list[Observer] = []
    if "tensorboard" in logs:
        from pipefl.train.observers.tensorboard import TensorBoard

        observers.append(TensorBoard(runs_dir / "tensorboard"))
    if "mlflow" in logs:
        from pipefl.train.observers.mlflow import MlFlow

        observers.append(MlFlow())
    return observers
