"""A sweep's cells as tables: what each came to, and what was tried on the way."""

from collections.abc import Callable, Iterator, Sequence

from pipefl.report.durations import TimeUnit, time_unit
from pipefl.report.numbers import number
from pipefl.report.parts import Cell, Table, Tone
from pipefl.report.sweep_view import CellView, SweepView, middle, point_in_words
from pipefl.runs.flat import shown
from pipefl.sweeps.trial import Outcome
from pipefl.wording import counted

_IN_COLUMNS = {"policy", "discipline", "num_clusters", "num_channels"}


def cells_table(view: SweepView) -> Table:
    """A row a cell at its best point: rounds, updates and seconds to the target over seeds."""
    unit = time_unit(max((s for cell in view.cells for s in cell.result.seconds if s), default=0.0))
    seeds = counted(len(view.config.seeds), "seed")
    notes = [
        f"The middle of {seeds} (of an even number the lower of the two), and their range below, "
        f"to the target; {unit.name} of the simulated clock. Of a schedule without rounds the "
        "server's steps are counted. The last column says how many seeds reached it."
    ]
    if not view.has_one_uplink:
        notes.append(
            "Simulated times are on each cell's own clock. An upload does not take as long in all "
            "of them, so times compare only where it does."
        )
    columns = (
        "cell", "schedule", "K", "N", "upload", ", ".join(view.config.grids), "rounds", "updates",
        unit.name, "seeds",
    )  # fmt: skip
    rows = [_row(view, cell, unit) for cell in view.cells]
    return Table(columns, rows, notes=notes, num_text_columns=2)


def tried_table(view: SweepView) -> Table:
    """A row a point of a cell's grids: the rounds of each seed that was tried."""
    rows = [row for cell in view.cells for row in _tried(view, cell)]
    note = (
        "Bold is the point at which the cell is shown. A run is cut short, > 120, when it can no "
        "longer beat the best one."
    )
    columns = ("cell", "point", "rounds to the target, one number a seed")
    return Table(columns, rows, notes=[note], num_text_columns=3)


def schedule_of_cell(cell: CellView) -> str:
    """Policy and discipline."""
    discipline = cell.config.discipline
    return f"{cell.config.policy}/{discipline}" if discipline else cell.config.policy


def _row(view: SweepView, cell: CellView, unit: TimeUnit) -> list[Cell | str]:
    result, config = cell.result, cell.config
    point = result.point or {}
    own = {name: value for name, value in point.items() if name not in view.config.grids}
    others = [
        f"{name} {shown(value)}"
        for name, value in {**result.settings, **own}.items()
        if name not in _IN_COLUMNS
    ]
    reached = sum(rounds is not None for rounds in result.rounds)
    state = [] if result.is_settled else ["more to come"]
    upload_s = cell.upload_time_s
    by_seed = dict(zip(cell.runs, cell.updates, strict=True))
    updates = [by_seed.get(seed) for seed in result.seeds]

    def over(values: Sequence[float | None]) -> list[float | None]:
        """Those of the seeds that are over: what is still to come has not failed."""
        outcomes = zip(values, result.outcome, strict=False)
        return [value for value, outcome in outcomes if outcome is not None and outcome.is_over]

    return [
        Cell(cell.name, others),
        schedule_of_cell(cell),
        "–" if config.num_clusters is None else f"{config.num_clusters:,}",
        f"{config.num_channels:,}",
        "–" if upload_s is None else f"{number(upload_s)} s",
        ", ".join(f"{point[name]:.6g}" for name in view.config.grids) if point else "–",
        _spread(over(result.rounds), lambda value: f"{value:,.0f}"),
        _spread(over(updates), lambda value: f"{value:,.0f}"),
        _spread(over(result.seconds), lambda value: f"{value / unit.seconds:.3g}"),
        Cell(f"{reached}/{len(view.config.seeds)}", state),
    ]


def _spread(values: Sequence[float | None], write: Callable[[float], str]) -> Cell:
    """The middle, and the range where there are several."""
    if not values:
        return Cell("–", tone="quiet")
    known = sorted(value for value in values if value is not None)
    found = middle(values)
    text = "not reached" if found is None else write(found)
    if len(values) == 1 or not known:
        return Cell(text)
    most = write(known[-1]) if len(known) == len(values) else "never"
    return Cell(text, [f"{write(known[0])} – {most}"])


def _tried(view: SweepView, cell: CellView) -> Iterator[list[Cell | str]]:
    names = list(view.config.grids_of(view.config.cell(cell.name)))
    best = tuple((cell.result.point or {}).values())
    for number_, point in enumerate(sorted({point for point, _ in cell.tried})):
        outcomes = [cell.tried.get((point, seed)) for seed in view.config.seeds]
        tone: Tone = "best" if point == best else "plain"
        yield [
            cell.name if number_ == 0 else "",
            Cell(point_in_words(names, point), tone=tone),
            Cell(", ".join(map(_came_to, outcomes)), _failures(outcomes), tone=tone),
        ]


def _came_to(outcome: Outcome | None) -> str:
    if outcome is None:
        return "–"
    if outcome.rounds is not None:
        return f"{outcome.rounds:,}"
    return "failed" if outcome.failure else f"> {outcome.done:,}"


def _failures(outcomes: Sequence[Outcome | None]) -> list[str]:
    """Why runs failed, each reason once."""
    reasons = (each.failure for each in outcomes if each is not None)
    return list(dict.fromkeys(reason for reason in reasons if reason))
