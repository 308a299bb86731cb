"""`pipefl report`: a run or a sweep as a page to show to others."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pipefl.cli.bare_formats import is_bare
from pipefl.cli.values import check_ending
from pipefl.errors import MissingFileError

if TYPE_CHECKING:
    from pipefl.report.parts import Page
    from pipefl.report.run_settings import Reference
    from pipefl.runs.config import RunConfig


def report_verb(
    folder: Annotated[
        Path,
        typer.Argument(
            metavar="RUN_OR_SWEEP", help="The folder of a run or of a sweep, or a run's name."
        ),
    ],
    *,
    html: Annotated[
        Path | None, typer.Option(show_default=False, help="Write a page that opens offline.")
    ] = None,
    pdf: Annotated[
        Path | None,
        typer.Option(show_default=False, help="Print that page, by Chromium or Chrome."),
    ] = None,
    markdown: Annotated[
        Path | None,
        typer.Option("--md", show_default=False, help="Write Markdown, with its figures beside."),
    ] = None,
    runs_dir: Annotated[Path, typer.Option("--runs-dir", help="The folder of all runs.")] = Path(
        "runs"
    ),
) -> None:
    """Write what was run and what came of it; without options, report.html in its folder.

    A format without a path is written there too: --pdf makes its report.pdf.
    """
    place = _found(folder, runs_dir)
    html = place / "report.html" if is_bare(html) else html
    pdf = place / "report.pdf" if is_bare(pdf) else pdf
    markdown = place / "report.md" if is_bare(markdown) else markdown
    check_ending("--html", html, (".html",))
    check_ending("--pdf", pdf, (".pdf",))
    check_ending("--md", markdown, (".md",))
    from pipefl.report.printing import browser
    from pipefl.report.writing import write_html, write_markdown, write_pdf

    if pdf is not None:
        browser()  # complains before the work is done if there is none
    if html is None and pdf is None and markdown is None:
        html = place / "report.html"
    page = _page(place)
    wanted: list[tuple[Path | None, Callable[[Page, Path], Path]]] = [
        (html, write_html),
        (markdown, write_markdown),
        (pdf, write_pdf),
    ]
    for path, write in wanted:
        if path is not None:
            print(f"Wrote {write(page, path)}")


def _found(folder: Path, runs_dir: Path) -> Path:
    """The folder that is meant: as it stands, or as a name among the runs."""
    for place in (folder, runs_dir / folder):
        if place.is_dir():
            return place
    raise MissingFileError(f"{folder}: there is no such folder, here or in {runs_dir}")


def _page(place: Path) -> "Page":
    from pipefl.runs.directory import RunDirectory
    from pipefl.sweeps.directory import SweepDirectory

    sweep = SweepDirectory(place)
    if sweep.exists():
        from pipefl.report.paper_sections import paper_sections
        from pipefl.report.sweep_page import sweep_page
        from pipefl.report.sweep_view import sweep_view

        return sweep_page(sweep_view(place), paper_sections(sweep))
    if RunDirectory(place).exists():
        from pipefl.report.run_page import run_page
        from pipefl.report.run_view import run_view

        view = run_view(place)
        return run_page(view, _recipe_of(view.run.config))
    raise MissingFileError(
        f"{place} is neither a run nor a sweep: it holds no config.toml and no sweep.toml"
    )


def _recipe_of(config: "RunConfig") -> "Reference | None":
    """The recipe of the run's name, if there is one."""
    from pipefl.errors import ArgumentError
    from pipefl.recipes.catalogue import recipe_config
    from pipefl.report.run_settings import Reference

    try:
        return Reference(config.name, recipe_config(config.name))
    except ArgumentError:
        return None
