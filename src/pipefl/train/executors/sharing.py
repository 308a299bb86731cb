"""Who does how much: work shared out so that all are done at about the same time."""

from collections.abc import Sequence


def shared_out(loads: Sequence[float], num_parts: int) -> list[list[int]]:
    """The places of loads in at most `num_parts` parts, the part that was begun first in front.

    The heaviest load first, each goes to whoever has least. The fullest part is at most a
    third larger than it need be (Graham, *Bounds on Multiprocessing Timing Anomalies*, 1969).

    >>> shared_out([10, 30, 50, 70], 2)
    [[3, 0], [2, 1]]
    >>> shared_out([10, 30, 20], 3)
    [[1], [2], [0]]
    """
    parts: list[list[int]] = [[] for _ in range(min(num_parts, len(loads)))]
    filled = [0.0] * len(parts)
    for place in sorted(range(len(loads)), key=lambda place: -loads[place]):
        least = filled.index(min(filled))
        parts[least].append(place)
        filled[least] += loads[place]
    return parts
