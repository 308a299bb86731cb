"""The work: pipefl's digits and CNN, one client's part at a time."""

from dataclasses import dataclass
from time import sleep

import numpy as np
from flwr.app import ArrayRecord, Context, MetricRecord, UserConfig
from torch import Tensor

from pipefl.data.federated import FederatedDataset
from pipefl.errors import ArgumentError
from pipefl.flower.replies import arrays_of, record_of
from pipefl.models.model import Model
from pipefl.runs.config import DataConfig, RunConfig
from pipefl.train.algorithms.local_sgd import LocalSgd
from pipefl.train.assembly import load_run_dataset, model_settings
from pipefl.train.executors.executor import one_thread
from pipefl.train.work import Job, dealt
from pipefl.train.workplace import Diligence, Workplace


def described(settings: UserConfig) -> RunConfig:
    """What is learned and how, in the words of a simulated run: `pipefl run` could do the same."""
    return RunConfig(
        seed=int(settings["seed"]),
        dataset=str(settings["dataset"]),
        data=DataConfig(num_clients=int(settings["num-clients"])),
        model=str(settings["model"]),
        learning_rate=float(settings["learning-rate"]),
        batch_size=int(settings["batch-size"]),
        local_epochs=int(settings["local-epochs"]),
        num_clusters=1,  # the schedule is the PlanConfig's
        evaluation="full",
    )


@dataclass(frozen=True, eq=False)
class Task:
    """The model and all data; a client touches its own part only."""

    config: RunConfig
    model: Model
    data: FederatedDataset

    @classmethod
    def of(cls, settings: UserConfig) -> "Task":
        """The task of a run with these settings."""
        config = described(settings)
        data = load_run_dataset(config)
        return cls(config, model_settings(config, data).build(), data)

    def initial(self) -> ArrayRecord:
        """The arrays to begin with."""
        return record_of(self.model.layout.named(self.model.initial(self.config.seed)))

    def trained(self, client: int, record: ArrayRecord, round_: int) -> tuple[ArrayRecord, float]:
        """A client's model after its local epochs, and its mean loss on the way."""
        weights = self._weights(record)
        job = Job(client, version=0, key=(round_ - 1, client, 0), share=(1.0,))
        with one_thread():
            (result,) = LocalSgd().work(self._place(), dealt([job]), {0: weights.unsqueeze(0)})
        changed = weights + result.sums[0]
        return record_of(self.model.layout.named(changed)), result.reports[0].loss

    def judged(self, record: ArrayRecord) -> MetricRecord:
        """How many of the test images a model knows."""
        place, weights = self._place(), self._weights(record)
        judgement = place.judged(weights, np.arange(len(self.data.test)))
        share = judgement.num_correct / judgement.num_judged
        return MetricRecord({"accuracy": share, "num-examples": judgement.num_judged})

    def num_samples(self, client: int) -> int:
        """n_m."""
        return int(self.data.num_samples[client])

    def _weights(self, record: ArrayRecord) -> Tensor:
        return self.model.layout.flat(arrays_of(record))

    def _place(self) -> Workplace:
        config, data = self.config, self.data
        diligence = Diligence(
            learning_rate=config.learning_rate,
            batch_size=config.batch_size,
            local_epochs=config.local_epochs,
            seed=config.seed,
        )
        return Workplace(self.model, data.train, data.offset, data.test, diligence)


def partition_of(context: Context, task: Task) -> int:
    """Which client of the data this node is."""
    partition = int(context.node_config["partition-id"])
    if not 0 <= partition < task.data.num_clients:
        accepted = f"the data is dealt to num-clients = {task.data.num_clients}"
        raise ArgumentError("partition-id", partition, accepted)
    return partition


def be_slow(settings: UserConfig, num_samples: int) -> None:
    """Take as long as a slower device would."""
    sleep(float(settings["extra-seconds-per-sample"]) * num_samples)
