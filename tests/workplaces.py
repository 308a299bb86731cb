"""Small workplaces with made-up or real samples, and rounds of training without a clock."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import Tensor

from pipefl.data.federated import Samples
from pipefl.models.catalogue import ModelConfig, ModelSettings
from pipefl.models.cnn import CnnConfig
from pipefl.models.linear import LinearConfig
from pipefl.models.lstm import LstmConfig
from pipefl.models.mlp import MlpConfig
from pipefl.train.algorithms.algorithm import Algorithm
from pipefl.train.executors.executor import Executor
from pipefl.train.work import Job, Own, Report, dealt
from pipefl.train.workplace import Diligence, Workplace

SIZES = (3, 7, 1, 16, 20, 5, 2, 9, 33, 4, 6, 11)  # clients' samples
CLASSES, SIDE, LENGTH = 3, 6, 5

CNN = CnnConfig(filters=(2, 3), kernel_size=3, dense=6, num_classes=CLASSES, image_size=SIDE)
MLP = MlpConfig(hidden=(8,), num_classes=CLASSES, num_features=SIDE**2)
LINEAR = LinearConfig(num_classes=CLASSES, num_features=SIDE**2)
# Of these, clients with few samples are trained together.
WIDE_CNN = CnnConfig(filters=(2, 40), kernel_size=3, dense=64, num_classes=CLASSES, image_size=SIDE)
WIDE_MLP = MlpConfig(hidden=(64,), num_classes=CLASSES, num_features=SIDE**2)
LSTM = LstmConfig(vocabulary=11, embedding=3, hidden=4, layers=1)

DILIGENCE = Diligence(learning_rate=0.3, batch_size=4, local_epochs=2)


def settings_of(config: ModelConfig) -> ModelSettings:
    """What other processes build the same model from."""
    if isinstance(config, LstmConfig):
        return ModelSettings(
            model=config, kind="text", num_classes=config.vocabulary, example_shape=(LENGTH,)
        )
    return ModelSettings(model=config, num_classes=CLASSES, example_shape=(SIDE, SIDE))


def workplace(
    config: ModelConfig = LINEAR,
    diligence: Diligence = DILIGENCE,
    sizes: Sequence[int] = SIZES,
) -> Workplace:
    """Random samples, of a text with padding at the end of each sequence."""
    rng = np.random.default_rng(0)
    num = sum(sizes)
    if isinstance(config, LstmConfig):
        text = rng.integers(1, config.vocabulary, (num, LENGTH + 1)).astype(np.uint8)
        for row, length in zip(text, rng.integers(2, LENGTH + 2, num), strict=True):
            row[length:] = 0
        samples = Samples(text[:, :-1].copy(), text[:, 1:].copy())
    else:
        images = rng.integers(256, size=(num, SIDE, SIDE)).astype(np.uint8)
        samples = Samples(images, rng.integers(CLASSES, size=num).astype(np.uint8))
    offset = np.cumsum([0, *sizes])
    return Workplace(settings_of(config).build(), samples, offset, samples[:70], diligence)


@dataclass
class Rounds:
    """Plain averaging by numbers of samples, or sums where the algorithm wants them."""

    place: Workplace
    algorithm: Algorithm
    executor: Executor
    vectors: Tensor = field(init=False)
    own: dict[int, Own] = field(default_factory=dict)
    num_rounds: int = 0

    def __post_init__(self) -> None:
        model = self.place.model
        start = self.algorithm.start(model.num_parameters)
        self.vectors = torch.cat([model.initial(0).unsqueeze(0), start])

    def take(self, cohort: Sequence[int], *key: int) -> list[Report]:
        """One round of these clients; `key` goes before what else is in the jobs' keys."""
        sizes = np.diff(self.place.offset)
        shares = [1.0 if self.algorithm.additive else float(sizes[m]) for m in cohort]
        jobs = [
            Job(
                m,
                self.num_rounds,
                (*key, self.num_rounds, m),
                (share, *self.algorithm.own_share(int(sizes[m]), int(sizes.sum()))),
                self.own.get(m),
            )
            for m, share in zip(cohort, shares, strict=True)
        ]
        self.executor.publish(self.num_rounds, self.vectors)
        results = self.executor.work(dealt(jobs))
        self.executor.forget(self.num_rounds)
        self.num_rounds += 1
        reports = [report for result in results for report in result.reports]
        self.own |= {report.client: report.own for report in reports if report.own is not None}
        used = [
            share for share, report in zip(shares, reports, strict=True) if report.refused is None
        ]
        if used:
            total = torch.stack([result.sums for result in results]).sum(0)
            total[0] /= 1.0 if self.algorithm.additive else sum(used)
            after = self.algorithm.after(self.vectors[1:], total)
            self.vectors = torch.cat([(self.vectors[0] + total[0]).unsqueeze(0), after])
        return reports
