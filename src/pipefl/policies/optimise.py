"""Which N, K, Δ and discipline reach a target accuracy in the fewest seconds."""

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from pipefl.checks import count, non_negative_seconds, positive_seconds, several
from pipefl.errors import ArgumentError
from pipefl.plan.times import compute_times
from pipefl.plan.tried import whole_numbers_between
from pipefl.policies.rolling_candidates import rolling_candidates
from pipefl.policies.rounds_curve import RoundsCurve, checked_curve
from pipefl.policies.schedule_candidates import (
    MOST_TRIED,
    ScheduleCandidate,
    ScheduleQuestion,
    schedule_candidates,
    settled_candidates,
)
from pipefl.timeline.demand import DISCIPLINES, Discipline

if TYPE_CHECKING:
    import polars

T = TypeVar("T")

# Of the time; for 1,500 clients it is a tenth, for 100,000 nine tenths.
_SHARE_OF_BOUNDS = 0.8


@dataclass(frozen=True, eq=False)
class ScheduleChoice:
    """The fastest schedule, a frame of all candidates (fastest first), and what was traded."""

    best: ScheduleCandidate
    candidates: "polars.DataFrame"
    reason: str


def optimise_schedule(
    compute_time_s: ArrayLike,
    *,
    one_channel_upload_time_s: float,
    curve: RoundsCurve,
    uniform_curve: RoundsCurve | None = None,
    rolling_curve: RoundsCurve | None = None,
    server_time_s: float = 0.0,
    max_channels: int = 16,
    num_channels: int | Iterable[int] | None = None,
    max_clients_per_round: int = 256,
    slack_s: float | Iterable[float] | None = None,
    disciplines: Iterable[Discipline] = DISCIPLINES,
    seed: int = 0,
    num_rounds: int = 2000,
    progress: Callable[[float], None] = lambda share: None,
) -> ScheduleChoice:
    r"""Choose N, K, Δ and the discipline for the fewest seconds under a total bandwidth.

    .. math:: \min_{N, K, \Delta, d}\ T(c)\; \mathrm{E}[\tau_\text{global}(N, K, \Delta, d)]
        \quad\text{with}\quad \tau_\text{com} = N u, \quad c \le K N

    Few rounds T want many clients c, short rounds want few. N clients that share the band
    upload N times as long as one alone (u), so K N uploads take K N u however it is cut.
    With fifo and the same clients N = 1 is never slower: whoever is ready has the whole
    band. N > 1 pays where all must be waited for, or as `num_channels` where a client's
    power cannot fill the band.

    ===========  =============  ====================================================
    policy       discipline     mean duration of a round, + τ_server
    ===========  =============  ====================================================
    `uniform`    `wait-all`     conventional, K = 1: `expected_slowest_s` + τ_com
    `clustered`  `slots`        the paper: τ_max + Δ + τ_com (eq:setting_theta)
    `clustered`  `eager-slots`  simulated; with the same plan never above `slots`
    `clustered`  `fifo`         simulated; with the same plan never above either
    `uniform`    `fifo`         simulated
    `rolling`    none           W uploads, simulated; only with a `rolling_curve`
    ===========  =============  ====================================================

    All simulations take `num_rounds` rounds from the same random words (common random
    numbers): differences are surer than `round_error_s` says. They go in the order of a
    closed-form bound, which is exact for K = 1, until no other candidate can be the fastest
    of its policy and discipline; O(M) a candidate, two seconds for M = 1500. Of equals the
    simplest wins. T does not see that unequal clusters bias the average: heed their sizes.

    Legend: τ `compute_time_s` (M values), u `one_channel_upload_time_s`, τ_server
    `server_time_s`, in seconds; T `curve`, and `uniform_curve` for clients drawn from all
    (`uniform`, or K = 1) if clusters change the rounds at equal c, and `rolling_curve` for
    the clients W that `rolling` keeps in flight, in rounds of W uploads; N `num_channels`, or 1
    to `max_channels`; Δ `slack_s`, or the least for K clusters and the least for equal
    ones; K as far as K N ≤ `max_clients_per_round` and its uploads alone leave hope. Of
    more than 64 N or K, 64 at equal ratios are tried. `progress` is told the share that is done,
    from 0 to 1.

    >>> best = optimise_schedule([1, 2, 3, 4], one_channel_upload_time_s=1, num_channels=1,
    ...     curve=RoundsCurve(100.0, 200.0, 1.0), disciplines=["slots"]).best
    >>> best.num_clusters, best.clients_per_round, best.rounds, best.round_s, best.seconds
    (4, 4, 150.0, 5.0, 750.0)
    """
    sorted_s = np.sort(compute_times(compute_time_s))
    upload_s = positive_seconds("one_channel_upload_time_s", one_channel_upload_time_s)
    positive_seconds("the time in which all clients upload", upload_s * sorted_s.size)
    question = ScheduleQuestion(
        sorted_s,
        upload_s,
        non_negative_seconds("server_time_s", server_time_s),
        checked_curve("curve", curve),
        checked_curve("uniform_curve", curve if uniform_curve is None else uniform_curve),
        None if rolling_curve is None else checked_curve("rolling_curve", rolling_curve),
        None if slack_s is None else _each_once("slack_s", slack_s, non_negative_seconds),
        _each_once("disciplines", disciplines, _discipline),
        count("max_clients_per_round", max_clients_per_round),
        count("seed", seed, minimum=0),
        count("num_rounds", num_rounds, minimum=2),
    )
    most_channels = min(count("max_channels", max_channels), sorted_s.size)
    channels = whole_numbers_between(1, most_channels, MOST_TRIED)
    if num_channels is not None:
        channels = _each_once("num_channels", num_channels, partial(count, maximum=sorted_s.size))
    families: dict[tuple[str, str], list[ScheduleCandidate]] = {}
    for candidate in chain(
        schedule_candidates(question, channels), rolling_candidates(question, channels)
    ):
        families.setdefault((candidate.policy, candidate.discipline), []).append(candidate)
        progress(_SHARE_OF_BOUNDS * channels.index(candidate.num_channels) / len(channels))
    settled = []
    for number, family in enumerate(families.values()):
        progress(_SHARE_OF_BOUNDS + (1.0 - _SHARE_OF_BOUNDS) * number / len(families))
        settled.append(settled_candidates(question, family))
    progress(1.0)
    return _choice(question, settled)


