"""A cohort as one batched program: what clients by themselves give, but for rounding."""

import pytest
import torch

from pipefl.errors import ArgumentError
from pipefl.models.catalogue import ModelConfig
from pipefl.train.algorithms.algorithm import Algorithm
from pipefl.train.algorithms.full_gradient import FullGradient
from pipefl.train.algorithms.local_sgd import LocalSgd
from pipefl.train.algorithms.scaffold import Scaffold
from pipefl.train.executors.serial import Serial
from pipefl.train.executors.vectorised import Vectorised
from pipefl.train.work import Job, dealt
from pipefl.train.workplace import Diligence
from workplaces import CNN, LINEAR, LSTM, MLP, SIZES, Rounds, workplace

ALL = list(range(len(SIZES)))
MODELS = {"cnn": CNN, "mlp": MLP, "lstm": LSTM, "linear": LINEAR}

EACH_MODEL = pytest.mark.parametrize("config", MODELS.values(), ids=MODELS)


@EACH_MODEL
@pytest.mark.parametrize("algorithm", [LocalSgd(), FullGradient()], ids=["local", "full"])
def test_it_gives_what_serial_gives_but_for_rounding(
    config: ModelConfig, algorithm: Algorithm
) -> None:
    place = workplace(config)
    serial = Rounds(place, algorithm, Serial(place, algorithm))
    together = Rounds(place, algorithm, Vectorised(place, algorithm))
    for cohort in ([8, 2, 4], ALL, [11], ALL[::-1]):
        expected, found = serial.take(cohort), together.take(cohort)
        torch.testing.assert_close(together.vectors, serial.vectors, rtol=1e-4, atol=1e-5)
        assert [each.client for each in found] == cohort
        losses = [each.loss for each in found]
        assert losses == pytest.approx([each.loss for each in expected], rel=1e-4)
    assert (serial.vectors[0] - place.model.initial(0)).norm() > 0.1


def test_more_clients_than_are_taken_at_once() -> None:
    place = workplace(sizes=[1 + m % 9 for m in range(150)])
    jobs = [Job(m, 0, (m,), (float(m),)) for m in range(150)]
    results = []
    for executor in (Serial(place, LocalSgd()), Vectorised(place, LocalSgd())):
        executor.publish(0, place.model.initial(0).unsqueeze(0))
        results.append(executor.work(dealt(jobs)))
    for one, other in zip(*results, strict=True):
        torch.testing.assert_close(one.sums, other.sums, rtol=1e-4, atol=1e-3)


def test_a_batch_is_no_larger_than_what_clients_have() -> None:
    place = workplace(LINEAR, Diligence(0.3, batch_size=10**12))
    rounds = [Rounds(place, LocalSgd(), kind(place, LocalSgd())) for kind in (Serial, Vectorised)]
    for each in rounds:
        each.take(ALL)
    torch.testing.assert_close(rounds[1].vectors, rounds[0].vectors, rtol=1e-4, atol=1e-5)


def test_clients_begin_with_their_own_version() -> None:
    place = workplace(MLP)
    sums = []
    for executor in (Serial(place, LocalSgd()), Vectorised(place, LocalSgd())):
        for version in (2, 9):
            executor.publish(version, place.model.initial(version).unsqueeze(0))
        jobs = [Job(m, (2, 9)[m % 2], (m,), (1.0,)) for m in ALL]
        sums.append(torch.stack([result.sums for result in executor.work(dealt(jobs))]))
        executor.forget(9)
        with pytest.raises(KeyError):
            executor.work(dealt(jobs))
        executor.close()
    torch.testing.assert_close(*sums, rtol=1e-4, atol=1e-5)


def test_the_same_clients_are_refused_for_the_same_reason() -> None:
    place = workplace(MLP, Diligence(0.3, 4, largest_update=0.25))
    refused = []
    for executor in (Serial(place, LocalSgd()), Vectorised(place, LocalSgd())):
        reports = Rounds(place, LocalSgd(), executor).take(ALL)
        refused.append({each.client: each.refused for each in reports if each.refused})
    assert refused[0] == refused[1]
    assert 0 < len(refused[0]) < len(ALL)


def test_models_are_judged_to_the_bit() -> None:
    place = workplace(CNN)
    chunks = [torch.arange(20).numpy(), torch.arange(20, 70).numpy()]
    judged = []
    for executor in (Serial(place, LocalSgd()), Vectorised(place, LocalSgd())):
        executor.publish(0, place.model.initial(1).unsqueeze(0))
        judged.append([(j.num_correct, j.badness.tobytes()) for j in executor.judge(0, chunks)])
    assert judged[0] == judged[1]


def test_algorithms_that_it_does_not_know_are_refused() -> None:
    text = "executor is 'vectorised'; vectorised trains local-sgd and full-gradient only; scaffold"
    with pytest.raises(ArgumentError, match=text):
        Vectorised(workplace(), Scaffold())
