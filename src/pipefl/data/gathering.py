"""Samples brought into the order of their clients, so that a client is a slice of them."""

import numpy as np
from numpy.typing import NDArray

from pipefl.checks import count
from pipefl.data.dealing import offsets
from pipefl.data.federated import Samples
from pipefl.data.mapping import mapped_array
from pipefl.errors import ArgumentError
from pipefl.randomness import generator

NATURAL = "natural"


def gathered(samples: Samples, order: NDArray[np.int64]) -> Samples:
    """The samples of these indices, in memory that other processes can map. O(bytes).

    >>> images = Samples(np.arange(3, dtype=np.uint8), np.array([7, 8, 9], np.uint8))
    >>> gathered(images, np.array([2, 0, 2])).targets
    array([9, 7, 9], dtype=uint8)
    """
    return Samples(_taken(samples.inputs, order), _taken(samples.targets, order))


def _taken(array: NDArray[np.generic], order: NDArray[np.int64]) -> NDArray[np.generic]:
    if array.shape[0] == 0 and order.size:
        raise ValueError("there is nothing to take samples from")
    out = mapped_array((order.size, *array.shape[1:]), array.dtype)
    # With the default mode="raise" numpy would gather into a copy of `out` first.
    return np.take(array, order, axis=0, out=out, mode="clip")


def stacked(parts: list[Samples]) -> tuple[Samples, NDArray[np.int64]]:
    """Parts one after the other, at least one, and the offsets where each begins. O(bytes).

    The list is emptied: parts are freed as they are copied, so that memory never holds all
    samples twice.

    >>> samples, offset = stacked([Samples(np.full(n, n), np.full(n, -n)) for n in (1, 2)])
    >>> samples.inputs, offset
    (array([1, 2, 2]), array([0, 1, 3]))
    """
    offset = offsets(np.array([len(part) for part in parts]))
    inputs, targets = (
        mapped_array((int(offset[-1]), *array.shape[1:]), array.dtype)
        for array in (parts[0].inputs, parts[0].targets)
    )
    parts.reverse()
    for begin in offset[:-1].tolist():
        part = parts.pop()
        inputs[begin : begin + len(part)] = part.inputs
        targets[begin : begin + len(part)] = part.targets
    return Samples(inputs, targets), offset


def slices(offset: NDArray[np.int64], clients: NDArray[np.int64]) -> NDArray[np.int64]:
    """The indices of these clients' samples, client after client. O(samples).

    >>> slices(np.array([0, 2, 3, 6]), np.array([0, 2]))
    array([0, 1, 3, 4, 5])
    """
    sizes: NDArray[np.int64] = np.diff(offset)[clients]
    # Each index is its place in the result, moved by how far its client has moved.
    moved: NDArray[np.int64] = offset[clients] - (np.cumsum(sizes) - sizes)
    return np.repeat(moved, sizes) + np.arange(int(sizes.sum()))


def some_clients(num_clients: int | None, there_are: int, seed: int) -> NDArray[np.int64]:
    """All clients of a natural split, or this many of them, drawn at random.

    >>> some_clients(None, 3, seed=0)
    array([0, 1, 2])
    """
    if num_clients is None:
        return np.arange(there_are, dtype=np.int64)
    checked = count("num_clients", num_clients, maximum=there_are)
    drawn = generator(seed, "clients").choice(there_are, checked, replace=False)
    return np.sort(drawn).astype(np.int64)


def some_test_samples(test: Samples, test_samples: int | None) -> Samples:
    """All test samples, or this many of them; the same ones whatever a run's seed is."""
    if test_samples is None:
        return test
    checked = count("test_samples", test_samples, maximum=len(test))
    drawn = generator(0, "test samples").choice(len(test), checked, replace=False)
    return gathered(test, np.sort(drawn))


def refuse_partition(dataset: str, partition: str | None) -> None:
    """Complain of a partition of what is divided already."""
    if partition not in (None, NATURAL):
        accepted = f"the clients of {dataset} are people: it must be {NATURAL!r} or left out"
        raise ArgumentError("partition", partition, accepted)
