"""The page of results, written from the files below results/; nothing in it is typed by hand."""

from collections.abc import Iterator, Sequence
from math import inf
from pathlib import Path
from typing import Any

from pipefl.policies.paper_points import PAPER_NUM_CHANNELS, PAPER_NUM_CLUSTERS
from pipefl.recipes.tables import TABLES
from pipefl.report.contest_chart import contest_chart, standing_name
from pipefl.report.rounds_chart import rounds_chart
from pipefl.report.theme import Mode
from pipefl.sweeps.cells import UPLINK_CLUSTERS
from pipefl.sweeps.contest import CONVENTIONAL, PAPER_SLOTS, ROLLING, Standing, contest
from pipefl.sweeps.measured import MeasuredCell, MeasuredSweep, read_measured
from pipefl.sweeps.paper_table import TableCell, paper_table
from pipefl.sweeps.spread import Spread

_HEAD = """\
# Results

Every number on this page comes from the files in [results/](../results/), which
`pipefl paper export` writes from finished runs; `make figures` writes the page from them.
A time is on the simulated clock, never on a real one.
"""

_CONTEST = """\
## Which schedule is first at the target

All have the same N sub-channels, and an upload takes a fourth of the spread of compute times,
as the paper would have it for K = 4 clusters. Each schedule is at its own best learning rate,
`rolling` at its own best damping too. In a cell stand the median seed, the range of all seeds,
and the median as a share of the conventional one's; the fastest with the same band is bold.

- **conventional** draws N clients and waits for all of them;
- **clusters** are the paper's cohorts, N clients of each of four clusters, in its slots or in
  other disciplines. The models are the same to the bit, only the clock differs;
- **K·N random clients, fifo** serves as many clients a round as the paper's schedule does, with
  no clusters: whoever is ready uploads;
- **rolling** has no rounds: as one client is done the next one sets out;
- **K·N sub-channels** has no clusters and no turns. With K times the band its uploads are as
  short as everybody's; in the same band they take K times as long.
"""

_ROUNDS = """\
## The paper's tables, in rounds

Above, ours: the median over seeds at the best rate, its range, and the gain on the row K = 1.
Below, the paper's number and gain. ≠ marks a cell that differs from the paper's by more than
our seeds differ among themselves.
"""

_SECONDS = """\
## Does it save time, or only rounds?

The same runs on the clock, where an upload is as long as the paper would have it for K clusters
(for K = 4 see above). All ratios are to the conventional scheme on the same uplink.
"""

_EXPLAINED = (CONVENTIONAL, PAPER_SLOTS, "K·N random clients, fifo", ROLLING)

_MISSING = "**{title}.** Not run for this page. `pipefl paper {name}` runs it.\n"


def results(folder: Path) -> list[MeasuredSweep]:
    """The outcomes in a folder, in the order of the paper's tables."""
    return [read_measured(folder / f"{n}.json") for n in TABLES if (folder / f"{n}.json").exists()]


def pictures(sweeps: Sequence[MeasuredSweep], mode: Mode) -> Iterator[tuple[str, Any]]:
    """The charts of the page by their names."""
    for sweep in sweeps:
        contests = _contests(sweep, UPLINK_CLUSTERS)
        if contests:
            yield f"contest-{sweep.name}", contest_chart(contests, sweep.title, mode)
        rows = paper_table(sweep.cells, sweep.paper)
        yield f"rounds-{sweep.name}", rounds_chart(rows, sweep.title, mode)


def page(sweeps: Sequence[MeasuredSweep], notes: str) -> str:
    """The page; `notes` is what was tried where numbers differ, in Markdown."""
    parts = [_HEAD, _CONTEST]
    for sweep in sweeps:
        parts += _contest_part(sweep)
    parts += [_ROUNDS]
    for sweep in sweeps:
        parts += _rounds_part(sweep)
    parts += [notes, _SECONDS]
    for sweep in sweeps:
        parts += _seconds_part(sweep)
    parts += ["## How they were run\n", *map(_provenance, sweeps), _how_to(sweeps)]
    return "\n".join(parts)


def _contest_part(sweep: MeasuredSweep) -> Iterator[str]:
    contests = _contests(sweep, UPLINK_CLUSTERS)
    if not contests:
        return
    yield f"### {sweep.title}\n"
    yield _contest_table(contests, len(sweep.seeds))
    yield f"\n{_verdict(contests)}\n"
    yield "Why: the updates that each needs to the target, and how many come in a minute.\n"
    yield _updates_table(contests)
    yield ""
    yield f"![Minutes to the target by schedule](images/contest-{sweep.name}.svg)\n"


