"""Samples dealt out to clients without a look at their labels."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from pipefl.errors import ArgumentError
from pipefl.randomness import generator


@dataclass(frozen=True, eq=False)
class Partition:
    """Who has which samples: client m those of indices `order[offset[m] : offset[m + 1]]`.

    `notes` say what is out of the ordinary: samples dealt twice, or to nobody.
    """

    order: NDArray[np.int64]
    offset: NDArray[np.int64]
    notes: dict[str, str] = field(default_factory=dict)


def deal_sizes(num_samples: int, num_clients: int, low: int, high: int, seed: int) -> Partition:
    r"""Clients of n_m samples, n_m uniform on the whole numbers from LOW to HIGH.

    .. math:: n_m \sim \mathcal{U}\{\text{low}, \dots, \text{high}\}, \qquad
        i_{m,j} = \sigma\bigl((n_0 + \dots + n_{m-1} + j) \bmod S\bigr)

    Paper: sec:simulations, M = 1500 clients with 10 to 70 images of MNIST each.

    Legend: S samples; σ one random order of them. The sizes may well add up to more than S
    (60,000 images are just the mean of the paper's). The order is then gone through again
    from its start, so that no client is left empty; `notes["repeats"]` counts what is dealt
    again. As no n_m is above S, no client has a sample twice. O(S + Σ n_m).

    >>> dealt = deal_sizes(10, num_clients=3, low=4, high=4, seed=0)
    >>> dealt.offset, dealt.notes
    (array([ 0,  4,  8, 12]), {'repeats': '2 of the 12 samples dealt are repeats of the 10'})
    """
    # The sizes of `samples:LOW:HIGH:SECONDS` in pipefl.devices come from the same generator:
    # with the same seed, a plan made there is a plan for these clients.
    sizes = generator(seed, "compute times").integers(low, high, num_clients, endpoint=True)
    offset = offsets(sizes)
    total = int(offset[-1])
    shuffled = generator(seed, "partition").permutation(num_samples)
    notes = {}
    if total > num_samples:
        text = f"{total - num_samples:,} of the {total:,} samples dealt are repeats of the"
        notes["repeats"] = f"{text} {num_samples:,}"
    elif total < num_samples:
        notes["unused"] = f"{num_samples - total:,} of the {num_samples:,} samples are nobody's"
    return Partition(np.resize(shuffled, total), offset, notes)


def deal_evenly(num_samples: int, num_clients: int, seed: int) -> Partition:
    """All samples in random order, in parts whose sizes differ by 1 at most. O(S + M).

    >>> deal_evenly(10, num_clients=4, seed=0).offset
    array([ 0,  2,  5,  7, 10])
    """
    refuse_more_parts_than_samples("num_clients", num_clients, num_clients, num_samples)
    shuffled = generator(seed, "partition").permutation(num_samples)
    return Partition(shuffled, even_offsets(num_samples, num_clients))


def offsets(sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where parts of these sizes begin, and where the last one ends."""
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes, dtype=np.int64)])


def even_offsets(num_samples: int, num_parts: int) -> NDArray[np.int64]:
    """The offsets of parts whose sizes differ by 1 at most."""
    return np.arange(num_parts + 1, dtype=np.int64) * num_samples // num_parts


def refuse_more_parts_than_samples(
    name: str, value: object, num_parts: int, num_samples: int
) -> None:
    """Complain of parts that cannot all have a sample."""
    if num_parts > num_samples:
        text = f"that makes {num_parts:,} parts, of which none may be empty"
        raise ArgumentError(name, value, f"{text}, and there are {num_samples:,} samples")
