"""`pipefl paper`: the paper's tables, regenerated."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from pipefl.cli.paper_running import SweepChoices

paper_app = typer.Typer(
    help="The paper's tables and figures, regenerated from the data.", no_args_is_help=True
)

_TABLES = {
    "table1": "Table I: the CNN on MNIST, rounds to 97 %.",
    "table2": "Table II: the MLP on MNIST, rounds to 96 %.",
    "table3": "Table III: the CNN on federated EMNIST's digits, or on what stands in for it.",
    "table3-writers": "As table III, on MNIST's images by their real NIST writers.",
    "table3-sizes": "As table III, on a stand-in with the sizes and labels of all NIST writers.",
    "table4": "Table IV: the LSTM on Shakespeare's plays, rounds to 40 %.",
}
Seeds = Annotated[
    int | None,
    typer.Option("--seeds", show_default=False, help="Runs of every cell; 3, or 1 with --best."),
]
TuningSeeds = Annotated[
    int | None,
    typer.Option(
        "--tuning-seeds", show_default=False, help="Choose the best rate by so many seeds; all."
    ),
]
Jobs = Annotated[
    int | None,
    typer.Option("--jobs", "-j", show_default=False, help="Runs side by side; one a processor."),
]
Executor = Annotated[
    str | None,
    typer.Option("--executor", show_default=False, help="Where runs are: processes or ray."),
]
RayAddress = Annotated[
    str | None,
    typer.Option(
        "--ray-address", show_default=False, help="HOST:PORT of a Ray cluster's head, or auto."
    ),
]
Quick = Annotated[
    bool, typer.Option("--quick", help="A few cells on the small data that come with PipeFL.")
]
Best = Annotated[
    bool, typer.Option("--best", help="At the best settings of our own results: no tuning, 1 seed.")
]
Only = Annotated[
    str | None,
    typer.Option("--only", show_default=False, help="Some cells: k4-n1, k1-*, rolling-n2, u16."),
]
Show = Annotated[bool, typer.Option("--show", help="Run nothing; print what is there.")]
SweepsDir = Annotated[Path, typer.Option("--sweeps-dir", help="The folder of all sweeps.")]


def _sweeping_verb(
    what: str, tables: tuple[str, ...], *, with_figures: bool = False
) -> Callable[..., None]:
    """The verb that runs some tables."""

    def verb(
        *,
        seeds: Seeds = None,
        tuning_seeds: TuningSeeds = None,
        jobs: Jobs = None,
        executor: Executor = None,
        ray_address: RayAddress = None,
        quick: Quick = False,
        best: Best = False,
        only: Only = None,
        show: Show = False,
        sweeps_dir: SweepsDir = Path("sweeps"),
    ) -> None:
        from pipefl.cli.paper_running import SweepChoices, run_tables

        choices = SweepChoices(
            seeds=seeds,
            tuning_seeds=tuning_seeds,
            jobs=jobs,
            executor=executor,
            ray_address=ray_address,
            quick=quick,
            best=best,
            only=only,
            for_contest=what == "contest",
            show=show,
            sweeps_dir=sweeps_dir,
        )
        run_tables(what, tables, choices)
        if with_figures and not show:
            from pipefl.cli.paper_figures import draw_all

            draw_all(Path("figures"), choices, choices.command(what))

    return verb


@paper_app.command("export")
def export_verb(
    *,
    sweeps_dir: SweepsDir = Path("sweeps"),
    results_dir: Annotated[
        Path, typer.Option("--results-dir", help="The folder of the outcomes.")
    ] = Path("results"),
) -> None:
    """Write the outcome of every table's sweep, finished or not, as a small JSON file."""
    from pipefl.cli.paper_export import export_sweeps

    export_sweeps(sweeps_dir, results_dir)


_MAIN = ("table1", "table2", "table3", "table4")
for _name, _about in _TABLES.items():
    paper_app.command(_name, help=_about)(_sweeping_verb(_name, (_name,)))
paper_app.command("contest", help="Schedules in simulated seconds, on all four tasks.")(
    _sweeping_verb("contest", _MAIN)
)
paper_app.command("all", help="All four tables with every cell, then all figures.")(
    _sweeping_verb("all", _MAIN, with_figures=True)
)


_FIGURES = {
    "fig1": "Fig. 1: a round of CS-GD on the clock.",
    "fig2": "Fig. 2: the geometry of Theorem 2.",
    "fig3": "Fig. 3: the hull of Example 1.",
    "fig4": "Fig. 4: federated EMNIST's sizes, or those of what stands in for it.",
    "shakespeare-histogram": "The sizes of the roles in Shakespeare's plays.",
    "accuracy-mnist-cnn": "Accuracy against rounds: the CNN on MNIST. Runs it first.",
    "accuracy-mnist-mlp": "Accuracy against rounds: the MLP on MNIST. Runs it first.",
    "accuracy-emnist": "Accuracy against rounds: the CNN on EMNIST. Runs it first.",
    "stability-emnist": "The raw accuracy after every round on EMNIST. Runs it first.",
}


def _figure_verb(name: str) -> Callable[..., None]:
    """The verb that draws one figure."""

    def verb(
        *,
        save: Annotated[
            Path | None,
            typer.Option("--save", show_default=f"{name}.svg", help="A .pdf, .svg or .png file."),
        ] = None,
        jobs: Jobs = None,
        executor: Executor = None,
        ray_address: RayAddress = None,
        quick: Quick = False,
        sweeps_dir: SweepsDir = Path("sweeps"),
    ) -> None:
        from pipefl.cli.paper_figures import draw_figure

        choices = _for_figures(jobs, executor, ray_address, quick, sweeps_dir)
        draw_figure(name, save, choices, choices.command(name, ("--save", save)))

    return verb


for _name, _about in _FIGURES.items():
    paper_app.command(_name, help=_about)(_figure_verb(_name))


@paper_app.command("figures")
def figures_verb(
    *,
    into: Annotated[Path, typer.Option("--into", help="The folder of the figures.")] = Path(
        "figures"
    ),
    jobs: Jobs = None,
    executor: Executor = None,
    ray_address: RayAddress = None,
    quick: Quick = False,
    sweeps_dir: SweepsDir = Path("sweeps"),
) -> None:
    """All the figures as SVG files, after the runs that the accuracy plots need."""
    from pipefl.cli.paper_figures import draw_all

    choices = _for_figures(jobs, executor, ray_address, quick, sweeps_dir)
    draw_all(into, choices, choices.command("figures", ("--into", into)))


def _for_figures(
    jobs: int | None,
    executor: str | None,
    ray_address: str | None,
    quick: bool,
    sweeps_dir: Path,
) -> "SweepChoices":
    from pipefl.cli.paper_running import SweepChoices

    return SweepChoices(
        seeds=None,
        tuning_seeds=None,
        jobs=jobs,
        executor=executor,
        ray_address=ray_address,
        quick=quick,
        best=False,
        only=None,
        for_contest=False,
        show=False,
        sweeps_dir=sweeps_dir,
    )