def _rounds_part(sweep: MeasuredSweep) -> Iterator[str]:
    rows = paper_table(sweep.cells, sweep.paper)
    yield f"### {sweep.title}\n"
    channels = [str(cell.num_channels) for cell in rows[0]]
    yield _table(["K \\ N", *channels], [_rounds_row(row, len(sweep.seeds)) for row in rows])
    yield ""
    yield f"![Rounds to the target](images/rounds-{sweep.name}.svg)\n"
    yield _rates(sweep)


def _seconds_part(sweep: MeasuredSweep) -> Iterator[str]:
    for clusters in PAPER_NUM_CLUSTERS:
        if clusters in (1, UPLINK_CLUSTERS):
            continue
        contests = _contests(sweep, clusters)
        if contests:
            yield f"### {sweep.title}, at the uplink of K = {clusters}\n"
            yield _contest_table(contests, len(sweep.seeds))
            yield ""


def _contests(sweep: MeasuredSweep, clusters: int) -> list[tuple[Standing, ...]]:
    """For every N the contest at an uplink, if the paper's own schedule has been run in it."""
    found = [contest(sweep, clusters, channels) for channels in PAPER_NUM_CHANNELS]
    return [
        each for each in found if any(s.seconds for s in each if s.entrant.title == PAPER_SLOTS)
    ]


def _contest_table(contests: Sequence[Sequence[Standing]], num_seeds: int) -> str:
    best = [_fastest(each) for each in contests]
    head = ["schedule", *(f"N = {each[0].num_channels}" for each in contests)]
    rows = []
    for row in zip(*contests, strict=True):
        texts = [_seconds(s, num_seeds, s is first) for s, first in zip(row, best, strict=True)]
        if any(text != "–" for text in texts):
            rows.append([standing_name(row[0]), *texts])
    return _table(head, rows)


def _seconds(standing: Standing, num_seeds: int, is_first: bool) -> str:
    seconds = standing.seconds
    if seconds is None:
        return "–"
    if not seconds.is_finite:
        return "not reached"
    text = _minutes(seconds.median)
    text = f"**{text}**" if is_first else text
    if seconds.num_seeds > 1:
        text += f" ({_bare(seconds.least)}–{_bare(seconds.most)})"
    if standing.ratio is not None:
        text += f"<br>{standing.ratio:.2f}×"
    return text + _unfinished(seconds, num_seeds, standing.is_settled)


def _updates_table(contests: Sequence[Sequence[Standing]]) -> str:
    """Updates to the target and updates a minute: what each schedule is good and bad at."""
    head = ["schedule", *(f"N = {each[0].num_channels}" for each in contests)]
    rows = [
        [standing_name(row[0]), *map(_updates, row)]
        for row in zip(*contests, strict=True)
        if row[0].entrant.title in _EXPLAINED and any(s.seconds for s in row)
    ]
    return _table(head, rows)


def _updates(standing: Standing) -> str:
    seconds, cell = standing.seconds, standing.cell
    rounds = None if cell is None else cell.rounds_spread
    if seconds is None or rounds is None or cell is None or not seconds.is_finite:
        return "–"
    counts = [cell.settings.get(name, 1) for name in ("num_clusters", "num_channels")]
    each = 1 if standing.entrant.title == ROLLING else int(counts[0]) * int(counts[1])  # type: ignore[arg-type]  # whole numbers
    updates = rounds.median * each
    return f"{updates:,.0f}, {60 * updates / seconds.median:,.1f}/min"


def _minutes(seconds: float) -> str:
    return f"{_bare(seconds)} min"


def _bare(seconds: float) -> str:
    return f"{seconds / 60:,.1f}" if seconds < inf else "∞"


def _fastest(contest_: Sequence[Standing]) -> Standing | None:
    """Of those with no more than the N sub-channels of all, the one with the least median."""
    known = [s for s in contest_ if not s.entrant.uplink and s.seconds and s.seconds.is_finite]
    return min(known, key=_median, default=None)


def _median(standing: Standing) -> float:
    return inf if standing.seconds is None else standing.seconds.median


def _verdict(contests: Sequence[Sequence[Standing]]) -> str:
    """In words: who is first, and how `rolling` does against the paper's slots."""
    said, is_final = [], True
    for each in contests:
        by_title = {s.entrant.title: s for s in each if not s.entrant.uplink}
        paper, rolling = by_title[PAPER_SLOTS], by_title.get(ROLLING)
        usual = by_title[CONVENTIONAL]
        known = [s for s in (usual, paper, rolling) if s is not None and s.seconds is not None]
        is_final = is_final and all(s.is_settled for s in known)
        text = f"With N = {each[0].num_channels} the paper's slots {_against(paper, usual)}"
        text += " the conventional scheme"
        if rolling is not None and rolling.seconds is not None:
            text += f", and `rolling` {_against(rolling, paper)} the slots"
        said.append(f"{text}.")
    doubt = [] if is_final else ["Runs are still missing, so that all of this may change."]
    return " ".join([*doubt, *said])


