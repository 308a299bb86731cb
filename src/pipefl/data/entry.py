"""What the catalogue knows of a dataset, and what a user may choose about it."""

from collections.abc import Callable
from dataclasses import dataclass

from pipefl.data.federated import FederatedDataset, Kind
from pipefl.data.sources import Part


@dataclass(frozen=True, kw_only=True)
class Choices:
    """A user's choices; None is what is natural for the dataset.

    `partition` says who has which samples, and `num_clients` how many clients there are.
    `count` is what n_m counts, of text only: snippets or sequences. Of the test samples,
    `test_samples` are drawn once, with a seed that is always 0, so that all runs are judged
    alike; `seed` is for the partition.
    """

    partition: str | None = None
    num_clients: int | None = None
    count: str | None = None
    test_samples: int | None = None
    seed: int = 0


@dataclass(frozen=True, eq=False)
class DatasetEntry:
    """A dataset by its name: a line about it, the parts that it needs all of, its loader."""

    name: str
    about: str
    kind: Kind
    parts: tuple[Part, ...]
    load: Callable[[Choices], FederatedDataset]
