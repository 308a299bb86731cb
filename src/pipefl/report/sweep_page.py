"""A sweep's folder as a page: its cells, side by side, over their seeds."""

from collections.abc import Sequence
from functools import partial

from pipefl.report.cells_chart import cells_chart
from pipefl.report.numbers import in_percent
from pipefl.report.parts import Fact, Facts, Figure, Page, Part, Section, Tile, Tiles
from pipefl.report.provenance import provenance_section
from pipefl.report.sweep_curves import curves_section
from pipefl.report.sweep_tables import cells_table, tried_table
from pipefl.report.sweep_view import SweepView
from pipefl.runs.flat import default_settings, flat_settings, shown
from pipefl.wording import counted


def sweep_page(view: SweepView, tables: Sequence[Section] = ()) -> Page:
    """The page of a sweep, finished or not; `tables` of others come first."""
    sections: list[Section | None] = [
        *tables,
        Section("Cells", [_cells_figure(view), cells_table(view)]),
        curves_section(view),
        Section("What was tried", [tried_table(view)]),
        Section("Settings", _settings(view)),
        provenance_section(*_noted(view)),
    ]
    return Page(
        kind="PipeFL sweep",
        title=view.config.title or view.config.name,
        lead=_lead(view),
        opening=[_state(view), _tiles(view)],
        sections=[section for section in sections if section is not None],
    )


def _lead(view: SweepView) -> str:
    base, target = view.config.base, view.config.base.target_accuracy
    parts = [f"{base.model} on {base.dataset}"]
    if target is not None:
        parts.append(f"to {in_percent(target)} test accuracy")
    cells = counted(len(view.cells), "cell")
    return " · ".join([*parts, cells, counted(len(view.config.seeds), "seed")])


def _state(view: SweepView) -> str:
    """How far the sweep has come."""
    left = len(view.cells) - view.num_settled
    if not left:
        return f"All {counted(len(view.cells), 'cell')} are settled: no more runs are wanted."
    doing = "it is being run now" if view.is_running else "it can be gone on with"
    return (
        f"This sweep is not finished: of {counted(left, 'cell')} more runs are wanted; {doing}. "
        "What follows is what is there so far."
    )


def _tiles(view: SweepView) -> Tiles:
    num_over = sum(outcome.is_over for cell in view.cells for outcome in cell.tried.values())
    tiles = [
        Tile(f"{view.num_settled} of {len(view.cells)}", "cells are settled"),
        Tile(f"{view.num_runs:,}", f"runs, {num_over:,} of them to their end"),
        Tile(f"{len(view.config.seeds)}", "seeds: " + ", ".join(map(str, view.config.seeds))),
    ]
    return Tiles(tiles)


def _cells_figure(view: SweepView) -> Figure:
    return Figure(
        "cells",
        "Rounds and simulated time that each cell took to the target, a dot a seed.",
        partial(cells_chart, view.cells),
        caption="Each dot is a seed that reached the target, the mark the middle one.",
    )


def _settings(view: SweepView) -> list[Part]:
    """What all runs have in common, what is tuned, and what differs from the defaults."""
    sweep = view.config
    varied = {
        *(name for cell in sweep.cells for name in cell.settings),
        *(name for cell in sweep.cells for name in sweep.grids_of(cell)),
        "seed",
        "name",
    }
    usual = default_settings()
    facts = [
        Fact(
            name,
            shown(value),
            f"default {shown(usual.get(name))}" if value != usual.get(name) else "",
            marked=value != usual.get(name),
        )
        for name, value in flat_settings(sweep.base).items()
        if name not in varied
    ]
    tuned = [
        Fact(name, ", ".join(f"{value:.6g}" for value in sorted(grid)))
        for name, grid in sweep.grids.items()
    ]
    extended = f"up to {sweep.most_extensions} times" if sweep.extend else "no"
    tuned.append(Fact("continued where the best is at the edge", extended))
    return [
        "The cells differ in what their table shows. Marked is what differs from the defaults.",
        Facts(tuned, "Grids"),
        Facts(facts, "The same in all runs"),
    ]


def _noted(view: SweepView) -> tuple[dict[str, str], dict[str, str]]:
    """Machine and versions of the first run there is."""
    example = view.example
    return ({}, {}) if example is None else (dict(example.machine), dict(example.versions))
