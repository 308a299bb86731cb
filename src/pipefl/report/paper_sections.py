"""A sweep as the paper prints it: a table of K and N in rounds, and the same on the clock."""

from collections.abc import Callable, Sequence
from math import inf

from pipefl.errors import PipeflError
from pipefl.policies.paper_points import PAPER_NUM_CHANNELS, PAPER_NUM_CLUSTERS
from pipefl.report.contest_chart import standing_name
from pipefl.report.durations import time_unit
from pipefl.report.numbers import share
from pipefl.report.parts import Cell, Part, Section, Table
from pipefl.sweeps.contest import PAPER_SLOTS, Standing, contest
from pipefl.sweeps.directory import SweepDirectory
from pipefl.sweeps.measured import MeasuredSweep
from pipefl.sweeps.measuring import measured
from pipefl.sweeps.paper_table import TableCell, paper_table
from pipefl.sweeps.results import sweep_results
from pipefl.sweeps.spread import Spread


def paper_sections(directory: SweepDirectory) -> list[Section]:
    """Its tables, as far as the sweep has the paper's cells; none of a sweep of other cells."""
    config = directory.config()
    rows = paper_table(sweep_results(directory), config.paper)
    if not rows:
        return []
    sections = [Section("Rounds, as in the paper", [_rounds_table(rows, len(config.seeds))])]
    try:
        tables = _seconds_tables(measured(directory))
    except PipeflError as error:  # of runs whose clients would be others on another clock
        tables = [f"What the same runs take on other clocks is not known: {error}."]
    if tables:
        sections.append(Section("Time, or only rounds?", tables))
    return sections


def _rounds_table(rows: Sequence[Sequence[TableCell]], num_seeds: int) -> Table:
    notes = [
        "The median of the seeds at the best settings, their range, the gain on the row K = 1."
    ]
    if any(cell.paper_rounds is not None for row in rows for cell in row):
        notes[0] += " Last the paper's; ≠ marks where they differ by more than our seeds do."
    return Table(
        ["K \\ N", *(f"{cell.num_channels}" for cell in rows[0])],
        [[f"{row[0].num_clusters}", *(_rounds(cell, num_seeds) for cell in row)] for row in rows],
        notes=notes,
    )


def _rounds(cell: TableCell, num_seeds: int) -> Cell:
    below = _below(cell.rounds, "{:,.0f}".format, num_seeds, cell.is_settled)
    is_gain = cell.num_clusters > 1
    if cell.gain is not None and is_gain:
        below.append(f"gain {share(cell.gain, 0)}")
    if cell.paper_rounds is not None:
        gain = "" if cell.paper_gain is None or not is_gain else f", {share(cell.paper_gain, 0)}"
        below.append(f"paper {cell.paper_rounds:,}{gain}{' ≠' if cell.differs else ''}")
    return Cell(_median(cell.rounds, "{:,.0f}".format), below)


def _seconds_tables(sweep: MeasuredSweep) -> list[Part]:
    """A table for each uplink, those of more clusters first."""
    tables: list[Part] = []
    for clusters in sorted(PAPER_NUM_CLUSTERS[1:], reverse=True):
        contests = [contest(sweep, clusters, channels) for channels in PAPER_NUM_CHANNELS]
        contests = [each for each in contests if any(_is_papers(s) and s.seconds for s in each)]
        if contests:
            tables.append(_seconds_table(contests, clusters, len(sweep.seeds)))
    if not tables:
        return []
    return [
        "The same runs on the clock, whose upload is as long as the paper would have it for so "
        "many clusters. Ratios are to the conventional scheme on the same uplink; bold is the "
        "fastest with no more band and sub-channels than the others.",
        *tables,
    ]


def _seconds_table(contests: Sequence[Sequence[Standing]], clusters: int, num_seeds: int) -> Table:
    known = [s.seconds for each in contests for s in each if s.seconds and s.seconds.is_finite]
    unit = time_unit(max((spread.median for spread in known), default=0.0))

    def write(seconds: float) -> str:
        return f"{seconds / unit.seconds:,.3g}"

    best = [_fastest(each) for each in contests]
    rows: list[list[Cell | str]] = [
        [
            standing_name(row[0]),
            *(_time(s, write, num_seeds, s is first) for s, first in zip(row, best, strict=True)),
        ]
        for row in zip(*contests, strict=True)
        if any(standing.seconds for standing in row)
    ]
    columns = ["schedule", *(f"N = {each[0].num_channels}" for each in contests)]
    caption = f"{unit.name.capitalize()} of the simulated clock, at the uplink of K = {clusters}"
    return Table(columns, rows, caption=caption)


def _time(
    standing: Standing, write: Callable[[float], str], num_seeds: int, is_first: bool
) -> Cell:
    below = _below(standing.seconds, write, num_seeds, standing.is_settled)
    if standing.ratio is not None:
        below.append(f"{standing.ratio:.2f}×")
    return Cell(_median(standing.seconds, write), below, "best" if is_first else "plain")


def _fastest(standings: Sequence[Standing]) -> Standing | None:
    """Of those with no more than the uplink of all."""
    known = [
        (standing.seconds.median, place)
        for place, standing in enumerate(standings)
        if not standing.entrant.uplink and standing.seconds and standing.seconds.is_finite
    ]
    return standings[min(known)[1]] if known else None


def _is_papers(standing: Standing) -> bool:
    return standing.entrant.title == PAPER_SLOTS


def _median(spread: Spread | None, write: Callable[[float], str]) -> str:
    if spread is None:
        return "–"
    return write(spread.median) if spread.is_finite else "not reached"


def _below(
    spread: Spread | None, write: Callable[[float], str], num_seeds: int, is_settled: bool
) -> list[str]:
    """The range of the seeds, and what is still to come."""
    if spread is None:
        return []
    below = []
    if spread.num_seeds > 1 and spread.least < inf:
        below.append(f"{write(spread.least)} – {write(spread.most) if spread.most < inf else '∞'}")
    if spread.num_seeds < num_seeds:
        below.append(f"{spread.num_seeds} of {num_seeds} seeds")
    elif not is_settled:
        below.append("more to come")
    return below
