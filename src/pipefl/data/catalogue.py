"""All datasets by name."""

from difflib import get_close_matches

from pipefl.checks import count as checked_count
from pipefl.data.entry import Choices, DatasetEntry
from pipefl.data.federated import FederatedDataset
from pipefl.data.image_catalogue import IMAGES
from pipefl.data.text_catalogue import TEXTS
from pipefl.errors import ArgumentError

DATASETS: dict[str, DatasetEntry] = {**IMAGES, **TEXTS}


def load_dataset(
    name: str,
    *,
    partition: str | None = None,
    num_clients: int | None = None,
    count: str | None = None,
    test_samples: int | None = None,
    seed: int = 0,
) -> FederatedDataset:
    """The dataset of this name, from the files below `pipefl.data.folder.data_folder()`.

    `partition` and `num_clients` are what is natural for the dataset unless given: the
    paper's 1,500 clients of MNIST, or everyone who wrote or spoke. Of a natural split,
    `num_clients` is a subset drawn at random by `seed`; otherwise `seed` is what deals the
    samples. `count` is what n_m counts, of text only: "snippets" or "sequences".
    `test_samples` is how many test samples there are, drawn once for all seeds; None is all.

    >>> dataset = load_dataset("mnist-subset", partition="iid", num_clients=10)
    >>> dataset.num_clients, dataset.kind
    (10, 'images')
    """
    if name not in DATASETS:
        raise ArgumentError("dataset", name, nearest_dataset(name))
    if num_clients is not None:
        checked_count("num_clients", num_clients)
    if test_samples is not None:
        checked_count("test_samples", test_samples)
    checked_count("seed", seed, minimum=0)
    entry = DATASETS[name]
    if count is not None and entry.kind != "text":
        raise ArgumentError("count", count, f"it is for datasets of text, and {name} is not one")
    choices = Choices(
        partition=partition,
        num_clients=num_clients,
        count=count,
        test_samples=test_samples,
        seed=seed,
    )
    return entry.load(choices)


def nearest_dataset(name: str) -> str:
    """What would do instead of this name."""
    close = get_close_matches(name, DATASETS, n=1, cutoff=0.5)
    hint = f"did you mean {close[0]}? " if close else ""
    return f"{hint}the datasets are {', '.join(DATASETS)}"
