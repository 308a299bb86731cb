"""Which trials of a cell are still to be run, and how far, to know its best point."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf

from pipefl.sweeps.config import Point
from pipefl.sweeps.trial import Outcome

Key = tuple[Point, int]
"""A point and a seed."""


@dataclass(frozen=True)
class Wanted:
    """A trial to be run until its target, or for `most_rounds` if it cannot win after that."""

    point: Point
    seed: int
    most_rounds: int | None


@dataclass(frozen=True)
class CellSearch:
    r"""The search of one cell's best point: a function of the outcomes so far.

    A point is settled when its median over the `seeds` is known, or when it is known to be no
    better than a point that is settled. Runs of a point that is not the best so far are cut
    short at the best median b: after b rounds without the target they are above it, and with

    .. math:: \lceil (S + 1) / 2 \rceil \text{ of } S \text{ seeds above } b

    so is their median. What is found is what would have been found without. The runs of
    the best point are then continued to their targets, and those with `further_seeds`, by
    which it is not chosen, are added, so that its range is known.

    Points that continue the grid at its edges come from `further_points`.
    """

    points: Sequence[Point]
    seeds: Sequence[int]
    outcomes: Mapping[Key, Outcome]
    further_seeds: Sequence[int] = ()

    @property
    def best(self) -> Point | None:
        """The settled point with the least median, None if none has reached the target."""
        medians = [(self.median(point), point) for point in self.points]
        value, point = min(medians, default=(inf, ()))
        return point if value < inf else None

    def median(self, point: Point) -> float:
        """The median rounds of a point, ∞ where it is not known to be finite.

        Of an even number of seeds it is the lower one of the two in the middle.
        """
        rounds = sorted(self._rounds(point, seed) for seed in self.seeds)
        middle = (len(rounds) - 1) // 2
        known = sum(self._is_known(point, seed, rounds[middle]) for seed in self.seeds)
        return rounds[middle] if known == len(self.seeds) else inf

    @property
    def num_settled(self) -> int:
        """How many points are known to be the best one, or to be no better."""
        best = self.best
        bound = None if best is None else self.median(best)
        return sum(
            point == best or self._cannot_win(point, bound) or self._is_exhausted(point)
            for point in self.points
        )

    def wanted(self) -> list[Wanted]:
        """The trials to be run next; empty when the best is known with all its runs."""
        tuning = self.wanted_tuning()
        if tuning or self.best is None:
            return tuning
        seeds = (*self.seeds, *self.further_seeds)
        return [Wanted(self.best, s, None) for s in seeds if self._may_go_on(self.best, s, None)]

    def wanted_tuning(self) -> list[Wanted]:
        """Those of them without which it is not known which of the points is the best."""
        best = self.best
        bound = None if best is None else self.median(best)
        for point in self.points:
            if point == best or self._cannot_win(point, bound):
                continue
            most = None if bound is None else int(bound)
            missing = [s for s in self.seeds if self._may_go_on(point, s, most)]
            if missing:
                return [Wanted(point, seed, most) for seed in missing[: self._enough(point, bound)]]
        return []

    def _rounds(self, point: Point, seed: int) -> float:
        outcome = self.outcomes.get((point, seed))
        return inf if outcome is None or outcome.rounds is None else outcome.rounds

    def _is_known(self, point: Point, seed: int, value: float) -> bool:
        """Whether this seed's rounds are known, or known to be above a value."""
        outcome = self.outcomes.get((point, seed))
        if outcome is None:
            return False
        return outcome.is_over or outcome.done >= value

    def _cannot_win(self, point: Point, bound: float | None) -> bool:
        return bound is not None and self._num_above(point, bound) > len(self.seeds) // 2

    def _is_exhausted(self, point: Point) -> bool:
        found = [self.outcomes.get((point, seed)) for seed in self.seeds]
        return all(outcome is not None and outcome.is_over for outcome in found)

    def _enough(self, point: Point, bound: float | None) -> int:
        """How many more seeds could show that a point cannot win."""
        if bound is None:
            return len(self.seeds)
        return len(self.seeds) // 2 + 1 - self._num_above(point, bound)

    def _num_above(self, point: Point, bound: float) -> int:
        """The seeds of a point that are known to need more rounds."""
        return sum(
            self._is_known(point, seed, bound) and self._rounds(point, seed) > bound
            for seed in self.seeds
        )

    def _may_go_on(self, point: Point, seed: int, most: int | None) -> bool:
        outcome = self.outcomes.get((point, seed))
        if outcome is None:
            return True
        return not outcome.is_over and (most is None or outcome.done < most)


def further_points(best: Point, grids: Sequence[Sequence[float]], tried: set[Point]) -> list[Point]:
    """The points next to the best one beyond the edges of what was tried, one a setting and side.

    The step is the factor between the two outermost values of the grid; a grid of one value
    is not continued.

    >>> further_points((0.2,), [[0.05, 0.1, 0.2]], {(0.05,), (0.1,), (0.2,)})
    [(0.4,)]
    """
    found = []
    for axis, grid in enumerate(grids):
        if len(grid) < 2:
            continue
        ordered = sorted(grid)
        beside = [
            p[axis] for p in tried if p[:axis] + p[axis + 1 :] == best[:axis] + best[axis + 1 :]
        ]
        steps = []
        if best[axis] >= max(beside):
            steps.append(best[axis] * ordered[-1] / ordered[-2])
        if best[axis] <= min(beside):
            steps.append(best[axis] * ordered[0] / ordered[1])
        found += [(*best[:axis], float(f"{value:.6g}"), *best[axis + 1 :]) for value in steps]
    return found
