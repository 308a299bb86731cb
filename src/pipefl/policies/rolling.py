"""No rounds at all: as one client is done, the next one sets out."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pipefl.checks import count, number
from pipefl.devices.jitter import Jitter
from pipefl.errors import ArgumentError
from pipefl.policies.in_flight import buffered
from pipefl.policies.scene import Scene
from pipefl.policies.step import Step
from pipefl.wording import counted


@dataclass(frozen=True)
class Rolling:
    r"""W clients are always out; each that is done is replaced; the server steps at each.

    .. math:: w_{t+1} = w_t + \frac{1}{b} \sum_{i=1}^{b} \alpha(s_i)\, \Delta_i, \qquad
        \alpha(s) = \frac{\eta}{(1 + s)^a}

    From: this package, in answer to its paper's question: what is the limit of
    pipelining? With W from `plan_rolling` no sub-channel idles. A client is drawn
    uniformly from all that are not out, so as long as W is small against M all take part
    alike, fast or slow (with W = M each goes round at its own pace). Uploads queue first
    come, first served. Assumes what others do not: nothing but that some W is right; no
    times need be known.

    The price is staleness: (W − 1)/b steps on average (`mean_staleness`), within bounds
    (`most_staleness`). Steps against a quadratic of curvature λ that are d old converge if
    and only if 0 < ηλ < 2 sin(π/(4d + 2)), which for d = W − 1 is about π/(2W): hence a
    `damping` η of b/W unless another is given. W uploads together then move the model as
    far as one average over W clients does. The clock does not use it.

    When `server_time_s` is not 0 a client's successor is drawn when its upload ends, and
    has the newest model τ_server later, when the step that it took part in has ended. With
    b > 1 that holds of those between two steps as well: they are sent the newest model
    there is, which takes as long, and the rule that an update is in the model that its
    successor gets holds without exception. W clients are out all the time, some of them
    waiting for their model.

    Legend: W `in_flight`, b `batch`, η `damping`, a `staleness_exponent`, s an update's
    staleness, Δ its change to the model. A step of b > 1 may hold a fast client twice.

    >>> scene = Scene([1.0, 2.0, 4.0], 1.0)
    >>> steps = Rolling(in_flight=2).steps(scene)
    >>> [next(steps).end_s for _ in range(4)]
    [2.0, 3.0, 4.0, 6.0]
    """

    in_flight: int
    batch: int = 1
    damping: float | None = None
    staleness_exponent: float = 0.0
    jitter: Jitter | None = None
    name: str = "rolling"

    def __post_init__(self) -> None:
        count("in_flight", self.in_flight)
        if count("batch", self.batch) > self.in_flight:
            accepted = (
                f"a step can wait for no more than {counted(self.in_flight, 'client')} in flight"
            )
            raise ArgumentError("batch", self.batch, accepted)
        if self.damping is not None:
            number("damping", self.damping, "it must be a finite factor above 0", lambda v: v > 0)
        accepted = "it must be a finite number, 0 or more"
        number("staleness_exponent", self.staleness_exponent, accepted, lambda v: v >= 0)

    def steps(self, scene: Scene, seed: int = 0) -> Iterator[Step]:
        """A step at every b-th upload, for ever; see `arrivals` for what draws depend on."""
        return buffered(scene, self.in_flight, self.batch, seed, self.jitter)

    def weight(self, staleness: ArrayLike) -> NDArray[np.float64]:
        """α(s), the factor on each update of a step, before the mean over the batch.

        >>> Rolling(in_flight=4, staleness_exponent=0.5).weight([0, 3])
        array([0.25 , 0.125])
        """
        late = 1.0 + np.asarray(staleness, dtype=np.float64)
        return self.learning_rate * late**-self.staleness_exponent

    @property
    def learning_rate(self) -> float:
        """η: the damping that was given, or b/W."""
        return self.batch / self.in_flight if self.damping is None else self.damping
