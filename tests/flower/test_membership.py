"""Nodes that join, leave and come back between rounds."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from flwr.app import MetricRecord

import in_process
import small_federations as small
from pipefl.flower.messages import Profile
from pipefl.flower.roster import Roster

_PROFILE = Profile(
    partition_id=7, num_samples=5, samples_per_round=5, measured_samples=1, measured_s=0.2
)
_ALL = small.quick(num_channels=4, min_clients=5)  # everybody who is there takes part


def _after_round(do: dict[int, Callable[[], object]]) -> Callable[[int, object], MetricRecord]:
    """An evaluation after certain rounds of which something happens."""

    def evaluate(number: int, arrays: object) -> MetricRecord:
        if number in do:
            do[number]()
        return MetricRecord({"accuracy": 0.5})

    return evaluate


def _partitions(path: Path) -> list[set[int]]:
    return [set(record.client) for record in small.intervals_of(path)]


def test_a_node_that_joins_is_in_the_next_rounds_plan(tmp_path: Path) -> None:
    grid = in_process.federation(small.COMPUTE_S[:5])
    join = _after_round({1: lambda: grid.join(in_process.honest(5, small.COMPUTE_S[5]))})
    small.federate(grid, rounds=3, config=_ALL, run_dir=tmp_path / "run", evaluate_fn=join)
    assert _partitions(tmp_path / "run") == [set(range(5)), set(range(6)), set(range(6))]
    records = small.intervals_of(tmp_path / "run")
    assert [record.plan for record in records] == [1, 2, 2]
    assert "partition 5 joined" in records[1].events
    assert any("other clients than planned for are there" in each for each in records[1].events)


def test_a_node_that_leaves_keeps_its_place_and_has_it_again_under_another_id(
    tmp_path: Path,
) -> None:
    grid = in_process.federation(small.COMPUTE_S)
    node_id, node = next(iter(grid.nodes.items()))
    come_and_go = _after_round({1: lambda: grid.nodes.pop(node_id), 2: lambda: grid.join(node)})
    small.federate(grid, rounds=3, config=_ALL, run_dir=tmp_path / "run", evaluate_fn=come_and_go)
    assert _partitions(tmp_path / "run") == [set(range(6)), set(range(1, 6)), set(range(6))]
    records = small.intervals_of(tmp_path / "run")
    assert [record.plan for record in records] == [1, 1, 1]
    assert "client 0 (partition 0) left" in records[1].events
    assert "client 0 (partition 0) came back" in records[2].events


def test_who_has_been_away_for_long_is_planned_for_no_more(tmp_path: Path) -> None:
    grid = in_process.federation((*small.COMPUTE_S[:5], 1.0))
    slowest = list(grid.nodes)[-1]
    leave = _after_round({1: lambda: grid.nodes.pop(slowest)})
    config = small.quick(num_channels=4, min_clients=5, forget_after=2)
    small.federate(grid, rounds=4, config=config, run_dir=tmp_path / "run", evaluate_fn=leave)
    records = small.intervals_of(tmp_path / "run")
    assert [record.plan for record in records] == [1, 1, 2, 2]
    assert records[1].slot_time_s[-1] == pytest.approx(1.1)
    assert records[2].slot_time_s[-1] < 1.1


def test_a_round_begins_when_enough_clients_are_there(tmp_path: Path) -> None:
    grid = in_process.federation(small.COMPUTE_S[:3])
    config = small.quick(num_channels=4, min_clients=4)
    with in_process.after(0.3, lambda: grid.join(in_process.honest(3, 0.05))):
        small.federate(grid, config=config, run_dir=tmp_path / "run")
    assert _partitions(tmp_path / "run") == [set(range(4))]
    assert "waiting for clients: 3 there" in small.events_of(tmp_path / "run")


def test_the_second_node_of_a_partition_is_turned_away_while_the_first_is_there(
    tmp_path: Path,
) -> None:
    grid = in_process.federation(small.COMPUTE_S)
    second = in_process.honest(3, 0.05)
    grid.join(second)
    small.federate(grid, rounds=2, config=_ALL, run_dir=tmp_path / "run")
    assert second.num_trained == 0
    assert "was turned away: partition 3 is at node" in small.events_of(tmp_path / "run")


def test_clients_are_numbered_by_partition_whenever_they_came() -> None:
    roster = Roster(window=2)
    for node, partition_id in ((5, 8), (6, 2), (7, 4)):
        roster.admit({node: replace(_PROFILE, partition_id=partition_id)})
    roster.number_by_partition()
    assert [client.partition_id for client in roster.clients] == [2, 4, 8]
    assert roster.nodes == {0: 6, 1: 7, 2: 5}


def test_a_roster_forgets_nothing_but_where_clients_are() -> None:
    roster = Roster(window=2)
    roster.admit({11: _PROFILE})
    for seconds in (1.0, 2.0, 3.0):
        roster.measured(0, seconds)
    roster.delivered(0, 4, 3.0)
    other = Roster(window=2)
    other.recall(roster.notes())
    assert other.clients == roster.clients
    assert other.clients[0].measured_s == (2.0, 3.0)
    assert (other.nodes, roster.nodes) == ({}, {0: 11})
