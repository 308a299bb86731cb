"""A number over seeds: its median and its range."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import inf


@dataclass(frozen=True)
class Spread:
    """Median, least and most of one number a seed; ∞ is a seed without the target.

    Of an even number of seeds the median is the lower of the two in the middle, so that it
    is always the number of a seed.

    >>> Spread.of([131.0, 122.0, 140.0])
    Spread(median=131.0, least=122.0, most=140.0, num_seeds=3)
    >>> Spread.of([5.0, inf]).is_finite, Spread.of([inf]).is_finite
    (True, False)
    """

    median: float
    least: float
    most: float
    num_seeds: int

    @classmethod
    def of(cls, values: Iterable[float]) -> "Spread | None":
        """The spread of these values, None of none."""
        ordered = sorted(values)
        if not ordered:
            return None
        return cls(ordered[(len(ordered) - 1) // 2], ordered[0], ordered[-1], len(ordered))

    @property
    def is_finite(self) -> bool:
        """Whether the median seed reached the target."""
        return self.median < inf

    @property
    def range(self) -> float:
        """From the least to the most."""
        return self.most - self.least if self.most < inf else inf
