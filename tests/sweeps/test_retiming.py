"""Recorded cohorts on other clocks, held against runs on those clocks."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from pipefl.errors import PipeflError
from pipefl.runs.config import RunConfig
from pipefl.sweeps.retiming import Clock, own_clock, recorded_rounds
from pipefl.train.result import RunResult
from small_runs import ran, small

CLUSTERED: dict[str, object] = {"discipline": "slots"}
UNIFORM: dict[str, object] = {
    "policy": "uniform", "discipline": "wait-all", "num_clusters": 1, "num_channels": 4
}  # fmt: skip


@pytest.fixture(scope="module")
def clustered(tmp_path_factory: pytest.TempPathFactory) -> RunResult:
    return ran(small(**CLUSTERED), tmp_path_factory.mktemp("clustered"))


@pytest.fixture(scope="module")
def uniform(tmp_path_factory: pytest.TempPathFactory) -> RunResult:
    return ran(small(**UNIFORM), tmp_path_factory.mktemp("uniform"))


@pytest.mark.parametrize("discipline", ["slots", "eager-slots", "fifo", "wait-all"])
def test_a_retimed_clustered_run_is_the_run_in_that_discipline(
    discipline: str, clustered: RunResult, tmp_path: Path
) -> None:
    real = ran(small(discipline=discipline), tmp_path)
    recorded = recorded_rounds(clustered.path)
    assert recorded.clock_s(Clock(discipline, 2, 3)).tolist() == [r.clock_s for r in real.records]
    assert [r.accuracy_at_most for r in clustered.records] == [
        r.accuracy_at_most for r in real.records
    ]


def test_the_disciplines_do_not_take_alike(clustered: RunResult) -> None:
    recorded = recorded_rounds(clustered.path)
    last_s = [
        recorded.clock_s(Clock(d, 2, 3))[-1] for d in ("fifo", "eager-slots", "slots", "wait-all")
    ]
    assert last_s == sorted(last_s)
    assert last_s[0] < last_s[2] < last_s[3]


@pytest.mark.parametrize(
    ("clock", "changes"),
    [
        (Clock("wait-all", 4, 3), {"num_channels": 4, "upload_clusters": 3}),
        (Clock("slots", 4, 1), {"num_channels": 4, "discipline": "slots"}),
        # Four clients on two sub-channels: a real run draws two for each sub-channel.
        (Clock("fifo", 2, 2), {"num_channels": 2, "upload_clusters": 2, "discipline": "fifo",
                               "policy_options": {"per_channel": 2}}),
    ],
)  # fmt: skip
def test_a_retimed_uniform_run_is_the_run_on_that_uplink(
    clock: Clock, changes: dict[str, object], uniform: RunResult, tmp_path: Path
) -> None:
    real = ran(small(**UNIFORM | changes), tmp_path)
    assert [r.client for r in real.records] == [r.client for r in uniform.records]
    assert recorded_rounds(uniform.path).clock_s(clock).tolist() == [
        r.clock_s for r in real.records
    ]


def test_on_its_own_clock_a_run_is_as_recorded(uniform: RunResult) -> None:
    recorded = recorded_rounds(uniform.path)
    own = own_clock(recorded.config)
    assert own == Clock("wait-all", 4, 1)
    assert np.array_equal(recorded.clock_s(own), [r.clock_s for r in uniform.records])


@pytest.mark.parametrize(
    ("changes", "clock", "reason"),
    [
        ({}, Clock("slots", 2, 2), "its clusters would be others"),
        ({}, Clock("slots", 1, 3), "its clusters would be others"),
        ({"devices": {"jitter": 0.1}}, Clock("fifo", 2, 3), "its compute times vary"),
        ({"policy": "age"}, Clock("slots", 2, 3), "who is in a round of 'age' may depend"),
        ({"policy": "rolling", "policy_options": {"in_flight": 4}}, Clock("fifo", 2, 3),
         "who is in a round of 'rolling' may depend"),
    ],
)  # fmt: skip
def test_a_run_whose_cohorts_would_be_others_is_refused(
    changes: dict[str, object], clock: Clock, reason: str, tmp_path: Path
) -> None:
    recorded = recorded_rounds(ran(small(max_rounds=2, **changes), tmp_path).path)
    with pytest.raises(PipeflError, match=f"small cannot be put on another clock: {reason}"):
        recorded.clock_s(clock)


def test_a_run_whose_upload_time_is_given_belongs_to_no_number_of_clusters() -> None:
    config = RunConfig(upload_time_s=2.0, target_accuracy=0.9)
    with pytest.raises(PipeflError, match="upload_time_s is 2.0"):
        own_clock(config)


def test_a_run_whose_clients_missed_their_slots_is_refused(clustered: RunResult) -> None:
    recorded = recorded_rounds(clustered.path)
    late = replace(recorded.records[3], client=[0], missed=[1])
    missed = replace(recorded, records=[*recorded.records[:3], late])
    with pytest.raises(PipeflError, match="clients missed their slots"):
        missed.clock_s(Clock("fifo", 2, 3))
