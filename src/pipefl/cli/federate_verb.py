"""`pipefl federate`: run a Flower app to its end."""

from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from pipefl.errors import MissingFileError, PipeflError


def federate_verb(
    app: Annotated[Path, typer.Argument(metavar="APP", help="The folder of a Flower app.")],
    superlink: Annotated[
        str | None,
        typer.Argument(
            metavar="SUPERLINK",
            show_default=False,
            help="A connection of Flower's configuration; its default one if left out.",
        ),
    ] = None,
    *,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--run-config", "-c", metavar="NAME=VALUE", help="As in `flwr run`; may be repeated."
        ),
    ] = None,
    federation: Annotated[
        list[str] | None,
        typer.Option(
            "--federation-config",
            metavar="NAME=VALUE",
            help="As in `flwr run`, for Flower's simulation; may be repeated.",
        ),
    ] = None,
) -> None:
    """Run a Flower app as `flwr run` does, but wait for its end, and fail if it fails."""
    from pipefl.flower.submitting import run_to_its_end

    if find_spec("flwr") is None:
        raise PipeflError("flwr is not installed; pip install 'pipefl[flower]' brings it")
    if not (app / "pyproject.toml").is_file():
        raise MissingFileError(f"{app}: there is no Flower app here (no pyproject.toml)")
    options = [part for each in settings or [] for part in ("--run-config", each)]
    options += [part for each in federation or [] for part in ("--federation-config", each)]
    ended = run_to_its_end(app, superlink, options)
    print(f"run {ended.run_id}: {ended.status}")
    if not ended.completed:
        raise PipeflError(f"run {ended.run_id} did not complete ({ended.status}): {ended.details}")
