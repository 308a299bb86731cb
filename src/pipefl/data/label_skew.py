"""Samples dealt out so that clients differ in their labels."""

import numpy as np
from numpy.typing import NDArray

from pipefl.data.dealing import (
    Partition,
    even_offsets,
    offsets,
    refuse_more_parts_than_samples,
)
from pipefl.randomness import generator


def deal_shards(
    labels: NDArray[np.integer], num_clients: int, per_client: int, seed: int
) -> Partition:
    """Samples sorted by label, cut into equal shards, a few shards to each client.

    McMahan et al., "Communication-efficient learning of deep networks from decentralized
    data", AISTATS 2017: 200 shards of 300 digits, two for each of 100 clients, so that most
    clients have two digits only. Here shards differ by one sample where they must. All
    samples are dealt, each once. O(S log S).

    >>> labels = np.array([1, 0, 1, 0, 2, 2])
    >>> dealt = deal_shards(labels, num_clients=3, per_client=1, seed=0)
    >>> labels[dealt.order].reshape(3, 2)
    array([[2, 2],
           [1, 1],
           [0, 0]])
    """
    num_shards = num_clients * per_client
    refuse_more_parts_than_samples("num_clients", num_clients, num_shards, labels.size)
    rng = generator(seed, "partition")
    owner_of_shard = np.repeat(np.arange(num_clients), per_client)[rng.permutation(num_shards)]
    owner = np.repeat(owner_of_shard, np.diff(even_offsets(labels.size, num_shards)))
    return _gathered(_shuffled_by_label(labels, rng), owner, num_clients, rng)


def deal_dirichlet(
    labels: NDArray[np.integer], num_clients: int, alpha: float, seed: int
) -> Partition:
    r"""Clients of equal size whose shares of the labels come from a Dirichlet distribution.

    .. math:: q_m \sim \mathrm{Dir}(\alpha p), \qquad y_{m,j} \sim q_m

    Hsu, Qi and Brown, "Measuring the effects of non-identical data distribution for
    federated visual classification", 2019.

    Legend: p the labels' shares of all samples; α how alike the clients are: towards 0 each
    has one label, towards infinity all have the shares p; q_m the shares of client m. Much
    code elsewhere writes Dir(α) for α in each of C entries: that is α C here.

    Samples are drawn without replacement. When a label runs out, clients go on drawing from
    their other labels in the same proportion, so the last clients take what is left. All
    samples are dealt, each once, and sizes differ by 1 at most. O(S log S + M C).

    >>> dealt = deal_dirichlet(np.arange(1000) % 2, num_clients=4, alpha=0.01, seed=0)
    >>> [int(part.sum()) for part in (dealt.order % 2).reshape(4, 250)]
    [250, 0, 0, 250]
    """
    refuse_more_parts_than_samples("num_clients", num_clients, num_clients, labels.size)
    rng = generator(seed, "partition")
    stock = np.bincount(labels)
    stock = stock[stock > 0]
    concentration = alpha * (stock / labels.size)
    sizes = np.diff(even_offsets(labels.size, num_clients))
    num_of_label = np.empty((num_clients, stock.size), np.int64)
    for m, share in enumerate(rng.dirichlet(concentration, num_clients)):
        num_of_label[m] = _drawn(int(sizes[m]), share, stock, concentration, rng)
        stock -= num_of_label[m]
    clients = np.tile(np.arange(num_clients), num_of_label.shape[1])
    owner = np.repeat(clients, num_of_label.T.ravel())
    return _gathered(_shuffled_by_label(labels, rng), owner, num_clients, rng)


def _drawn(
    size: int,
    share: NDArray[np.float64],
    stock: NDArray[np.int64],
    concentration: NDArray[np.float64],
    rng: np.random.Generator,
) -> NDArray[np.int64]:
    """How many of each label a client draws, from what is left of them.

    Draws of a label that has run out are made again among the others, which is the same as
    drawing one by one and is done after as many rounds as there are labels.
    """
    taken = np.zeros(stock.size, np.int64)
    while (missing := size - int(taken.sum())) > 0:
        left = taken < stock
        chance = np.where(left, share, 0.0)
        if chance.sum() == 0:  # a client of labels that have all run out: a new share of the rest
            chance[left] = rng.dirichlet(concentration[left])
        draw = rng.multinomial(missing, chance / chance.sum())
        taken = np.minimum(taken + draw, stock)
    return taken


def _shuffled_by_label(labels: NDArray[np.integer], rng: np.random.Generator) -> NDArray[np.int64]:
    """All indices, label after label, in random order within each."""
    shuffled = rng.permutation(labels.size)
    return shuffled[np.argsort(labels[shuffled], kind="stable")]


def _gathered(
    index: NDArray[np.int64], owner: NDArray[np.int64], num_clients: int, rng: np.random.Generator
) -> Partition:
    """Client after client; each client's samples in random order, not label after label."""
    shuffled = rng.permutation(index.size)
    by_owner = shuffled[np.argsort(owner[shuffled], kind="stable")]
    return Partition(index[by_owner], offsets(np.bincount(owner, minlength=num_clients)))
