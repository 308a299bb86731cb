"""Clients that are later than they were planned with, on the clients' and on the server's side."""

from collections.abc import Iterator
from itertools import chain, repeat
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import in_process
import small_federations as small
from in_process import InProcessGrid, Node
from pipefl.flower.places import later_places
from pipefl.flower.slot_mod import next_place_s
from pipefl.plan import plan_clusters
from pipefl.timeline import Missed, simulate_round
from strategies import Case, cases

LATE = 0  # of the first cluster, the only one that is ever late
_LATE_S = 0.6


def _grid(times_s: Iterator[float]) -> InProcessGrid:
    """One client that computes for these times, though it was fast when it was asked."""
    grid = InProcessGrid()
    app = in_process.client_app(lambda: next(times_s), in_process.trained(LATE), profile_s=0.02)
    grid.join(Node(app, LATE))
    for partition_id, compute_s in enumerate(small.COMPUTE_S[1:], 1):
        grid.join(in_process.honest(partition_id, compute_s))
    return grid


def _run(missed: Missed, path: Path, rounds: int) -> int:
    """A federation whose client 0 is late in its first round; how often it computed."""
    fast = repeat(0.02, 10)
    grid = _grid(chain([_LATE_S], fast))
    config = small.quick(num_channels=2, missed=missed, forgiven_s=0.3)
    small.federate(grid, rounds=rounds, config=config, run_dir=path)
    return 11 - len(list(fast))


def test_who_misses_its_slot_is_dropped(tmp_path: Path) -> None:
    _run("drop", tmp_path / "run", rounds=2)
    outcomes = small.outcomes_of(tmp_path / "run")
    assert [each[LATE] for each in outcomes] == ["dropped", "delivered"]
    assert small.rounds_of(tmp_path / "run")[0].missed == [LATE]
    first = small.intervals_of(tmp_path / "run")[0]
    row = first.client.index(LATE)
    assert first.actual.upload_end_s[row] is None
    ready_s = first.actual.ready_s[row]
    assert ready_s is not None
    assert ready_s > _LATE_S / 2


def test_who_misses_its_slot_takes_a_later_place_of_its_own(tmp_path: Path) -> None:
    _run("next-slot", tmp_path / "run", rounds=1)
    (record,) = small.intervals_of(tmp_path / "run")
    assert set(record.outcome) == {"delivered"}
    row = record.client.index(LATE)
    lateness_s = record.lateness_s[row]
    assert lateness_s is not None
    assert lateness_s > _LATE_S / 2


def test_who_misses_its_slot_delivers_the_same_update_in_a_later_round(tmp_path: Path) -> None:
    assert _run("carry", tmp_path / "run", rounds=2) == 1
    outcomes = small.outcomes_of(tmp_path / "run")
    assert [each[LATE] for each in outcomes] == ["carried", "delivered"]
    record = small.rounds_of(tmp_path / "run")[1]
    assert record.version[record.client.index(LATE)] == 0


def test_the_kept_update_counts_as_a_change_of_the_present_model(tmp_path: Path) -> None:
    """Client 0's kept change is 0.25 · (1 − 0); the model that it goes into has moved on."""
    grid = _grid(chain([_LATE_S], repeat(0.02)))
    config = small.quick(num_channels=2, missed="carry", forgiven_s=0.3)
    models: list[float] = []

    def watch(number: int, record: object) -> None:
        models.append(float(in_process.arrays(record)["bias"]))  # type: ignore[arg-type]  # it is one

    small.federate(grid, rounds=2, config=config, run_dir=tmp_path / "run", evaluate_fn=watch)
    start, first, second = models
    others = [0.25 * (n + 1 - start) for n in range(1, 6)]
    assert first == pytest.approx(np.mean(others), rel=1e-5)
    record = small.rounds_of(tmp_path / "run")[1]
    changes = [0.25 if n == LATE else 0.25 * (n + 1 - first) for n in record.client]
    assert record.version[record.client.index(LATE)] == 0
    assert second == pytest.approx(first + np.mean(changes), rel=1e-5)


@given(cases(equal_uploads=True))
def test_no_two_clients_have_the_same_later_place(case: Case) -> None:
    round_ = simulate_round(
        case.cohort,
        case.plan.compute_time_s,
        case.plan.upload_time_s,
        case.num_channels,
        plan=case.plan,
        missed="next-slot",
    )
    places, period_s = later_places(round_, case.plan)
    width_s = case.plan.upload_time_s
    cycles = [[place + n * period_s for n in range(3)] for *_, place in places]
    spare = [own[:-1] for own in places]
    taken = [*round_.upload_start_s.tolist(), *chain(*cycles), *chain(*spare)]
    for start_s in taken:
        at_once = [other for other in taken if start_s - width_s * 0.999 < other <= start_s]
        assert len(at_once) <= case.num_channels
    for own, slot_s in zip(places, round_.upload_start_s.tolist(), strict=True):
        assert all(place > slot_s for place in own)


@given(
    st.lists(st.floats(0.1, 50.0), min_size=1, max_size=4, unique=True),
    st.floats(0.1, 10.0),
    st.floats(0.0, 200.0),
)
def test_a_later_place_is_never_before_the_client_is_ready(
    places: list[float], period_s: float, ready_s: float
) -> None:
    later_s = sorted(places)
    place_s = next_place_s(later_s, period_s, ready_s)
    assert place_s >= ready_s - 1e-9
    if ready_s > later_s[-1]:
        assert place_s - ready_s < period_s * (1 + 1e-9)


def test_places_are_dealt_by_hand() -> None:
    plan = plan_clusters([1.0, 1.5, 2.0, 3.0], 1.0, num_clusters=3)
    assert plan.slot_time_s.tolist() == [1.0, 2.0, 3.0]
    round_ = simulate_round([0, 3], plan.compute_time_s, 1.0, num_channels=1, plan=plan)
    # The second slot is empty and goes to the client of the first; then both take turns.
    assert later_places(round_, plan) == ([[2.0, 4.0], [5.0]], 2.0)