def _against(one: Standing, other: Standing) -> str:
    if _median(one) == inf or _median(other) == inf:
        return "cannot be compared with"
    share = _median(one) / _median(other) - 1
    if one.seconds and other.seconds and one.seconds.num_seeds > 1:
        apart = one.seconds.most < other.seconds.least or one.seconds.least > other.seconds.most
        doubt = "" if apart else " (their seeds overlap)"
    else:
        doubt = ""
    return f"took {abs(share) * 100:.0f} % {'less' if share < 0 else 'more'} time{doubt} than"


def _rounds_row(row: Sequence[TableCell], num_seeds: int) -> list[str]:
    return [f"**{row[0].num_clusters}**", *(_rounds(cell, num_seeds) for cell in row)]


def _rounds(cell: TableCell, num_seeds: int) -> str:
    rounds, text = cell.rounds, "–"
    if rounds is not None:
        text = f"{rounds.median:,.0f}" if rounds.is_finite else "not reached"
        if rounds.num_seeds > 1:
            most = f"{rounds.most:,.0f}" if rounds.most < inf else "∞"
            text += f" ({rounds.least:,.0f}–{most})"
        if cell.gain is not None and cell.num_clusters > 1:
            text += f" {100 * cell.gain:.0f} %"
        text += _unfinished(rounds, num_seeds, cell.is_settled)
    if cell.paper_rounds is None:
        return text
    paper = f"{cell.paper_rounds:,}"
    if cell.paper_gain is not None and cell.num_clusters > 1:
        paper += f" {100 * cell.paper_gain:.0f} %"
    return f"{text}<br>*{paper}*{' ≠' if cell.differs else ''}"


def _unfinished(spread: Spread, num_seeds: int, is_settled: bool) -> str:
    if spread.num_seeds < num_seeds:
        return f"<br>*{spread.num_seeds} of {num_seeds} seeds*"
    return "" if is_settled else "<br>*still being tuned*"


def _rates(sweep: MeasuredSweep) -> str:
    rows = [
        [cell.name, _point(cell), ", ".join(_grid(cell))]
        for cell in sweep.cells
        if cell.point is not None
    ]
    table = _table(["cell", "best", "tried"], rows)
    summary = "The settings of each cell, and all that were tried"
    return f"<details markdown>\n<summary>{summary}</summary>\n\n{table}\n\n</details>\n"


def _point(cell: MeasuredCell) -> str:
    return ", ".join(f"{name} {value:g}" for name, value in (cell.point or {}).items())


def _grid(cell: MeasuredCell) -> list[str]:
    points = sorted({trial.point for trial in cell.tried})
    return [" · ".join(f"{value:g}" for value in point) for point in points]


def _provenance(sweep: MeasuredSweep) -> str:
    seeds = f"{len(sweep.seeds)} seeds" if len(sweep.seeds) > 1 else "1 seed"
    trials = sum(len(cell.tried) for cell in sweep.cells)
    settled = sum(cell.is_settled for cell in sweep.cells)
    tuned = "all of them" if sweep.num_tuning_seeds == len(sweep.seeds) else "the first of them"
    lines = [
        f"**{sweep.title}.** {sweep.num_clients:,} clients; data: {sweep.source}. {seeds}, the "
        f"best settings chosen by {tuned}; {settled} of {len(sweep.cells)} cells are settled, "
        f"after {trials} runs."
    ]
    if sweep.sessions:
        last = sweep.sessions[-1]
        versions = ", ".join(f"{name} {version}" for name, version in last.versions.items())
        lines.append(
            f"It took {sweep.wall_s / 3600:.1f} h on {last.machine}, shared with other work; "
            f"{versions}."
        )
    commands = list(dict.fromkeys(session.command for session in sweep.sessions))
    block = "\n".join(f"    {command}" for command in commands)
    return "\n".join([*lines, "", block, ""]) if block else "\n".join([*lines, ""])


def _how_to(sweeps: Sequence[MeasuredSweep]) -> str:
    run = {sweep.name for sweep in sweeps}
    missing = [name for name in ("table1", "table2", "table3-writers", "table4") if name not in run]
    lines = [_MISSING.format(name=name, title=TABLES[name].title) for name in missing]
    return "\n".join([
        *lines,
        "All of it again, resumable at any moment: `pipefl paper all`, then `pipefl paper export`",
        "and `make figures`. In an hour: `pipefl paper all --best`, one seed at the settings",
        "above.\n",
    ])  # fmt: skip


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---", *["--:"] * (len(head) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
