"""The command `pipefl`: its verbs, and how errors reach the user."""

import os
import sys
import warnings
from io import TextIOWrapper
from typing import Annotated

import typer

import pipefl
from pipefl.cli.bare_formats import BareFormats
from pipefl.cli.compare_verb import compare_verb
from pipefl.cli.data_verb import data_app
from pipefl.cli.explain_verb import explain_verb
from pipefl.cli.federate_verb import federate_verb
from pipefl.cli.optimise_verb import optimise_verb
from pipefl.cli.option_names import in_options
from pipefl.cli.paper_verb import paper_app
from pipefl.cli.plan_verb import plan_verb
from pipefl.cli.recipes_verb import recipes_verb
from pipefl.cli.recommend_verb import recommend_verb
from pipefl.cli.report_verb import report_verb
from pipefl.cli.run_verb import run_verb
from pipefl.cli.runs_verb import runs_app
from pipefl.cli.sweep_verb import sweep_verb
from pipefl.cli.timeline_verb import timeline_verb
from pipefl.errors import PipeflError
from pipefl.extras import missing_extra

try:  # what typer complains with: its own since 0.27, click's before, which Flower still wants
    from typer import TyperException as UsageError  # type: ignore[attr-defined, unused-ignore]
except ImportError:
    from click import ClickException as UsageError

_WITH_SETTINGS = ("run",)  # verbs to which `--set num_clusters=4` is said as it is in Python

app = typer.Typer(
    name="pipefl",
    help="Pipelined federated learning over a limited uplink: planned, simulated, run for real.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("plan")(plan_verb)
app.command("sweep")(sweep_verb)
app.command("recommend")(recommend_verb)
app.command("explain")(explain_verb)
app.command("optimise")(optimise_verb)
app.command("timeline")(timeline_verb)
app.command("compare")(compare_verb)
app.command("run")(run_verb)
app.command("report", cls=BareFormats)(report_verb)
app.command("recipes")(recipes_verb)
app.command("federate")(federate_verb)
app.add_typer(paper_app, name="paper")
app.add_typer(data_app, name="data")
app.add_typer(runs_app, name="runs")


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"pipefl {pipefl.__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    pass


def run(arguments: list[str]) -> int:
    """Run one command and return its exit code: 0, or 2 after one line on what is wrong."""
    verb = arguments[0] if arguments else ""
    try:
        code = app(args=arguments, prog_name="pipefl", standalone_mode=False)
    except (PipeflError, UsageError, OSError, MemoryError) as error:
        return _complain(error, verb)
    except ModuleNotFoundError as error:
        missing = missing_extra(f"pipefl {verb}".rstrip(), error)
        if missing is None:
            raise
        return _complain(missing, verb)
    except typer.Abort:
        return 130
    return code if isinstance(code, int) else 0


def main() -> None:
    """The entry point of the command `pipefl`.

    Modules of one's own, for `package.module:factory`, are found in the folder that one is in.
    """
    sys.path.append(os.getcwd())  # noqa: PTH109  # pathlib would cost its import at every start
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # a terminal without θ and ≤ shows ? instead
            stream.reconfigure(errors="replace")
    warnings.formatwarning = _warning
    sys.exit(run(sys.argv[1:]))


def _complain(error: Exception, verb: str) -> int:
    if isinstance(error, UsageError):
        text = error.format_message()
    elif isinstance(error, PipeflError):
        text = str(error) if verb in _WITH_SETTINGS else in_options(str(error))
    elif isinstance(error, OSError) and error.filename and error.strerror:
        text = f"{error.filename}: {error.strerror}"
    else:
        text = str(error) or type(error).__name__
    if text:
        print(f"pipefl: error: {_one_line(text)}", file=sys.stderr)
    return 2


def _warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    line: str | None = None,
) -> str:
    """A warning as one line, without the place in the code that Python would show."""
    return f"pipefl: warning: {_one_line(str(message))}\n"


def _one_line(text: str) -> str:
    printable = "".join(sign if sign.isprintable() else " " for sign in text)
    return " ".join(printable.split())
