"""Which numbers to try where there are too many to try them all."""

import numpy as np


def whole_numbers_between(low: int, high: int, most: int) -> list[int]:
    """All whole numbers from `low` to `high`, or `most` of them at equal ratios; O(most).

    >>> whole_numbers_between(1, 4, most=5), whole_numbers_between(1, 1000, most=4)
    ([1, 2, 3, 4], [1, 10, 100, 1000])
    """
    if high - low < most:
        return list(range(low, high + 1))
    spread = np.geomspace(low, high, most).round().astype(int)
    return sorted(set(spread.tolist()))
