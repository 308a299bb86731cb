"""Workers that are killed or fail in the middle of their work."""

import os
import signal
import time
import warnings
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from threading import Timer

import numpy as np
import pytest
import torch

from pipefl.train.algorithms.local_sgd import LocalSgd
from pipefl.train.executors.processes import Processes, RemoteError, WorkerError
from pipefl.train.executors.serial import Serial
from trouble import Trouble
from workplaces import MLP, SIZES, Rounds, settings_of, workplace

COHORT = list(range(len(SIZES)))


@dataclass
class Side:
    """The same rounds in two processes, where there is trouble, and in this one without."""

    trouble: Trouble
    executor: Processes
    troubled: Rounds
    undisturbed: Rounds

    def check_round(self, cohort: list[int]) -> None:
        """One more round comes out alike."""
        self.troubled.take(cohort)
        self.undisturbed.take(cohort)
        assert torch.equal(self.troubled.vectors, self.undisturbed.vectors)


@pytest.fixture(scope="module")
def side(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Side]:
    place = workplace(MLP)
    trouble = Trouble(tmp_path_factory.mktemp("trouble"))
    with closing(Processes(place, trouble, settings_of(MLP), 2)) as executor:
        undisturbed = Rounds(place, LocalSgd(), Serial(place, LocalSgd()))
        yield Side(trouble, executor, Rounds(place, trouble, executor), undisturbed)


def test_clients_of_a_killed_worker_are_done_again(side: Side) -> None:
    side.check_round(COHORT)
    before = set(side.executor.process_ids)
    side.trouble.worked()
    side.trouble.kill_at(5)
    with pytest.warns(RuntimeWarning) as warned:
        side.check_round(COHORT)
    (dead,) = before - set(side.executor.process_ids)
    (warning,) = warned
    text = f"worker process {dead} was killed by signal 9; another one does its clients again"
    assert str(warning.message) == text
    worked = side.trouble.worked()
    again = [client for client in COHORT if worked.count(client) > 1]
    assert again == list(range(again[0], 6))  # what the dead one had been given and begun
    assert worked.count(5) == 2
    side.check_round(COHORT)
    assert len(side.executor.process_ids) == 2


def test_who_is_killed_with_nothing_to_do_is_replaced(side: Side) -> None:
    """Even if all are: the next work is not to blame for it."""
    before = side.executor.process_ids
    for process_id in before:
        os.kill(process_id, signal.SIGKILL)
        wait_until_dead(process_id)
    with pytest.warns(RuntimeWarning) as warned:
        side.check_round([4])
    texts = [f"worker process {each} was killed by signal 9; another begins" for each in before]
    assert sorted(str(each.message) for each in warned) == sorted(texts)
    with warnings.catch_warnings(action="error"):
        side.check_round(COHORT)


def test_what_kills_again_and_again_is_given_up_with_a_clear_error(side: Side) -> None:
    side.trouble.kill_at(7, times=3)
    before = side.troubled.vectors.clone()
    with (
        pytest.warns(RuntimeWarning) as warned,
        pytest.raises(WorkerError, match="3 worker processes in a row were killed by signal 9"),
    ):
        side.troubled.take(COHORT)
    assert len(warned) == 2
    assert torch.equal(side.troubled.vectors, before)
    side.check_round(COHORT)  # others go on


def test_an_error_in_a_worker_reaches_the_caller(side: Side) -> None:
    side.trouble.fail_at(9)
    text = "a worker process failed: ValueError: client 9 is out of luck"
    with pytest.raises(WorkerError, match=text) as caught:
        side.troubled.take(COHORT)
    assert isinstance(caught.value.__cause__, RemoteError)
    assert "in _meet" in str(caught.value.__cause__)
    side.check_round([0, 1, 2])


def test_a_model_is_judged_by_whoever_is_left(side: Side) -> None:
    chunks = [np.arange(first, first + 10) for first in range(0, 70, 10)]
    for rounds in (side.troubled, side.undisturbed):
        rounds.executor.publish(500, rounds.vectors)
    (first, _) = side.executor.process_ids
    os.kill(first, signal.SIGSTOP)  # so that it gets its part and does not answer
    killing = Timer(0.5, os.kill, (first, signal.SIGKILL))
    killing.start()
    with pytest.warns(RuntimeWarning, match=f"worker process {first} was killed"):
        found = side.executor.judge(500, chunks)
    killing.join()
    expected = side.undisturbed.executor.judge(500, chunks)
    for one, other in zip(found, expected, strict=True):
        assert one.num_correct == other.num_correct
        assert np.array_equal(one.badness, other.badness)


def wait_until_dead(process_id: int) -> None:
    """Until it is a zombie, for which nobody has waited yet."""
    stat, end_s = Path(f"/proc/{process_id}/stat"), time.monotonic() + 30
    while stat.read_text().rpartition(")")[2].split()[0] != "Z":
        assert time.monotonic() < end_s
        time.sleep(0.01)
