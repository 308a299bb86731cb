"""`pipefl runs`: what has been run, and how runs compare."""

import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pipefl.cli.values import check_choice
from pipefl.errors import ArgumentError, MissingFileError

if TYPE_CHECKING:
    from pipefl.runs.listing import Listing, RunEntry

runs_app = typer.Typer(invoke_without_command=True)

_SORTED_BY = ("name", "state", "rounds", "seconds", "accuracy")

RunsDir = Annotated[
    Path, typer.Option("--runs-dir", help="The folder of all runs, or that of a sweep.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print it as JSON.")]


@runs_app.callback()
def runs_verb(
    context: typer.Context,
    *,
    runs_dir: RunsDir = Path("runs"),
    filters: Annotated[
        list[str] | None,
        typer.Option(
            "--filter",
            metavar="NAME=VALUE",
            help="Only runs with this setting, state or name; * and ? stand for other signs; "
            "may be repeated.",
        ),
    ] = None,
    sort: Annotated[
        str, typer.Option("--sort", help="name, state, rounds, seconds or accuracy: best first.")
    ] = "name",
    as_json: AsJson = False,
) -> None:
    """List runs, finished and unfinished, or `compare` some of them."""
    if context.invoked_subcommand is not None:
        return
    from pipefl.cli.runs_table import print_runs
    from pipefl.runs.listing import is_wanted, list_runs

    check_choice("--sort", sort, _SORTED_BY)
    wanted = _wanted(filters or [])
    folder = _runs_folder(runs_dir)
    listing = list_runs(folder)
    entries = sorted(
        (entry for entry in listing.entries if is_wanted(entry, wanted)), key=_order(sort)
    )
    if as_json:
        print(json.dumps([entry.to_dict() for entry in entries], indent=1))
    else:
        print_runs(entries, len(listing.entries), folder)
    _say_what_is_left_out(listing)


@runs_app.command("compare")
def compare_runs_verb(
    runs: Annotated[
        list[str], typer.Argument(metavar="A B …", help="Names of runs, or their folders.")
    ],
    *,
    runs_dir: RunsDir = Path("runs"),
    as_json: AsJson = False,
) -> None:
    """Show runs side by side: the settings in which they differ, and what came of them."""
    from pipefl.cli.runs_comparison import comparison_json, print_comparison
    from pipefl.runs.recorded import read_run

    if len(runs) < 2:
        raise ArgumentError("A B …", " ".join(runs), "it takes two runs at least to compare")
    folder = _runs_folder(runs_dir)
    found = [read_run(_run_folder(name, folder)) for name in runs]
    if as_json:
        print(comparison_json(found))
    else:
        print_comparison(found)


def _wanted(filters: Sequence[str]) -> dict[str, object]:
    """Names and values; complains of a name that nothing has."""
    from pipefl.runs.listing import LISTED
    from pipefl.runs.overrides import setting_path
    from pipefl.settings import parse_setting

    wanted: dict[str, object] = {}
    for text in filters:
        if "=" not in text:
            raise ArgumentError("--filter", text, "it must have the form name=value")
        name, value = parse_setting(text)
        if name not in LISTED:
            setting_path(name)
        wanted[name] = value
    return wanted


def _runs_folder(folder: Path) -> Path:
    """The folder itself, or where a sweep keeps its runs."""
    from pipefl.sweeps.directory import SweepDirectory

    sweep = SweepDirectory(folder)
    return sweep.runs_path if sweep.exists() else folder


def _run_folder(name: str, folder: Path) -> Path:
    from pipefl.runs.directory import RunDirectory

    for path in (folder / name, Path(name)):
        if RunDirectory(path).exists():
            return path
    raise MissingFileError(f"{name}: there is no such run, in {folder} or here")


def _order(sort: str) -> Callable[["RunEntry"], tuple[bool, float, str]]:
    """By a number, those without it last; else by state or name."""

    def key(entry: "RunEntry") -> tuple[bool, float, str]:
        accuracy = entry.best_accuracy
        number = {
            "rounds": entry.rounds_to_target,
            "seconds": entry.seconds_to_target,
            "accuracy": None if accuracy is None else -accuracy,
        }.get(sort, 0)
        text = f"{entry.state} {entry.name}" if sort == "state" else entry.name
        return number is None, float(number or 0), text

    return key


def _say_what_is_left_out(listing: "Listing") -> None:
    """Broken runs a line each; sweeps, and what is no run at all."""
    from pipefl.sweeps.directory import SweepDirectory

    lines = [f"left out: {reason}" for reason in listing.broken]
    others = []
    for path in listing.foreign:
        sweep = SweepDirectory(path)
        if sweep.exists():
            lines.append(f"{path} is a sweep; its runs: pipefl runs --runs-dir {path}")
        else:
            others.append(path.name)
    if others:
        lines.append(f"left out, for they are no runs: {', '.join(others)}")
    for line in lines:
        print(line, file=sys.stderr)
