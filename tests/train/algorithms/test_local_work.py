"""Local work against plain torch, step by step, and what is done with replies."""

import dataclasses
from collections.abc import Iterator

import numpy as np
import pytest
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from pipefl.models.catalogue import ModelConfig
from pipefl.models.modules import torch_module
from pipefl.train.algorithms.algorithm import Adding, Algorithm, one_by_one
from pipefl.train.algorithms.fedprox import FedProx
from pipefl.train.algorithms.full_gradient import FullGradient
from pipefl.train.algorithms.local_sgd import LocalSgd
from pipefl.train.algorithms.scaffold import Scaffold
from pipefl.train.executors.executor import one_thread
from pipefl.train.executors.serial import Serial
from pipefl.train.work import Job, Unit, dealt
from pipefl.train.workplace import Diligence, Workplace
from workplaces import CNN, DILIGENCE, LINEAR, LSTM, MLP, SIZES, Rounds, workplace

RATE = DILIGENCE.learning_rate
COHORT = [8, 2, 4, 11, 0, 7, 3, 1, 10]
EACH_MODEL = pytest.mark.parametrize(
    "config", [LINEAR, MLP, CNN, LSTM], ids=["linear", "mlp", "cnn", "lstm"]
)


@pytest.fixture(autouse=True)
def _one_thread() -> Iterator[None]:
    with one_thread():
        yield


def gradient_of(place: Workplace, config: ModelConfig, weights: Tensor, batch: object) -> Tensor:
    """The gradient of a plain torch module's mean loss on these samples."""
    module = torch_module(config)
    arrays = place.model.layout.named(weights)
    module.load_state_dict({n: torch.from_numpy(a) for n, a in arrays.items()}, strict=False)
    samples = np.asarray(batch)
    scores = module(place.inputs(samples))
    targets = place.targets(samples)
    if targets.dim() == 2:
        loss = cross_entropy(scores.flatten(0, 1), targets.flatten(), ignore_index=0)
    else:
        loss = cross_entropy(scores, targets)
    loss.backward()  # type: ignore[no-untyped-call]  # torch's
    gradients = {
        name: parameter.grad.numpy()
        for name, parameter in module.named_parameters()
        if parameter.grad is not None
    }
    return place.model.layout.flat(gradients)


def jobs_of(cohort: list[int], share: tuple[float, ...] = (1.0,)) -> list[Job]:
    return [Job(m, 0, (5, m), share) for m in cohort]


def reply_of(algorithm: Algorithm, place: Workplace, job: Job, sent: Tensor) -> Tensor:
    (result,) = algorithm.work(place, [Unit((job,), 1)], {0: sent})
    assert result.reports[0].refused is None
    return result.sums


def sent_of(place: Workplace, algorithm: Algorithm, seed: int = 0) -> Tensor:
    """Random vectors, as if training had gone on for a while."""
    num = 1 + len(algorithm.start(place.model.num_parameters))
    noise = np.random.default_rng(seed).normal(0, 0.1, (num, place.model.num_parameters))
    return place.model.initial(0) + torch.from_numpy(noise).float()


@EACH_MODEL
@pytest.mark.parametrize("proximal", [None, 0.7])
def test_local_sgd_and_fedprox_are_descent_by_the_book(
    config: ModelConfig, proximal: float | None
) -> None:
    place = workplace(config)
    algorithm = LocalSgd() if proximal is None else FedProx(proximal)
    sent = sent_of(place, algorithm)
    for job in jobs_of([8, 2, 4]):
        weights = sent[0].clone()
        for batch in place.batches(job):
            pull = (proximal or 0.0) * (weights - sent[0])
            weights = weights - RATE * (gradient_of(place, config, weights, batch) + pull)
        change = reply_of(algorithm, place, job, sent)
        torch.testing.assert_close(change, (weights - sent[0]).unsqueeze(0), rtol=1e-4, atol=1e-5)


@EACH_MODEL
def test_a_spring_of_no_stiffness_is_none(config: ModelConfig) -> None:
    place = workplace(config)
    sent = sent_of(place, LocalSgd())
    (job,) = jobs_of([8])
    plain = reply_of(LocalSgd(), place, job, sent)
    torch.testing.assert_close(reply_of(FedProx(0.0), place, job, sent), plain)
    near = reply_of(FedProx(3.0), place, job, sent)
    assert near.norm() < 0.9 * plain.norm()


