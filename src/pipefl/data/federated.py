"""What every federated dataset is: flat arrays, and where each client's part begins."""

from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from pipefl.checks import count
from pipefl.errors import PipeflError

Kind = Literal["images", "text"]


@dataclass(frozen=True, eq=False)
class Samples:
    """S inputs and their targets, sample after sample.

    ========  =======================================  ==================================
    kind      inputs                                   targets
    ========  =======================================  ==================================
    images    S × 28 × 28 uint8, ink 255 on paper 0    S classes, uint8
    text      S × 80 token ids, uint8, 0 is padding    S × 80 ids of the token that follows
    ========  =======================================  ==================================

    The arrays may be memory-mapped; nobody writes to them.
    """

    inputs: NDArray[Any]
    targets: NDArray[Any]

    def __post_init__(self) -> None:
        if len(self.inputs) != len(self.targets):
            text = f"{len(self.inputs):,} inputs and {len(self.targets):,} targets"
            raise PipeflError(f"samples need a target for every input; there are {text}")

    def __len__(self) -> int:
        return len(self.inputs)

    def __getitem__(self, part: slice) -> "Samples":
        return Samples(self.inputs[part], self.targets[part])


@dataclass(frozen=True, eq=False)
class FederatedDataset:
    r"""M clients' samples in flat arrays: a client is a slice of them and never a copy.

    .. math:: \mathcal{D}_m = \{(x_i, y_i) : o_m \le i < o_{m+1}\}, \qquad
        n_m = o_{m+1} - o_m

    Legend: o `offset`, M + 1 values from 0 to S; n_m `num_samples`, which counts the
    samples unless it is given (of text, the snippets that the sequences were cut from).
    `client_id` has the M names. `source` says in a line what the data is, and is shown
    wherever the dataset appears; `notes` are further facts, such as the polarity that the
    files had. `num_classes` counts the classes, of text the token ids.

    >>> images = Samples(np.zeros((5, 28, 28), np.uint8), np.arange(5, dtype=np.uint8))
    >>> names = np.array(["ann", "bob"], object)
    >>> dataset = FederatedDataset("two", "images", "made up", images, np.array([0, 3, 5]),
    ...                            images, num_classes=10, client_id=names)
    >>> dataset.num_samples, dataset.client(1).targets
    (array([3, 2]), array([3, 4], dtype=uint8))
    """

    name: str
    kind: Kind
    source: str
    train: Samples
    offset: NDArray[np.int64]
    test: Samples
    num_classes: int
    client_id: NDArray[np.object_]
    counted: NDArray[np.int64] | None = None
    notes: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        sizes = np.diff(self.offset)
        if self.offset.size < 2 or self.offset[0] != 0 or self.offset[-1] != len(self.train):
            raise PipeflError(f"{self.name}: the clients' offsets must run from 0 to the samples'")
        counts = {"names": self.client_id.size, "sizes": self.num_samples.size}
        for what in (what for what, size in counts.items() if size != sizes.size):
            text = f"{counts[what]:,} {what} for {sizes.size:,} clients"
            raise PipeflError(f"{self.name}: {text}")
        fewest = np.minimum(sizes, self.num_samples)
        if fewest.min() < 1:
            # An empty client's average gradient would be 0/0.
            empty = self.client_id[int(np.argmin(fewest))]
            raise PipeflError(f"{self.name}: client {empty!r} has no samples")

    @property
    def num_clients(self) -> int:
        """M."""
        return self.offset.size - 1

    @property
    def num_samples(self) -> NDArray[np.int64]:
        """n_m: what compute times and weights in averages are in proportion to."""
        return np.diff(self.offset) if self.counted is None else self.counted

    def client(self, m: int) -> Samples:
        """The samples of client m, 0 ≤ m < M, as views."""
        number = count("client", m, minimum=0, maximum=self.num_clients - 1)
        return self.train[int(self.offset[number]) : int(self.offset[number + 1])]
