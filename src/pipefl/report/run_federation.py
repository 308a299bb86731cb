"""What only a federation has: rounds as planned beside rounds as they were."""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from pipefl.report.numbers import number
from pipefl.report.parts import Cell, Fact, Facts, Figure, Part, Section, Table
from pipefl.report.round_chart import round_chart
from pipefl.report.run_view import RunView
from pipefl.report.theme import Mode
from pipefl.report.timeline_page import MOST_ROWS
from pipefl.runs.flat import shown
from pipefl.runs.intervals import IntervalRecord, Outcome
from pipefl.timeline.round import Round
from pipefl.wording import counted

_MOST_ROUNDS = 20
_USED: Outcome = "delivered"


def federation_section(view: RunView) -> Section | None:
    """The rounds of a federation, planned and actual; None of a simulated run."""
    rounds = view.run.intervals
    if not rounds:
        return None
    parts: list[Part] = [_durations(rounds), _uploads(rounds)]
    ends = [("first", rounds[0]), ("last", rounds[-1])]
    for which, record in ends[: len(rounds)]:
        parts += _figures(view, which, record)
    parts.append(_by_round(rounds))
    if any(record.events for record in rounds):
        parts.append(_events(rounds))
    return Section("Planned and actual", parts)


def federation_facts(view: RunView) -> Facts:
    """The settings that a simulated run does not have."""
    noted = view.run.federation
    facts = [Fact("strategy", shown(noted.get("strategy")))]
    facts += [Fact(name, shown(value)) for name, value in dict(noted.get("settings", {})).items()]
    return Facts(facts, "Federation")


def _durations(rounds: Sequence[IntervalRecord]) -> str:
    planned_s = float(np.mean([record.planned.duration_s for record in rounds]))
    actual_s = float(np.mean([record.actual.duration_s for record in rounds]))
    return (
        f"A round lasted {number(actual_s)} s on average; {number(planned_s)} s were planned, from "
        "what was known of the clients when it began."
    )


def _uploads(rounds: Sequence[IntervalRecord]) -> str:
    """What came of all that were scheduled, and how late uploads began."""
    came = Counter(outcome for record in rounds for outcome in record.outcome)
    text = f"Of {counted(came.total(), 'scheduled update')} {came[_USED]:,} were used"
    others = [f"{times:,} {outcome}" for outcome, times in came.most_common() if outcome != _USED]
    text += f" ({', '.join(others)})." if others else "."
    late_s = [each for record in rounds for each in record.lateness_s if each is not None]
    if not late_s:
        return text
    return (
        f"{text} By the clients' own clocks half of the uploads began within "
        f"{_short(float(np.median(late_s)))} of the time that they were given, and the last "
        f"{_short(max(late_s))} after it."
    )


def _short(seconds: float) -> str:
    return f"{1000 * seconds:.3g} ms" if seconds < 1 else f"{number(seconds)} s"


def _figures(view: RunView, which: str, record: IntervalRecord) -> Iterator[Figure]:
    """One round twice over the same axis of time, if its clients fit on a page."""
    sides = {"as planned": record.planned_round(), "as it was": record.actual_round()}
    if len(record.client) > MOST_ROWS:
        return
    until_s = max(round_.duration_s for round_ in sides.values())
    in_slots = view.run.schedule.endswith("slots")  # slots and eager-slots
    for how, round_ in sides.items():
        if round_.intervals.is_empty():
            continue  # nobody was heard of
        yield Figure(
            f"{which}-{how.replace(' ', '-')}",
            f"The {which} round {how}, client by client: computing, waiting, uploading.",
            partial(
                _chart,
                round_,
                record.slot_time_s if in_slots else [],
                f"The {which} round, {how}",
                until_s,
            ),
            caption=_ON_WHOSE_CLOCK if how == "as it was" else "",
        )


_ON_WHOSE_CLOCK = (
    "On the server's clock. A client's own times count from when its message reached it, and an "
    "upload ends when the server has it; whoever was not heard of has no row."
)


def _chart(
    round_: Round, slot_time_s: Sequence[float], title: str, until_s: float, mode: Mode
) -> Any:
    return round_chart(round_, slot_time_s, title, mode, until_s=until_s)


def _by_round(rounds: Sequence[IntervalRecord]) -> Table:
    """A row a round, the last ones if there are many."""
    columns = ("round", "plan", "planned s", "actual s", "used", "begun late by", "not used")
    rows: list[list[Cell | str]] = []
    for record in rounds[-_MOST_ROUNDS:]:
        came = Counter(record.outcome)
        late_s = max((each for each in record.lateness_s if each is not None), default=None)
        others = [f"{times} {outcome}" for outcome, times in came.items() if outcome != _USED]
        rows.append([
            f"{record.round:,}",
            f"{record.plan:,}",
            number(record.planned.duration_s),
            number(record.actual.duration_s),
            f"{came[_USED]} of {came.total()}",
            "–" if late_s is None else _short(late_s),
            Cell(", ".join(others), tone="bad") if others else "",
        ])  # fmt: skip
    left_out = len(rounds) - len(rows)
    notes = [f"{counted(left_out, 'earlier round')}: see intervals.jsonl."] if left_out else []
    return Table(columns, rows, caption="Round by round", notes=notes)


def _events(rounds: Sequence[IntervalRecord]) -> Facts:
    """What else there was, a line a round."""
    told = [record for record in rounds if record.events]
    return Facts(
        [Fact(f"round {each.round:,}", "; ".join(each.events)) for each in told[-_MOST_ROUNDS:]],
        "Who came, who went, and what was not believed",
    )
