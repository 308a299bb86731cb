"""What the training benchmarks train: the paper's models, on its data where those are here."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from pipefl.data.federated import FederatedDataset, Samples
from pipefl.data.mapping import mapped_array
from pipefl.errors import MissingFileError
from pipefl.models.catalogue import ModelConfig
from pipefl.policies.step import Step
from pipefl.recipes.catalogue import recipe_config
from pipefl.runs.config import DataConfig, RunConfig
from pipefl.runs.overrides import with_overrides
from pipefl.train.assembly import Assembly, assembled, load_run_dataset
from pipefl.train.executors.by_name import executor_by_name
from pipefl.train.training import Training
from reference_loop import ReferenceLoop, reference_loop

RECIPES = {"CNN": "mnist-cnn", "MLP": "mnist-mlp", "LSTM": "shakespeare-lstm"}
BATCH_SIZE = 16
NEVER = 10**9
UNJUDGED: Mapping[str, object] = {"evaluate_every": NEVER, "max_rounds": NEVER}


@dataclass(frozen=True, eq=False)
class Case:
    """A model to train, with data; `source` says which."""

    config: RunConfig
    data: FederatedDataset

    @property
    def source(self) -> str:
        """The data in a line."""
        return f"{self.data.source}; {self.data.num_clients:,} clients"

    def assembled(self, **overrides: object) -> Assembly:
        """All parts of its training."""
        return assembled(with_overrides(self.config, overrides), self.data)

    def reference(self) -> ReferenceLoop:
        """The plain loop from the same data."""
        config = self.config
        named = self.assembled().model.model
        assert isinstance(named, ModelConfig)
        return reference_loop(named, self.data, config.learning_rate, config.batch_size)


def case(model: str, clients_a_round: int, *, small: bool = False) -> Case:
    """CNN, MLP or LSTM, with rounds of uniformly drawn clients and batches of 16.

    Where the paper's data are not here, or for a `small` case, images are those that come
    with PipeFL, and text is random.
    """
    base = recipe_config(f"{RECIPES[model]}-k1-n{clients_a_round}")
    config = with_overrides(base, {"batch_size": BATCH_SIZE})
    try:
        if not small:
            return Case(config, load_run_dataset(config))
    except MissingFileError:
        pass
    if model == "LSTM":
        return Case(config, random_text())
    small_config = config.model_copy(update={"dataset": "mnist-subset", "data": DataConfig()})
    return Case(small_config, load_run_dataset(small_config))


@contextmanager
def training(parts: Assembly) -> Iterator[tuple[Training, Iterator[Step]]]:
    """A training on the executor that the configuration names, and the steps for it."""
    config = parts.config
    executor = executor_by_name(
        config.executor, parts.place, parts.algorithm, parts.model, config.workers
    )
    try:
        yield Training(parts, executor), parts.schedule.steps(parts.scene, config.seed)
    finally:
        executor.close()


def random_text() -> FederatedDataset:
    """64 clients of 10 to 70 sequences of 80 random characters."""
    rng = np.random.default_rng(0)
    offset = np.concatenate([[0], np.cumsum(rng.integers(10, 71, 64))])
    text = rng.integers(1, 87, (int(offset[-1]), 81), dtype=np.uint8)
    samples = Samples(text[:, :-1].copy(), text[:, 1:].copy())
    names = np.array([str(m) for m in range(64)], object)
    return FederatedDataset(
        "random-text", "text", "random characters", samples, offset, samples[:100], 90, names
    )


def blank_images(num_clients: int, num_images: int) -> FederatedDataset:
    """Clients of so many images each, in memory that other processes can map."""
    images = mapped_array((num_clients * num_images, 28, 28), np.uint8)
    images[:] = 1  # an array of zeros takes no memory
    samples = Samples(images, mapped_array(len(images), np.uint8))
    offset = np.arange(num_clients + 1) * num_images
    names = np.array([str(m) for m in range(num_clients)], object)
    return FederatedDataset(
        "blank", "images", "blank images", samples, offset, samples[:64], 10, names
    )
