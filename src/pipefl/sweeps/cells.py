"""The cells of a paper table's sweep by their names, and the uplink of the contest."""

from pipefl.policies.paper_points import PAPER_NUM_CHANNELS

UPLINK_CLUSTERS = 4
"""The uplink of the contest: an upload takes a fourth of the spread of compute times."""


def paper_cell(num_clusters: int, num_channels: int) -> str:
    """The cell in row K and column N; in row 1 stand N uniformly drawn clients.

    >>> paper_cell(4, 2)
    'k4-n2'
    """
    return f"k{num_clusters}-n{num_channels}"


def uniform_cell(num_clients: int) -> str:
    """The cell of rounds of so many uniformly drawn clients, in whatever order they upload.

    >>> uniform_cell(8), uniform_cell(12)
    ('k1-n8', 'u12')
    """
    if num_clients in PAPER_NUM_CHANNELS:
        return paper_cell(1, num_clients)
    return f"u{num_clients}"


def rolling_cell(num_channels: int) -> str:
    """The cell of `rolling` on N sub-channels.

    >>> rolling_cell(2)
    'rolling-n2'
    """
    return f"rolling-n{num_channels}"
