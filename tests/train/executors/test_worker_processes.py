"""Work shared out among processes: the same bits as in one, and nothing left behind."""

import os
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
import torch

from pipefl.errors import ArgumentError
from pipefl.models.catalogue import ModelConfig
from pipefl.train.algorithms.algorithm import Algorithm
from pipefl.train.algorithms.cocoa import Cocoa
from pipefl.train.algorithms.full_gradient import FullGradient
from pipefl.train.algorithms.local_sgd import LocalSgd
from pipefl.train.algorithms.scaffold import Scaffold
from pipefl.train.executors.executor import Executor
from pipefl.train.executors.processes import Processes
from pipefl.train.executors.serial import Serial
from pipefl.train.work import Job, dealt
from pipefl.train.workplace import Workplace
from workplaces import CNN, LINEAR, LSTM, MLP, SIZES, WIDE_MLP, Rounds, settings_of, workplace

ALL = list(range(len(SIZES)))
COHORTS = [[8, 2, 4], ALL, [11], [5, 3, 8, 2, 9], ALL[::-1]]
CHUNKS = [np.arange(first, min(first + 16, 70)) for first in range(0, 70, 16)]


def processes(
    place: Workplace, config: ModelConfig, algorithm: Algorithm, workers: int
) -> Processes:
    return Processes(place, algorithm, settings_of(config), workers)


def everything(place: Workplace, algorithm: Algorithm, executor: Executor) -> list[bytes]:
    """Every bit that some rounds come to: vectors, losses, what clients keep, verdicts."""
    rounds, seen = Rounds(place, algorithm, executor), []
    for cohort in COHORTS:
        reports = rounds.take(cohort)
        seen.append(rounds.vectors.numpy().tobytes())
        seen.append(np.array([report.loss for report in reports]).tobytes())
        seen += [array.tobytes() for report in reports for array in report.own or ()]
        executor.publish(100 + rounds.num_rounds, rounds.vectors)
        for each in executor.judge(100 + rounds.num_rounds, CHUNKS):
            seen.append(np.array([each.num_correct, each.num_judged]).tobytes())
            seen.append(each.badness.tobytes())
    return seen


@pytest.mark.parametrize(
    ("config", "algorithm", "workers"),
    [
        (CNN, LocalSgd(), 7),
        (LSTM, Scaffold(), 2),
        (MLP, FullGradient(), 1),
        (WIDE_MLP, LocalSgd(), 2),
    ],
    ids=["cnn-local-sgd-7", "lstm-scaffold-2", "mlp-full-gradient-1", "together-2"],
)
def test_any_number_of_processes_gives_the_bits_of_one(
    config: ModelConfig, algorithm: Algorithm, workers: int
) -> None:
    place = workplace(config)
    serial = everything(place, algorithm, Serial(place, algorithm))
    with closing(processes(place, config, algorithm, workers)) as executor:
        assert len(set(executor.process_ids)) == workers
        assert everything(place, algorithm, executor) == serial


@pytest.fixture(scope="module")
def pair() -> Iterator[Processes]:
    """Two processes for tests that leave them as they were."""
    with closing(processes(workplace(MLP), MLP, LocalSgd(), 2)) as executor:
        yield executor


def test_clients_work_on_the_versions_they_were_given(pair: Processes) -> None:
    place = workplace(MLP)
    serial = Serial(place, LocalSgd())
    versions = {v: place.model.initial(v).unsqueeze(0) for v in (3, 5, 6)}
    for executor in (serial, pair):
        for version, vectors in versions.items():
            executor.publish(version, vectors)
    units = dealt([Job(m, (3, 5, 6)[m % 3], (0, m), (1.0,)) for m in ALL])
    for one, other in zip(serial.work(units), pair.work(units), strict=True):
        assert torch.equal(one.sums, other.sums)
        assert [r.loss for r in one.reports] == [r.loss for r in other.reports]
    serial.forget(6)
    pair.forget(6)
    units = dealt([Job(4, 6, (1, 4), (1.0,))])
    assert torch.equal(serial.work(units)[0].sums, pair.work(units)[0].sums)
    pair.forget(7)


def test_no_work_is_none(pair: Processes) -> None:
    assert pair.work([]) == []
    assert pair.judge(0, []) == []


def num_open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def shared_bytes() -> int:
    """The sizes of all nameless files of ours that are open."""
    total = 0
    for link in Path("/proc/self/fd").iterdir():
        try:
            if "memfd:pipefl" in str(link.readlink()):
                total += os.fstat(int(link.name)).st_size
        except OSError:  # the folder's own, which is closed already
            continue
    return total


def test_slots_are_given_back(pair: Processes) -> None:
    place = workplace(MLP)
    rounds, sizes = Rounds(place, LocalSgd(), pair), []
    for _ in range(30):
        rounds.take(ALL)
        pair.forget(rounds.num_rounds)
        sizes.append(shared_bytes())
    assert sizes[3:] == [sizes[3]] * 27


def test_results_outlive_the_rounds_after_them(pair: Processes) -> None:
    place = workplace(MLP)
    pair.publish(0, place.model.initial(0).unsqueeze(0))
    units = [dealt([Job(m, 0, (7, m), (1.0,))]) for m in ALL]
    held = [pair.work(each)[0].sums for each in units]
    before = [sums.clone() for sums in held]
    for each in units:
        pair.work(each)
    assert all(map(torch.equal, held, before))
    pair.forget(1)


def test_closing_ends_the_processes_and_closes_the_files() -> None:
    place = workplace(LINEAR)
    serial = everything(place, Cocoa(), Serial(place, Cocoa()))
    num_files, num_bytes = num_open_files(), shared_bytes()
    executor = processes(place, LINEAR, Cocoa(), 1)
    (process_id,) = executor.process_ids
    os.kill(process_id, 0)
    assert everything(place, Cocoa(), executor) == serial
    assert shared_bytes() > num_bytes
    executor.close()
    with pytest.raises(ProcessLookupError):
        os.kill(process_id, 0)
    assert executor.process_ids == []
    assert (num_open_files(), shared_bytes()) == (num_files, num_bytes)
    executor.close()  # once more does no harm


def test_no_workers_are_too_few() -> None:
    with pytest.raises(ArgumentError, match="workers is 0; it must be a whole number of at least"):
        processes(workplace(LINEAR), LINEAR, LocalSgd(), 0)
