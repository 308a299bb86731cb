"""Partitions of a dataset among clients, given by name."""

from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches

import numpy as np
from numpy.typing import NDArray

from pipefl.checks import count, positive
from pipefl.data.dealing import Partition, deal_evenly, deal_sizes
from pipefl.data.label_skew import deal_dirichlet, deal_shards
from pipefl.errors import ArgumentError

Labels = NDArray[np.integer]
Deal = Callable[["Request", Labels, int, int], Partition]


@dataclass(frozen=True)
class Request:
    """A partition's text and the numbers in it, still to be read."""

    text: str
    numbers: tuple[str, ...]


@dataclass(frozen=True)
class Scheme:
    """A named way to deal samples: what its numbers are and how it deals."""

    parameters: tuple[str, ...]
    deal: Deal

    def pattern(self, name: str) -> str:
        """How the scheme is written, such as `sizes:LOW:HIGH`."""
        return ":".join((name, *self.parameters))


def draw_partition(text: str, labels: Labels, num_clients: int, seed: int = 0) -> Partition:
    """Deal samples to clients by a scheme written as `name:number…`.

    ======================  ============================================================
    scheme                  deals
    ======================  ============================================================
    `sizes:LOW:HIGH`        n_m uniform on the whole numbers LOW … HIGH, samples at random,
                            dealt again from the start when all are dealt (the paper's)
    `iid`                   all samples at random, in sizes that differ by 1 at most
    `dirichlet:ALPHA`       equal sizes, shares of the labels from Dir(ALPHA · p)
    `shards:PER_CLIENT`     sorted by label, cut into shards, PER_CLIENT of them each
    ======================  ============================================================

    A partition is a pure function of text, labels, num_clients and seed; no client is empty.

    >>> dealt = draw_partition("iid", np.array([7, 7, 8, 8, 9]), num_clients=2)
    >>> np.sort(dealt.order), dealt.offset
    (array([0, 1, 2, 3, 4]), array([0, 2, 5]))
    """
    name, *numbers = text.split(":")
    if name not in SCHEMES:
        raise ArgumentError("partition", text, _nearest(name))
    scheme = SCHEMES[name]
    if len(numbers) != len(scheme.parameters):
        raise ArgumentError("partition", text, f"it must have the form {scheme.pattern(name)}")
    clients = count("num_clients", num_clients)
    return scheme.deal(Request(text, tuple(numbers)), labels, clients, seed)


def _nearest(name: str) -> str:
    close = get_close_matches(name, SCHEMES, n=1, cutoff=0.5)
    hint = f"did you mean {close[0]}? " if close else ""
    patterns = ", ".join(scheme.pattern(name) for name, scheme in SCHEMES.items())
    return f"{hint}the partitions are {patterns}"


def _sizes(request: Request, labels: Labels, num_clients: int, seed: int) -> Partition:
    # No more than all samples: a client would have one twice.
    low, high = (
        count(f"{parameter} of {request.text!r}", _whole(given), maximum=labels.size)
        for parameter, given in zip(("LOW", "HIGH"), request.numbers, strict=True)
    )
    if high < low:
        raise ArgumentError("partition", request.text, "the larger number must come second")
    return deal_sizes(labels.size, num_clients, low, high, seed)


def _iid(request: Request, labels: Labels, num_clients: int, seed: int) -> Partition:
    del request
    return deal_evenly(labels.size, num_clients, seed)


def _dirichlet(request: Request, labels: Labels, num_clients: int, seed: int) -> Partition:
    alpha = positive(f"ALPHA of {request.text!r}", _real(request.numbers[0]), "units")
    return deal_dirichlet(labels, num_clients, alpha, seed)


def _shards(request: Request, labels: Labels, num_clients: int, seed: int) -> Partition:
    per_client = count(f"PER_CLIENT of {request.text!r}", _whole(request.numbers[0]))
    return deal_shards(labels, num_clients, per_client, seed)


def _whole(text: str) -> int | str:
    """The number, or the text that is none, for the complaint."""
    try:
        return int(text)
    except ValueError:
        return text


def _real(text: str) -> float | str:
    """The same for a number that need not be whole."""
    try:
        return float(text)
    except ValueError:
        return text


SCHEMES = {
    "sizes": Scheme(("LOW", "HIGH"), _sizes),
    "iid": Scheme((), _iid),
    "dirichlet": Scheme(("ALPHA",), _dirichlet),
    "shards": Scheme(("PER_CLIENT",), _shards),
}