@EACH_MODEL
def test_scaffold_corrects_each_step_and_learns_the_drift(config: ModelConfig) -> None:
    place = workplace(config)
    sent = sent_of(place, Scaffold())
    own = np.random.default_rng(9).normal(0, 0.1, place.model.num_parameters).astype(np.float32)
    job = Job(8, 0, (5, 8), (1.0, 1.0), (own,))
    weights, drift, common = sent[0].clone(), torch.from_numpy(own), sent[1]
    for batch in place.batches(job):
        weights = weights - RATE * (gradient_of(place, config, weights, batch) - drift + common)
    new_drift = drift - common + (sent[0] - weights) / (place.num_steps(8) * RATE)
    (result,) = Scaffold().work(place, [Unit((job,), 1)], {0: sent})
    expected = torch.stack([weights - sent[0], new_drift - drift])
    torch.testing.assert_close(result.sums, expected, rtol=1e-3, atol=1e-5)
    (kept,) = result.reports[0].own or ()
    torch.testing.assert_close(torch.from_numpy(kept), new_drift, rtol=1e-3, atol=1e-5)


def test_scaffolds_common_drift_is_the_mean_of_the_clients() -> None:
    place = workplace()
    rounds = Rounds(place, Scaffold(), Serial(place, Scaffold()))
    rng = np.random.default_rng(0)
    for _ in range(6):
        rounds.take(rng.choice(len(SIZES), 4, replace=False).tolist())
        share = np.array(SIZES) / sum(SIZES)
        mean = sum(share[m] * own[0].astype(float) for m, own in rounds.own.items())
        np.testing.assert_allclose(rounds.vectors[1].numpy(), mean, rtol=1e-4, atol=1e-6)
    assert rounds.vectors[1].norm() > 0


@EACH_MODEL
@pytest.mark.paper("eq:local_gradient")
@pytest.mark.paper("eq:gradients_averaging")
@pytest.mark.paper("eq:global_update")
def test_a_round_of_full_gradients_is_a_step_down_the_average(config: ModelConfig) -> None:
    place = workplace(config)
    rounds = Rounds(place, FullGradient(), Serial(place, FullGradient()))
    before = rounds.vectors[0].clone()
    reports = rounds.take(COHORT)
    gradients, sizes = [], [SIZES[m] for m in COHORT]
    for m in COHORT:
        each = [gradient_of(place, config, before, [i]) for i in place.samples_of(m)]
        gradients.append(torch.stack(each).mean(0))
    average = torch.stack(gradients).T @ (torch.tensor(sizes) / sum(sizes))
    torch.testing.assert_close(rounds.vectors[0], before - RATE * average, rtol=1e-4, atol=1e-5)
    assert [report.client for report in reports] == COHORT


@pytest.mark.parametrize("algorithm", [LocalSgd(), FullGradient()], ids=["local", "full"])
@EACH_MODEL
def test_a_units_sum_is_that_of_its_clients_by_themselves(
    config: ModelConfig, algorithm: Algorithm
) -> None:
    place = workplace(config)
    sent = sent_of(place, algorithm)
    jobs = [Job(m, 0, (5, m), (float(m + 1),)) for m in COHORT]
    results = algorithm.work(place, dealt(jobs), {0: sent})
    total = torch.stack([result.sums for result in results]).sum(0)
    alone = sum(reply_of(algorithm, place, job, sent) for job in jobs)
    torch.testing.assert_close(total, alone, rtol=1e-4, atol=1e-5)
    losses = [report.loss for result in results for report in result.reports]
    for job, loss in zip(jobs, losses, strict=True):
        (result,) = algorithm.work(place, [Unit((job,), 1)], {0: sent})
        assert result.reports[0].loss == pytest.approx(loss, rel=1e-5)


