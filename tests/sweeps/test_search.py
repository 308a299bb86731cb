from collections.abc import Iterator
from dataclasses import dataclass, field
from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipefl.sweeps.config import Point
from pipefl.sweeps.search import CellSearch, Wanted, further_points
from pipefl.sweeps.trial import Outcome

MOST = 30  # rounds that any run may do


@dataclass
class World:
    """What every run would come to, and what has been run of it."""

    rounds: dict[tuple[Point, int], int | None]
    fails_after: dict[tuple[Point, int], int]
    points: list[Point]
    seeds: tuple[int, ...]
    further_seeds: tuple[int, ...]
    outcomes: dict[tuple[Point, int], Outcome] = field(default_factory=dict)
    work: int = 0

    @property
    def search(self) -> CellSearch:
        return CellSearch(self.points, self.seeds, self.outcomes, self.further_seeds)

    def run(self, point: Point, seed: int, most: int | None) -> Outcome:
        """A run from where it was left, to its target, its failure or its limit."""
        target = self.rounds[point, seed]
        ends = min(MOST, self.fails_after.get((point, seed), MOST))
        if target is not None and target <= min(ends, inf if most is None else most):
            return Outcome(target, target, 1.0, is_over=True)
        if most is not None and most < ends:
            return Outcome(most, None, None, is_over=False)
        return Outcome(
            ends, None, None, is_over=True, failure="it diverged" if ends < MOST else None
        )

    def learn(self, wanted: Wanted) -> None:
        key = wanted.point, wanted.seed
        before = self.outcomes.get(key, Outcome(0, None, None, is_over=False))
        assert not before.is_over
        after = self.run(*key, wanted.most_rounds)
        if after.done > before.done:  # one that was begun under an older, larger bound
            self.work += after.done - before.done
            self.outcomes[key] = after

    def true_median(self, point: Point) -> float:
        found = [self.run(point, seed, None).rounds for seed in self.seeds]
        ordered = sorted(inf if rounds is None else rounds for rounds in found)
        return ordered[(len(ordered) - 1) // 2]

    def true_best(self) -> Point | None:
        value, best = min((self.true_median(point), point) for point in self.points)
        return best if value < inf else None


@st.composite
def worlds(draw: st.DrawFn) -> World:
    num_points, num_seeds = draw(st.integers(1, 5)), draw(st.integers(1, 5))
    num_tuning = draw(st.integers(1, num_seeds))
    points = [(0.1 * 2**i,) for i in range(num_points)]
    keys = [(point, seed) for point in points for seed in range(num_seeds)]
    rounds = st.one_of(st.integers(1, MOST), st.none())
    return World(
        rounds={key: draw(rounds) for key in keys},
        fails_after=draw(st.dictionaries(st.sampled_from(keys), st.integers(1, MOST), max_size=3)),
        points=draw(st.permutations(points)),
        seeds=tuple(range(num_tuning)),
        further_seeds=tuple(range(num_tuning, num_seeds)),
    )


@given(worlds(), st.data())
def test_cutting_short_never_changes_what_is_found(world: World, data: st.DataObject) -> None:
    """Trials that are wanted at different times are over in any order, as in several processes."""
    running: list[Wanted] = []
    while True:
        known = {(each.point, each.seed) for each in running}
        new = [each for each in world.search.wanted() if (each.point, each.seed) not in known]
        running += new[: data.draw(st.integers(0 if running else 1, 3))]
        if not running:
            break
        world.learn(running.pop(data.draw(st.integers(0, len(running) - 1))))
    best = world.true_best()
    assert world.search.best == best
    if best is None:
        return
    assert world.search.median(best) == world.true_median(best)
    for seed in (*world.seeds, *world.further_seeds):  # nothing of the best point is cut short
        assert world.outcomes[best, seed] == world.run(best, seed, None)


def runs_until_settled(world: World) -> Iterator[Wanted]:
    while wanted := world.search.wanted():
        yield wanted[0]
        world.learn(wanted[0])


def world(rounds: dict[float, tuple[int | None, ...]], num_tuning: int | None = None) -> World:
    """The rounds of each rate with the seeds 0, 1, …"""
    seeds = tuple(range(len(next(iter(rounds.values())))))
    points: list[Point] = [(rate,) for rate in rounds]
    table = {(point, seed): rounds[point[0]][seed] for point in points for seed in seeds}
    return World(table, {}, points, seeds[:num_tuning], seeds[len(seeds[:num_tuning]) :])


def test_a_point_that_cannot_win_costs_two_runs_as_long_as_the_best_median() -> None:
    slow = world({0.1: (10, 12, 11), 0.2: (25, 29, None)})
    taken = list(runs_until_settled(slow))
    assert [(each.point[0], each.seed, each.most_rounds) for each in taken] == [
        (0.1, 0, None), (0.1, 1, None), (0.1, 2, None), (0.2, 0, 11), (0.2, 1, 11),
    ]  # fmt: skip
    assert slow.work == 10 + 12 + 11 + 11 + 11


def test_seeds_that_do_not_choose_are_run_at_the_best_point_only() -> None:
    tuned = world({0.1: (10, 12, 30), 0.2: (9, 29, None)}, num_tuning=1)
    taken = list(runs_until_settled(tuned))
    assert [(each.point[0], each.seed) for each in taken] == [
        (0.1, 0),
        (0.2, 0),
        (0.2, 1),
        (0.2, 2),
    ]
    assert tuned.search.best == (0.2,)


def test_of_equal_points_the_smaller_is_taken_whichever_comes_first() -> None:
    for order in ((0.1, 0.2), (0.2, 0.1)):
        equal = world(dict.fromkeys(order, (7, 9)))
        list(runs_until_settled(equal))
        assert equal.search.best == (0.1,)


def test_a_run_that_was_cut_short_is_gone_on_with_when_its_point_is_the_best_after_all() -> None:
    # 0.2 wins by seeds 0 and 1; seed 2 was stopped at another time and is completed.
    late = world({0.1: (20, 20, 20), 0.2: (5, 6, 29)})
    late.outcomes[(0.2,), 2] = Outcome(20, None, None, is_over=False)
    list(runs_until_settled(late))
    assert late.search.best == (0.2,)
    assert late.outcomes[(0.2,), 2].rounds == 29


def test_where_nothing_reaches_the_target_there_is_no_best_point_and_an_end() -> None:
    hopeless = world({0.1: (None,), 0.2: (None,)})
    assert len(list(runs_until_settled(hopeless))) == 2
    assert hopeless.search.best is None
    assert hopeless.search.num_settled == 2


@pytest.mark.parametrize(
    ("best", "grids", "tried", "expected"),
    [
        ((0.1,), [[0.05, 0.1, 0.2]], {(0.05,), (0.1,), (0.2,)}, []),
        ((0.05,), [[0.05, 0.1, 0.2]], {(0.05,), (0.1,), (0.2,)}, [(0.025,)]),
        ((0.4,), [[0.1, 0.2]], {(0.1,), (0.2,), (0.4,)}, [(0.8,)]),
        ((0.1,), [[0.1]], {(0.1,)}, []),
        ((0.1, 3.0), [[0.1, 0.2], [1.0, 3.0]], {(0.1, 3.0), (0.2, 3.0), (0.1, 1.0)},
         [(0.05, 3.0), (0.1, 9.0)]),
    ],
)  # fmt: skip
def test_a_grid_is_continued_by_its_own_factor_where_the_best_is_at_its_edge(
    best: Point, grids: list[list[float]], tried: set[Point], expected: list[Point]
) -> None:
    assert further_points(best, grids, tried) == expected
