"""Example 1 for any input: hypotheses tested one after the other until one is optimal."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, groupby

from numpy.typing import ArrayLike

from pipefl.errors import ArgumentError
from pipefl.plan.hypotheses import HypothesisTest, judge_hypothesis
from pipefl.plan.relaxed import thresholds

MOST_CLUSTERS_TO_EXPLAIN = 1000
_MOST_TERMS = 8


@dataclass(frozen=True)
class Explanation:
    """The walk from a first guess to the optimum; `str()` writes it out as the paper does."""

    capacity: tuple[int, ...]
    cases: tuple[HypothesisTest, ...]

    def __str__(self) -> str:
        pi = ", ".join(f"π{k} = {value}" for k, value in enumerate(self.capacity[:-1], 1))
        given = f"K = {len(self.capacity)}, M = {self.capacity[-1]}" + (f", {pi}" if pi else "")
        cases = (
            _written_out(_letter(number), case, self.capacity)
            for number, case in enumerate(self.cases)
        )
        return "\n\n".join([given, *cases])


def explain(capacity: ArrayLike) -> Explanation:
    """Walk through hypotheses to the optimum of the relaxed problem, as Example 1 does.

    The first guess is that only the middle constraint is active. A contradicting
    hypothesis is mended by taking the constraint that is violated most as active as
    well; one that is not optimal by no longer taking that constraint as active at
    which the sizes fall most. While hypotheses contradict, the active set only grows,
    at most to all constraints, which contradict nothing. Leaving out a constraint at
    which sizes fall lowers every sum δ_1 + … + δ_k, so that no contradiction comes
    back and the set only shrinks. At most 2K tests, and the last is the optimum.

    Paper: example:1 (cases A, B and C are the walk for its numbers), eq:Case_A and
    sec:hypothesis.

    >>> [case.verdict for case in explain([10, 46, 80, 100]).cases]
    ['contradicting', 'not optimal', 'optimal']
    >>> print(explain([3, 8]))
    K = 2, M = 8, π1 = 3
    <BLANKLINE>
    Case A: only the first inequality constraint is active, h = (1, 1), p = (1, 2).
      δ1 = π1
      δ2 = M − δ1
      Solution: δ1 = 3, δ2 = 5.
      No inequality constraint is violated and δ1 ≤ δ2: optimal.
    """
    pi = thresholds(capacity)
    if pi.size > MOST_CLUSTERS_TO_EXPLAIN:
        accepted = f"an explanation is for at most {MOST_CLUSTERS_TO_EXPLAIN} clusters"
        raise ArgumentError("num_clusters", pi.size, accepted)
    return Explanation(tuple(pi.tolist()), tuple(_walk(pi.tolist())))


def _walk(pi: list[int]) -> Iterator[HypothesisTest]:
    hypothesis = [0] * len(pi)
    hypothesis[len(pi) // 2 - 1] = hypothesis[-1] = 1
    while True:
        case = judge_hypothesis(pi, hypothesis)
        yield case
        if case.verdict == "optimal":
            return
        if case.violated:
            hypothesis[_most_violated(case, pi) - 1] = 1
        else:
            hypothesis[_steepest_fall(case) - 1] = 0


def _most_violated(case: HypothesisTest, pi: list[int]) -> int:
    excess = [total - most for total, most in zip(accumulate(case.relaxed_size), pi, strict=True)]
    return max(case.violated, key=lambda k: excess[k - 1])


def _steepest_fall(case: HypothesisTest) -> int:
    size = case.relaxed_size
    return max(case.unordered, key=lambda k: size[k - 1] - size[k])


def _written_out(letter: str, case: HypothesisTest, pi: tuple[int, ...]) -> str:
    head = (
        f"Case {letter}: {_assumption(case)}, h = {_tuple(case.hypothesis)}, "
        f"p = {_tuple(case.active_index)}."
    )
    solution = f"Solution: {_sizes(case.relaxed_size)}."
    return "\n  ".join([head, *_equations(case), solution, _judgement(case, pi)])


def _assumption(case: HypothesisTest) -> str:
    inequalities = [_ordinal(k) for k in case.active_index[:-1]]
    if not inequalities:
        return "no inequality constraint is active"
    if len(inequalities) == 1:
        return f"only the {inequalities[0]} inequality constraint is active"
    listed = ", ".join(inequalities[:-1]) + f" and {inequalities[-1]}"
    return f"only the {listed} inequality constraints are active"


def _equations(case: HypothesisTest) -> Iterator[str]:
    """One equation a cluster, by eq:case1 or eq:case2; the last by eq:all_clients3."""
    last = len(case.hypothesis)
    for k, is_active in enumerate(case.hypothesis, 1):
        before = _sum_before(k)
        if k == last:
            yield f"δ{k} = M{before}"
        else:
            yield f"δ{k} = π{k}{before}" if is_active else f"δ{k} = δ{k + 1}"


def _sum_before(k: int) -> str:
    if k == 1:
        return ""
    return " − δ1" if k == 2 else f" − ({_sum_up_to(k - 1)})"


def _sum_up_to(k: int) -> str:
    """`δ1 + δ2 + δ3`, with dots where there are many."""
    if k > _MOST_TERMS:
        return f"δ1 + δ2 + … + δ{k}"
    return " + ".join(f"δ{i}" for i in range(1, k + 1))


def _sizes(size: tuple[Fraction, ...]) -> str:
    """`δ1 = δ2 = 23, δ3 = δ4 = 27`: equal neighbours together."""
    named = enumerate(size, 1)
    groups = (
        (value, [f"δ{k}" for k, _ in group]) for value, group in groupby(named, key=lambda e: e[1])
    )
    return ", ".join(f"{' = '.join(names)} = {_number(value)}" for value, names in groups)


def _judgement(case: HypothesisTest, pi: tuple[int, ...]) -> str:
    if case.violated:
        k = case.violated[0]
        reached = _number(sum(case.relaxed_size[:k], Fraction(0)))
        return (
            f"{_sum_up_to(k)} = {reached} > π{k} = {pi[k - 1]}: contradicting, the {_ordinal(k)} "
            "constraint is violated."
        )
    if case.unordered:
        k = case.unordered[0]
        ahead, after = _number(case.relaxed_size[k - 1]), _number(case.relaxed_size[k])
        return (
            "No inequality constraint is violated, but "
            f"δ{k} = {ahead} > δ{k + 1} = {after}: not optimal."
        )
    ordered = " ≤ ".join(f"δ{k}" for k in range(1, len(pi) + 1))
    holds = f" and {ordered}" if len(pi) > 1 else ""
    return f"No inequality constraint is violated{holds}: optimal."


def _number(value: Fraction) -> str:
    return str(value.numerator) if value.denominator == 1 else f"{value} ≈ {float(value):.6g}"


def _tuple(entries: tuple[int, ...]) -> str:
    return f"({', '.join(map(str, entries))})"


def _letter(number: int) -> str:
    """Count in letters: 0 is A, 25 is Z, 26 is AA."""
    letters = ""
    number += 1
    while number:
        number, digit = divmod(number - 1, 26)
        letters = chr(ord("A") + digit) + letters
    return letters


def _ordinal(k: int) -> str:
    spelled = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth")
    if k <= len(spelled):
        return spelled[k - 1]
    suffix = "th" if k % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(k % 10, "th")
    return f"{k}{suffix}"