def _choice(question: ScheduleQuestion, families: list[list[ScheduleCandidate]]) -> ScheduleChoice:
    """The fastest candidate, all of them as a frame, and the choice in words."""
    import polars as pl  # here, because it takes longer to import than all the rest

    settled = [each for family in families for each in family]
    best = min(settled, key=_seconds)
    rows = [
        asdict(each)
        | {"seconds": each.seconds if each.round_s else None, "least_seconds": each.least_seconds}
        for each in settled
    ]
    frame = pl.DataFrame(rows, infer_schema_length=None)
    frame = frame.sort("seconds", "least_seconds", nulls_last=True, maintain_order=True)
    return ScheduleChoice(best, frame, _reason(question, best, settled))


def _reason(
    question: ScheduleQuestion, best: ScheduleCandidate, settled: list[ScheduleCandidate]
) -> str:
    """The choice, what it gave up for what, and what other kinds of schedule take."""
    sentences = [_described(best)]
    rounds = [each for each in settled if each.policy != "rolling" and each.round_s]
    is_alone = best.num_clusters == 1
    rivals = [each for each in rounds if (each.num_clusters == 1) != is_alone]
    if best.policy == "rolling":
        sentences.append(_gain_of_rolling(best, min(rounds, key=_seconds)))
    elif rivals:
        sentences.append(_trade(best, min(rivals, key=_seconds)))
    kinds = {(best.policy, best.discipline): best}
    for each in sorted(settled, key=_seconds):
        kinds.setdefault((each.policy, each.discipline), each)
    others = [f"{each} {_short(each.seconds)} s" for each in list(kinds.values())[1:]]
    if others:
        sentences.append(f"The best of the other kinds take: {'; '.join(others)}.")
    if best.num_channels * (best.num_clusters + 1) > question.most_served:
        sentences.append(f"More than {question.most_served:,} clients a round were not considered.")
    if best.extrapolated:
        few, many = question.curve_of(best.policy, best.num_clusters).domain
        sentences.append(
            f"Warning: {best.clients_per_round:,} clients a round lie outside the curve's points, "
            f"{few:g} to {many:g}; its rounds are extrapolated."
        )
    return " ".join(sentences)


