"""The paper's tables and the contests in the terminal."""

from collections.abc import Iterable
from math import inf

from rich.box import SIMPLE_HEAD
from rich.table import Table

from pipefl.policies.paper_points import PAPER_NUM_CHANNELS
from pipefl.report.durations import in_words
from pipefl.sweeps.cells import UPLINK_CLUSTERS
from pipefl.sweeps.config import SweepConfig
from pipefl.sweeps.contest import Standing, contest
from pipefl.sweeps.measured import MeasuredSweep
from pipefl.sweeps.paper_table import Found, TableCell, paper_table
from pipefl.sweeps.spread import Spread


def rounds_table(sweep: SweepConfig | MeasuredSweep, cells: Iterable[Found]) -> Table:
    """Our rounds over the paper's, one cell for every K and N; the title stands elsewhere."""
    rows = paper_table(cells, sweep.paper)
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("K \\ N", justify="right")
    for cell in rows[0] if rows else ():
        table.add_column(f"{cell.num_channels}", justify="right")
    for row in rows:
        texts = [_rounds_text(cell, len(sweep.seeds)) for cell in row]
        table.add_row(str(row[0].num_clusters), *texts)
        table.add_section()
    return table


def rounds_notes(sweep: SweepConfig | MeasuredSweep) -> str:
    """What the signs in the table of rounds mean."""
    seeds = "1 seed" if len(sweep.seeds) == 1 else f"the median of {len(sweep.seeds)} seeds"
    text = f"Above: {seeds} at the best rate, (least – most), gain on K = 1."
    if sweep.paper:
        text += " Below: the paper's. ≠ marks where they differ by more than our seeds do."
    return f"{text} … marks cells in which trials are still to be run."


def contest_title(sweep: MeasuredSweep, num_clusters: int = UPLINK_CLUSTERS) -> str:
    """What the table of a contest shows."""
    target = f"{100 * sweep.target_accuracy:.4g} %"
    return f"Simulated time to {target}, at the uplink of K = {num_clusters}"


def contest_table(sweep: MeasuredSweep, num_clusters: int = UPLINK_CLUSTERS) -> Table:
    """Simulated seconds to the target of every schedule, for each N."""
    contests = [contest(sweep, num_clusters, channels) for channels in PAPER_NUM_CHANNELS]
    contests = [standings for standings in contests if any(s.cell for s in standings[:2])]
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("schedule", no_wrap=True)
    for standings in contests:
        table.add_column(f"N = {standings[0].num_channels}", justify="right", no_wrap=True)
    for row in zip(*contests, strict=True):
        if any(standing.cell is not None for standing in row):
            entrant = row[0].entrant
            title = f"{entrant.title} ({entrant.uplink})" if entrant.uplink else entrant.title
            table.add_row(title, *(_seconds_text(each, len(sweep.seeds)) for each in row))
    return table


def _rounds_text(cell: TableCell, num_seeds: int) -> str:
    ours = _spread_text(cell.rounds, num_seeds)
    if cell.gain is not None and cell.num_clusters > 1:
        ours += f" {100 * cell.gain:.0f} %"
    ours += "" if cell.is_settled else " …"
    if cell.paper_rounds is None:
        return ours
    mark = "≠ " if cell.differs else ""
    theirs = f"{mark}{cell.paper_rounds:,}"
    if cell.paper_gain is not None and cell.num_clusters > 1:
        theirs += f" {100 * cell.paper_gain:.0f} %"
    return f"{ours}\n[dim]{theirs}[/dim]"


def _spread_text(spread: Spread | None, num_seeds: int) -> str:
    if spread is None:
        return "–"
    if not spread.is_finite:
        return "not reached"
    text = f"{spread.median:,.0f}"
    if spread.num_seeds > 1:
        most = f"{spread.most:,.0f}" if spread.most < inf else "∞"
        text += f" ({spread.least:,.0f} – {most})"
    return text if spread.num_seeds == num_seeds else f"{text} [{spread.num_seeds} of {num_seeds}]"


def _seconds_text(standing: Standing, num_seeds: int) -> str:
    seconds = standing.seconds
    if seconds is None or not seconds.is_finite:
        return "–" if seconds is None else "not reached"
    text = in_words(seconds.median)
    if standing.ratio is not None:
        text += f" {standing.ratio:.2f}×"
    if seconds.num_seeds < num_seeds:
        text += f" [{seconds.num_seeds} of {num_seeds}]"
    return text if standing.is_settled else f"{text} …"
