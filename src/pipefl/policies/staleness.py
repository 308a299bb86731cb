"""How old updates get when a fixed number of clients is always out."""

import numpy as np
from numpy.typing import NDArray

from pipefl.checks import count
from pipefl.errors import PipeflError
from pipefl.policies.scene import Scene

_ROUNDING = 1e-9  # times add up with errors: what is equal to within them may come in any order


def mean_staleness(in_flight: int, batch: int = 1) -> float:
    r"""How many steps old an update is on average: exact, whatever the times are.

    .. math:: \bar{s} = \frac{W - 1}{b}

    Proof: say a slot's uploads are the server's a_0-th, a_1-th, …, counted from 0. The
    client of the k-th was given the model after a_{k−1} + 1 uploads, so that its update is
    ⌊a_k / b⌋ − ⌊(a_{k−1} + 1) / b⌋ steps old. The sum over k telescopes to ⌊a_last / b⌋, less
    1 for each upload of the slot that completes a batch. Over all W slots and A uploads
    that is W A/b − A/b, up to what is still out at the end.

    It is the mean over updates. A client that is slow misses as many uploads as come in
    while it is out, X (τ_m + τ_server + wait + S_m) of them with X uploads a second.

    Legend: W `in_flight`, b `batch`, the number of uploads that make a step.

    >>> mean_staleness(in_flight=9), mean_staleness(in_flight=9, batch=4)
    (8.0, 2.0)
    """
    return (count("in_flight", in_flight) - 1) / count("batch", batch)


def most_staleness(scene: Scene, in_flight: int, batch: int = 1) -> int:
    r"""No update is ever more steps old than this, as long as no times vary.

    .. math:: s_m \le \Big\lceil \frac{W - 1}{b} \Big( 1
        + \Big\lceil \frac{\tau_m - \tau_\text{min}}{c} \Big\rceil
        + \Big\lceil \frac{S_m - S_\text{min}}{c} \Big\rceil \Big) \Big\rceil, \qquad
        c = \tau_\text{server} + \tau_\text{min} + S_\text{min}

    W and b alone bound the staleness only if all clients are equally fast: then it is at
    most ⌈(W − 1)/b⌉. While a slow client computes, another slot may bring one upload after
    the other, though none sooner than the shortest cycle c after the one before.

    Proof: take client m and another slot, and count that slot's uploads that end while m
    is out. (1) Its client is ahead of m in the queue when m is ready: this one upload, and
    those before. All those before brought clients that were ready before m, so the first
    and the last of them are less than τ_m − τ_min apart, and c or more from one to the
    next: at most ⌈(τ_m − τ_min)/c⌉. (2) It is not: those that end before m is ready, within
    τ_m + τ_server of each other, are at most 1 + ⌊(τ_m + τ_server)/c⌋, which is no more than
    in (1). In both cases later ones began after m's own upload and end before it, so that
    all their ends lie within S_m − S_min. A batch of b divides the number by b, at the most
    rounded up.

    Legend: τ_m, S_m compute and upload time of client m, W `in_flight`, b `batch`.

    >>> most_staleness(Scene([3.0, 3.0, 3.0], 1.0), in_flight=3)
    2
    >>> most_staleness(Scene([3.0, 3.0, 10.0], 1.0), in_flight=3)
    6
    """
    count("in_flight", in_flight, maximum=scene.num_clients)
    if scene.update_bits is not None:
        raise PipeflError("upload times vary from round to round, so staleness has no bound")
    compute_s, upload_s = scene.compute_time_s, scene.upload_time_s
    cycle_s = float(scene.server_time_s + compute_s.min() + upload_s.min())
    extra = _cycles(compute_s, cycle_s) + _cycles(upload_s, cycle_s)
    between = (in_flight - 1) * (1 + int(extra.max()))
    return -(-between // count("batch", batch))


def _cycles(time_s: NDArray[np.float64], cycle_s: float) -> NDArray[np.int64]:
    """How many shortest cycles begin in what each time is longer than the shortest."""
    cycles = (time_s - time_s.min()) / cycle_s
    whole: NDArray[np.int64] = np.ceil(cycles * (1 + _ROUNDING)).astype(np.int64)
    return whole
