"""Section III-C of the paper: guess which constraints are active, then test the guess."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, combinations
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pipefl.errors import ArgumentError
from pipefl.plan.relaxed import RelaxedSolution, solution_of_candidates, thresholds
from pipefl.plan.theorems import inactive_by_theorem1, inactive_by_theorem2

MOST_CLUSTERS_TO_TEST = 24

Verdict = Literal["contradicting", "not optimal", "optimal"]


@dataclass(frozen=True)
class HypothesisTest:
    """One hypothesis h, the sizes that follow from it, and what is wrong with them.

    `hypothesis` is h as a tuple of K zeros and ones, `relaxed_size` the exact δ.
    `violated` are the k (counted from 1) with δ_1 + … + δ_k > π_k, `unordered` those
    with δ_k > δ_{k+1}.
    """

    hypothesis: tuple[int, ...]
    relaxed_size: tuple[Fraction, ...]
    violated: tuple[int, ...]
    unordered: tuple[int, ...]

    @property
    def active_index(self) -> tuple[int, ...]:
        """The paper's p(h): which constraints, counted from 1, h takes to be active."""
        return tuple(k for k, is_active in enumerate(self.hypothesis, 1) if is_active)

    @property
    def verdict(self) -> Verdict:
        """*contradicting* by eq:threshold_main3, *not optimal* by Lemma 2, or *optimal*."""
        if self.violated:
            return "contradicting"
        return "not optimal" if self.unordered else "optimal"


def judge_hypothesis(capacity: ArrayLike, hypothesis: ArrayLike) -> HypothesisTest:
    """Test one hypothesis, in exact fractions. O(K).

    Its sizes come from eq:solution_delta. They contradict the hypothesis where a
    constraint taken to be inactive is violated; they are not optimal where they
    break Lemma 2 (eq:optimality_check); otherwise they are the unique optimum.

    Paper: sec:hypothesis. `capacity` is π_1 … π_K, `hypothesis` K zeros and ones of
    which the last, the equality constraint, is 1.

    >>> judge_hypothesis([10, 46, 80, 100], [0, 1, 0, 1]).verdict
    'contradicting'
    >>> judge_hypothesis([10, 46, 80, 100], [1, 1, 0, 1]).verdict
    'not optimal'
    >>> judge_hypothesis([10, 46, 80, 100], [1, 0, 0, 1]).verdict
    'optimal'
    """
    pi = [int(value) for value in thresholds(capacity)]
    h = _zeros_and_ones(hypothesis, len(pi))
    size = _exact_sizes(pi, h)
    reached = accumulate(size)
    violated = (
        k for k, (total, most) in enumerate(zip(reached, pi, strict=True), 1) if total > most
    )
    unordered = (k for k in range(1, len(size)) if size[k - 1] > size[k])
    return HypothesisTest(h, size, tuple(violated), tuple(unordered))


def possible_hypotheses(capacity: ArrayLike, prune: bool = True) -> Iterator[tuple[int, ...]]:
    """Every hypothesis that is left to test, those with most active constraints first.

    Without pruning these are all 2^(K−1). Theorems 1 and 2 show constraints inactive
    before any test; with `prune` these are 0 in every hypothesis, and the first one
    left is already the optimum.

    Paper: sec:search. Refuses K > 24, where 2^(K−1) passes eight million.

    >>> list(possible_hypotheses([10, 46, 80, 100]))
    [(1, 0, 0, 1), (0, 0, 0, 1)]
    >>> len(list(possible_hypotheses([10, 46, 80, 100], prune=False)))
    8
    """
    pi = thresholds(capacity)
    if pi.size > MOST_CLUSTERS_TO_TEST:
        accepted = (
            f"testing hypotheses is for at most {MOST_CLUSTERS_TO_TEST}, since there are up to "
            "2^(K−1) of them; method 'isotonic' or 'hull' has no such limit"
        )
        raise ArgumentError("num_clusters", pi.size, accepted)
    ruled_out = inactive_by_theorem1(pi) | inactive_by_theorem2(pi) if prune else np.zeros(pi.size)
    open_constraints = [k for k in range(pi.size - 1) if not ruled_out[k]]
    return _subsets(open_constraints, pi.size)


def solve_by_hypotheses(capacity: NDArray[np.int64]) -> RelaxedSolution:
    """The optimum as the first hypothesis found to be neither contradicting nor unordered.

    A hypothesis may call a constraint active through which the hull passes straight;
    in the solution only constraints with λ_k > 0 are active, as for every solver.

    Paper: sec:hypothesis with the pruning of sec:search. Legend: π `capacity`, K ≤ 24.

    >>> solve_by_hypotheses(np.array([10, 46, 80, 100])).relaxed_size
    array([10., 30., 30., 30.])
    """
    tests = (judge_hypothesis(capacity, h) for h in possible_hypotheses(capacity))
    optimal = next(test for test in tests if test.verdict == "optimal")
    return solution_of_candidates(capacity, np.array(optimal.active_index) - 1)


def _zeros_and_ones(hypothesis: ArrayLike, num_clusters: int) -> tuple[int, ...]:
    accepted = f"it must be {num_clusters} zeros and ones, one for each cluster, the last a 1"
    entries = np.asarray(hypothesis)
    if entries.shape != (num_clusters,) or not np.isin(entries, (0, 1)).all() or entries[-1] != 1:
        raise ArgumentError("hypothesis", hypothesis, accepted)
    return tuple(int(entry) for entry in entries)


def _subsets(open_constraints: list[int], num_clusters: int) -> Iterator[tuple[int, ...]]:
    for num_active in range(len(open_constraints), -1, -1):
        for chosen in combinations(open_constraints, num_active):
            active = {*chosen, num_clusters - 1}
            yield tuple(int(k in active) for k in range(num_clusters))


def _exact_sizes(pi: list[int], hypothesis: tuple[int, ...]) -> tuple[Fraction, ...]:
    """eq:solution_delta in fractions."""
    sizes: list[Fraction] = []
    reached = 0
    for k, is_active in enumerate(hypothesis, 1):
        if is_active:
            steps = k - len(sizes)
            sizes += [Fraction(pi[k - 1] - reached, steps)] * steps
            reached = pi[k - 1]
    return tuple(sizes)
