"""Clients that are trained together in a unit, against each by itself."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pytest
import torch
from torch import Tensor

from pipefl.models.catalogue import ModelConfig
from pipefl.models.mlp import MlpConfig
from pipefl.train.algorithms.descent import descended
from pipefl.train.algorithms.local_sgd import LocalSgd
from pipefl.train.executors.executor import one_thread
from pipefl.train.work import Job, Unit, UnitResult
from pipefl.train.workplace import Diligence, Workplace
from workplaces import CLASSES, DILIGENCE, SIDE, SIZES, WIDE_CNN, WIDE_MLP, workplace

ALL = list(range(len(SIZES)))
EACH_MODEL = pytest.mark.parametrize("config", [WIDE_MLP, WIDE_CNN], ids=["mlp", "cnn"])


@pytest.fixture(autouse=True)
def _one_thread() -> Iterator[None]:
    with one_thread():
        yield


def num_together(place: Workplace) -> int:
    """How many clients have so few samples that they may be trained with others."""
    assert place.model.joint is not None
    rows = np.array(SIZES) * place.diligence.local_epochs
    return int((rows <= place.model.joint.most_rows).sum())


def models_of(place: Workplace, *versions: int) -> dict[int, Tensor]:
    return {version: place.model.initial(version).unsqueeze(0) for version in versions}


def jobs_of(clients: Sequence[int], versions: Sequence[int]) -> list[Job]:
    return [
        Job(m, versions[turn % len(versions)], (5, m), (float(m + 1),))
        for turn, m in enumerate(clients)
    ]


def worked(place: Workplace, jobs: Sequence[Job], sent: Mapping[int, Tensor]) -> UnitResult:
    (result,) = LocalSgd().work(place, [Unit(tuple(jobs), len(jobs))], sent)
    return result


@EACH_MODEL
@pytest.mark.parametrize("versions", [[3], [3, 8, 3]], ids=["one version", "two versions"])
@pytest.mark.parametrize(
    "diligence",
    [DILIGENCE, Diligence(0.3, batch_size=10**9), Diligence(0.3, batch_size=5, local_epochs=4)],
    ids=["two epochs", "one batch", "four epochs"],
)
def test_a_unit_comes_to_what_its_clients_come_to_by_themselves(
    config: ModelConfig, versions: list[int], diligence: Diligence
) -> None:
    place = workplace(config, diligence)
    assert 8 < num_together(place) <= len(ALL)  # more than go together at once
    sent, jobs = models_of(place, 3, 8), jobs_of(ALL[::-1], versions)
    result = worked(place, jobs, sent)
    alone = [descended(place, job, sent[job.version][0]) for job in jobs]
    expected = torch.stack(
        [job.share[0] * change for job, (change, _) in zip(jobs, alone, strict=True)]
    )
    torch.testing.assert_close(result.sums, expected.sum(0), rtol=1e-4, atol=1e-4)
    assert [report.client for report in result.reports] == ALL[::-1]
    losses = [report.loss for report in result.reports]
    assert losses == pytest.approx([loss for _, loss in alone], rel=1e-5)


@EACH_MODEL
def test_clients_with_a_broken_model_are_refused_and_the_others_not(config: ModelConfig) -> None:
    place = workplace(config)
    sent = models_of(place, 3, 8)
    sent[8] = torch.full_like(sent[8], torch.nan)
    jobs = jobs_of(ALL, [3, 8])
    whole = [job for job in jobs if job.version == 3]
    result = worked(place, jobs, sent)
    refused = [report.client for report in result.reports if report.refused]
    assert refused == [job.client for job in jobs if job.version == 8]
    assert torch.equal(result.sums, worked(place, whole, sent).sums)


def test_a_model_without_wide_layers_is_trained_client_by_client() -> None:
    place = workplace(MlpConfig(hidden=(), num_classes=CLASSES, num_features=SIDE**2))
    sent, jobs = models_of(place, 3), jobs_of(ALL, [3])
    expected = [job.share[0] * descended(place, job, sent[3][0])[0] for job in jobs]
    result = worked(place, jobs, sent)
    torch.testing.assert_close(result.sums, torch.stack(expected).sum(0), rtol=1e-4, atol=1e-4)
