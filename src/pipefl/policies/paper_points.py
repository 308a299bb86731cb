"""The rounds that the paper measured, as points for a curve of rounds."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pipefl.errors import ArgumentError
from pipefl.settings import nearest

PAPER_NUM_CLUSTERS = (1, 2, 3, 4)
PAPER_NUM_CHANNELS = (1, 2, 4, 8)

Table = tuple[tuple[int, int, int, int], ...]


@dataclass(frozen=True)
class PaperPoints:
    """One table of the paper: rounds to a target accuracy, for K = 1 … 4 and N = 1, 2, 4, 8.

    `table[i][j]` is for `PAPER_NUM_CLUSTERS[i]` clusters and `PAPER_NUM_CHANNELS[j]`
    sub-channels. The properties are the same as 16 points, row by row. With K = 1 the N
    clients are drawn from all (conventional), with K > 1 from the clusters: the points
    mix two ways of choosing c clients, and differ by it at equal c.
    """

    name: str
    label: str
    target_accuracy: float
    table: Table

    @property
    def num_clusters(self) -> NDArray[np.int64]:
        """K of every point."""
        return np.repeat(np.array(PAPER_NUM_CLUSTERS), len(PAPER_NUM_CHANNELS))

    @property
    def num_channels(self) -> NDArray[np.int64]:
        """N of every point."""
        return np.tile(np.array(PAPER_NUM_CHANNELS), len(PAPER_NUM_CLUSTERS))

    @property
    def clients_per_round(self) -> NDArray[np.int64]:
        """K·N of every point."""
        return self.num_clusters * self.num_channels

    @property
    def rounds(self) -> NDArray[np.int64]:
        """The rounds of every point."""
        return np.array(self.table).ravel()


_ALL = (
    PaperPoints(
        "mnist-cnn",
        label="tab:mnist-cnn",
        target_accuracy=0.97,
        table=(
            (273, 180, 152, 118),
            (186, 129, 109, 106),
            (139, 129, 114, 100),
            (131, 122, 105, 97),
        ),
    ),
    PaperPoints(
        "mnist-mlp",
        label="tab:mnist-mlp",
        target_accuracy=0.96,
        table=(
            (981, 767, 528, 445),
            (754, 514, 480, 436),
            (613, 451, 479, 432),
            (506, 472, 443, 424),
        ),
    ),
    PaperPoints(
        "emnist-cnn",
        label="tab:emnist",
        target_accuracy=0.97,
        table=(
            (686, 221, 189, 170),
            (274, 184, 178, 160),
            (191, 182, 158, 158),
            (191, 175, 156, 160),
        ),
    ),
    PaperPoints(
        "shakespeare-lstm",
        label="tab:shakespeare",
        target_accuracy=0.40,
        table=(
            (1182, 661, 429, 354),
            (605, 379, 273, 213),
            (419, 282, 239, 198),
            (372, 257, 215, 190),
        ),
    ),
)
PAPER_TABLES = tuple(points.name for points in _ALL)


def paper_points(table: str) -> PaperPoints:
    """The table of that name: mnist-cnn, mnist-mlp, emnist-cnn or shakespeare-lstm.

    Paper: tab:mnist-cnn, tab:mnist-mlp, tab:emnist, tab:shakespeare. Rows are K and
    columns N; the captions have it the other way round, the text's examples settle it.

    >>> from pipefl.policies.rounds_curve import fit_rounds_curve
    >>> points = paper_points("mnist-cnn")
    >>> points.target_accuracy, points.clients_per_round[:5].tolist(), points.rounds[:5].tolist()
    (0.97, [1, 2, 4, 8, 2], [273, 180, 152, 118, 186])
    >>> curve = fit_rounds_curve(points.clients_per_round, points.rounds)
    >>> round(curve.floor), round(curve.scale), round(curve.power, 2), curve.domain
    (96, 175, 1.06, (1.0, 32.0))
    """
    for points in _ALL:
        if points.name == table:
            return points
    hint = nearest(str(table), PAPER_TABLES)
    raise ArgumentError("table", table, f"{hint}the tables are {', '.join(PAPER_TABLES)}")
