"""Which cluster every client belongs to."""

import numpy as np
from numpy.typing import NDArray

_PIECE = 1 << 16  # clients whose times and clusters stay in the processor's cache
_FEW = 64  # up to so many cuts, comparing with each is faster than a binary search


def assign_clusters(
    compute_time_s: NDArray[np.float64],
    boundary: NDArray[np.int64],
    boundary_time_s: NDArray[np.float64],
) -> NDArray[np.int32]:
    r"""The 0-based cluster of every client.

    .. math:: \mathcal{C}_k = \{m : \omega_{k-1} < S_m \le \omega_k\}

    Paper: eq:cluster_set. S_m is the position of client m when sorted by compute
    time, equal times by client index.

    The compute times are not sorted again: a client belongs to the first cluster
    whose `boundary_time_s` reaches its time. Only where a boundary falls among equal
    times do those clients need their order, and only they are looked at again.

    Legend: ω_k `boundary`, 𝒯[ω_k] `boundary_time_s` (0 where ω_k = 0), K values
    each. O(M log K), in pieces of a few MB beyond the answer's 4 bytes a client.

    >>> assign_clusters(np.array([5.0, 1.0, 5.0]), np.array([2, 3]), np.array([5.0, 5.0]))
    array([0, 0, 1], dtype=int32)
    """
    cluster_of = np.empty(compute_time_s.size, dtype=np.int32)
    num_reached = np.zeros(boundary.size, dtype=np.int64)
    for piece in _pieces(compute_time_s.size, boundary.size):
        cluster_of[piece], reached = _first_reaching(compute_time_s[piece], boundary_time_s)
        num_reached += reached
    if np.any(num_reached > boundary):
        _hand_ties_on(cluster_of, compute_time_s, boundary, boundary_time_s, num_reached)
    return cluster_of


def _pieces(num_clients: int, num_clusters: int) -> list[slice]:
    """Runs of clients, long enough that work of O(K) for each adds up to O(M)."""
    length = max(_PIECE, num_clusters)
    return [slice(start, start + length) for start in range(0, num_clients, length)]


def _first_reaching(
    time_s: NDArray[np.float64], boundary_time_s: NDArray[np.float64]
) -> tuple[NDArray[np.integer], NDArray[np.int64]]:
    """For each client the first cluster to reach its time; for each cluster the clients reached."""
    cuts_s = boundary_time_s[:-1]
    if cuts_s.size > _FEW:
        first = np.searchsorted(cuts_s, time_s, side="left")
        return first, np.bincount(first, minlength=boundary_time_s.size).cumsum()
    passed = np.zeros(time_s.size, dtype=np.uint8)
    num_reached = np.full(boundary_time_s.size, time_s.size)
    for k, cut_s in enumerate(cuts_s):
        is_beyond = time_s > cut_s
        passed += is_beyond
        num_reached[k] -= np.count_nonzero(is_beyond)
    return passed, num_reached


def _hand_ties_on(
    cluster_of: NDArray[np.int32],
    compute_time_s: NDArray[np.float64],
    boundary: NDArray[np.int64],
    boundary_time_s: NDArray[np.float64],
    num_reached: NDArray[np.int64],
) -> None:
    """Hand the clients beyond an overfull cluster's boundary on, the later indices first.

    From the last client to the first: of the clients not yet met whose time is the
    boundary's, the last one is at `position` of the sorted order.
    """
    position = num_reached.copy()
    narrow = np.min_scalar_type(boundary.size)  # numpy sorts integers of two bytes in O(n)
    for piece in reversed(_pieces(compute_time_s.size, boundary.size)):
        overfull = position > boundary
        if not overfull.any():
            return
        cluster = cluster_of[piece]
        cut_s = np.where(overfull, boundary_time_s, np.nan)
        tied = np.flatnonzero(compute_time_s[piece] == cut_s[cluster])[::-1]
        tied = tied[np.argsort(cluster[tied].astype(narrow), kind="stable")]
        reaching = cluster[tied]
        num_tied = np.bincount(reaching, minlength=boundary.size)
        first_in_group = num_tied.cumsum() - num_tied
        positions = (position + first_in_group)[reaching] - np.arange(tied.size)
        cluster[tied] = np.searchsorted(boundary, positions, side="left")
        position -= num_tied