@EACH_MODEL
def test_stale_and_fresh_models_mix_in_one_unit(config: ModelConfig) -> None:
    place = workplace(config)
    for algorithm in (LocalSgd(), FullGradient()):
        sent = {3: sent_of(place, algorithm, 1), 8: sent_of(place, algorithm, 2)}
        jobs = [Job(m, version, (5, m), (2.0,)) for m, version in ((4, 3), (8, 8), (1, 3))]
        (together,) = algorithm.work(place, [Unit(tuple(jobs), 3)], sent)
        alone = [algorithm.work(place, [Unit((job,), 1)], sent)[0].sums for job in jobs]
        torch.testing.assert_close(together.sums, sum(alone), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    ("algorithm", "config"),
    [
        (LocalSgd(), LINEAR),
        (LocalSgd(), MLP),
        (FullGradient(), LINEAR),
        (FedProx(), LINEAR),
        (Scaffold(), LINEAR),
    ],
    ids=["local", "together", "full", "fedprox", "scaffold"],
)
def test_who_goes_too_far_is_named_and_left_out(algorithm: Algorithm, config: ModelConfig) -> None:
    """Client 2 has one sample, and a large one; the sum is that of the others."""
    free = workplace(config, diligence=Diligence(0.3, 4, largest_update=1e6))
    free.train.inputs[free.samples_of(2)] = 255
    sent = sent_of(free, algorithm)
    share = (2.0, 1.0)[: algorithm.num_replies]
    norms = {
        m: float(reply_of(algorithm, free, job, sent)[0].norm() / share[0])
        for m, job in zip(COHORT, jobs_of(COHORT, share), strict=True)
    }
    worst = max(norms, key=norms.__getitem__)
    bound = (norms[worst] + max(norm for m, norm in norms.items() if m != worst)) / 2
    strict = dataclasses.replace(free, diligence=Diligence(0.3, 4, largest_update=bound))
    # In a union what counts is the sum.
    cohort = [worst] if isinstance(algorithm, FullGradient) else COHORT
    results = algorithm.work(strict, [Unit(tuple(jobs_of(cohort, share)), 9)], {0: sent})
    (result,) = results
    refused = {report.client: report.refused for report in result.reports if report.refused}
    assert refused == {worst: f"its update has norm {norms[worst]:.3g}, more than {bound:g}"}
    others = [
        reply_of(algorithm, free, j, sent) for j in jobs_of(cohort, share) if j.client != worst
    ]
    expected = torch.stack(others).sum(0) if others else torch.zeros_like(result.sums)
    torch.testing.assert_close(result.sums, expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("algorithm", [LocalSgd(), FullGradient(), FedProx(), Scaffold()])
def test_a_model_of_nothing_but_nan_gives_no_update(algorithm: Algorithm) -> None:
    place = workplace(MLP)
    sent = torch.full_like(sent_of(place, algorithm), torch.nan)
    share = (2.0, 1.0)[: algorithm.num_replies]
    results = algorithm.work(place, dealt(jobs_of(COHORT, share)), {0: sent})
    for result in results:
        assert (result.sums == 0).all()
        assert {report.refused for report in result.reports} == {"its update is not finite"}


def test_what_a_refused_client_keeps_is_what_it_had() -> None:
    place = workplace()
    bad = torch.tensor([[1.0, 2.0], [torch.nan, 0.0]])
    for own in (None, (np.ones(3),)):
        adding = Adding(place)
        job = Job(4, 0, (0,), (1.0, 1.0), own)
        adding.add(job, (bad, 0.5, (np.zeros(3),)))
        result = adding.result(Unit((job,), 1))
        assert result.reports[0].own is own
        assert result.reports[0].refused == "its reply is not finite"
        assert (result.sums == 0).all()


def test_one_by_one_gives_each_its_version_and_the_size_of_the_cohort() -> None:
    place = workplace()
    sent = {1: torch.ones(2, 3), 6: torch.full((2, 3), 10.0)}
    seen = []

    def reply(_: Workplace, job: Job, vectors: Tensor, size: int) -> tuple[Tensor, float, None]:
        seen.append((job.client, size))
        return vectors.clone(), 0.5, None

    unit = Unit((Job(0, 1, (0,), (2.0, 1.0)), Job(1, 6, (1,), (3.0, 0.5))), cohort_size=7)
    (result,) = one_by_one(place, [unit], sent, reply)
    assert seen == [(0, 7), (1, 7)]
    assert result.sums.tolist() == [[32.0] * 3, [6.0] * 3]
