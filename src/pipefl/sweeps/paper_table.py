"""A table of the paper with our numbers beside its own."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from pipefl.policies.paper_points import PAPER_NUM_CHANNELS, PAPER_NUM_CLUSTERS, paper_points
from pipefl.sweeps.cells import paper_cell
from pipefl.sweeps.spread import Spread


class Found(Protocol):
    """What has been found of a cell, in memory (`CellResult`) or in a file (`MeasuredCell`)."""

    @property
    def name(self) -> str:
        """The cell's name."""
        ...

    @property
    def is_settled(self) -> bool:
        """Whether no more trials of it are wanted."""
        ...

    @property
    def rounds_spread(self) -> Spread | None:
        """Median and range of its rounds, over the seeds that are over."""
        ...


@dataclass(frozen=True)
class TableCell:
    r"""One cell of a table: rounds to the target, and what they gain on the row K = 1.

    .. math:: \text{gain} = 1 - \frac{T(K, N)}{T(1, N)}

    `rounds` is None while no seed is over. `paper_rounds` and `paper_gain` are the paper's,
    None where our target is another one.

    Legend: T median rounds to the target, K `num_clusters`, N `num_channels`.
    """

    num_clusters: int
    num_channels: int
    rounds: Spread | None
    gain: float | None
    paper_rounds: int | None
    paper_gain: float | None
    is_settled: bool

    @property
    def differs(self) -> bool | None:
        """Whether the paper's number is further from our median than our seeds' range.

        None where that cannot be said: fewer than two seeds, or no number to compare with.
        """
        rounds = self.rounds
        if rounds is None or self.paper_rounds is None or rounds.num_seeds < 2:
            return None
        return not rounds.is_finite or abs(rounds.median - self.paper_rounds) > rounds.range


def paper_table(cells: Iterable[Found], paper: str = "") -> tuple[tuple[TableCell, ...], ...]:
    """The rows K = 1 … 4 of a table, as far as the sweep has them, with columns N.

    `paper` is the name of the paper's table (`paper_points`), empty for none.
    """
    found = {cell.name: cell for cell in cells}
    known = _known(paper)
    rows = (
        tuple(
            _cell(found, known, clusters, channels)
            for channels in PAPER_NUM_CHANNELS
            if paper_cell(clusters, channels) in found
        )
        for clusters in PAPER_NUM_CLUSTERS
    )
    return tuple(row for row in rows if row)


def _cell(
    found: dict[str, Found], known: dict[tuple[int, int], int], clusters: int, channels: int
) -> TableCell:
    cell = found[paper_cell(clusters, channels)]
    base = found.get(paper_cell(1, channels))
    return TableCell(
        num_clusters=clusters,
        num_channels=channels,
        rounds=cell.rounds_spread,
        gain=_gain(cell.rounds_spread, None if base is None else base.rounds_spread),
        paper_rounds=known.get((clusters, channels)),
        paper_gain=1 - known[clusters, channels] / known[1, channels] if known else None,
        is_settled=cell.is_settled,
    )


def _known(paper: str) -> dict[tuple[int, int], int]:
    if not paper:
        return {}
    points = paper_points(paper)
    places = zip(points.num_clusters.tolist(), points.num_channels.tolist(), strict=True)
    return dict(zip(places, points.rounds.tolist(), strict=True))


def _gain(rounds: Spread | None, base: Spread | None) -> float | None:
    if rounds is None or base is None or not (rounds.is_finite and base.is_finite):
        return None
    return 1 - rounds.median / base.median