def _described(best: ScheduleCandidate) -> str:
    served, round_s = f"{best.clients_per_round:,} clients", best.round_s or 0.0
    end = f"{_short(best.seconds)} s to the target."
    if best.policy == "rolling":
        uploads = _short(best.rounds * best.clients_per_round)
        each_s = _short(round_s / best.clients_per_round)
        return f"{best}: {served} in flight, {uploads} uploads, one every {each_s} s, {end}"
    sizes = f" from clusters of {best.smallest:,} to {best.largest:,}"
    sizes = sizes if best.policy == "clustered" else ""
    rounds = f"{_short(best.rounds)} rounds of {_short(round_s)} s"
    return f"{best}: {served} a round{sizes}, {rounds}, {end}"


def _gain_of_rolling(best: ScheduleCandidate, rival: ScheduleCandidate) -> str:
    updates = _change(
        best.rounds * best.clients_per_round,
        rival.rounds * rival.clients_per_round,
        "fewer",
        "more",
    )
    rates = [each.clients_per_round / (each.round_s or 1.0) for each in (best, rival)]
    time = _change(best.seconds, rival.seconds, "less", "more")
    return (
        f"Beside the best in rounds, {rival}: {updates} updates, {_short(rates[0])} instead of "
        f"{_short(rates[1])} of them a second, since no sub-channel waits for a round's end, "
        f"{time} time than its {_short(rival.seconds)} s. Its damping must be tuned."
    )


def _trade(best: ScheduleCandidate, rival: ScheduleCandidate) -> str:
    beside = "one cluster" if best.num_clusters > 1 else "K above 1"
    uploads = f"uploads of {_short(best.upload_time_s)} s"
    if best.num_channels != rival.num_channels:
        width = "wider" if best.num_channels < rival.num_channels else "narrower"
        uploads = f"{width} sub-channels, {uploads} instead of {_short(rival.upload_time_s)} s"
    rounds = _change(best.rounds, rival.rounds, "fewer", "more")
    longer = _change(best.round_s or 0.0, rival.round_s or 0.0, "shorter", "longer")
    time = _change(best.seconds, rival.seconds, "less", "more")
    return (
        f"Beside the best with {beside}, {rival}: {uploads}, {best.clients_per_round:,} clients a "
        f"round instead of {rival.clients_per_round:,}, {rounds} rounds, {longer} ones, {time} "
        f"time than its {_short(rival.seconds)} s."
    )


def _change(value: float, other: float, less: str, more: str) -> str:
    percent = 100 * (value / other - 1)
    is_equal = abs(percent) < 0.05
    return f"no {more}" if is_equal else f"{abs(percent):.1f} % {less if percent < 0 else more}"


def _short(number: float) -> str:
    return f"{number:.4g}" if number < 1000 else f"{number:,.0f}"


def _seconds(candidate: ScheduleCandidate) -> float:
    """The seconds to the target, in which differences by rounding are none."""
    return float(f"{candidate.seconds:.9g}")


def _discipline(name: str, value: object) -> Discipline:
    for discipline in DISCIPLINES:
        if discipline == value:
            return discipline
    raise ArgumentError(name, value, f"each must be one of {', '.join(DISCIPLINES)}")


def _each_once(name: str, values: object, check: Callable[[str, object], T]) -> list[T]:
    return list(dict.fromkeys(several(name, values, check)))
