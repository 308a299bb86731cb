"""What a scheduling policy is."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from pipefl.policies.scene import Scene
from pipefl.policies.step import Step
from pipefl.timeline.round import Round


@dataclass(frozen=True, eq=False)
class State:
    """What a policy knows when it selects a round's clients; arrays have M entries.

    `participation` counts each client's delivered updates, `last_round` is the last
    round in which it delivered one (−1 before), `observed_time_s` the compute time that
    it showed then (NaN before), `clock_s` the time at which the round begins. `available`
    says who can be reached in this round: others may be selected, but in vain. `carried`
    are clients that missed their slot and upload in this round whoever is selected; if
    they are selected again, that is ignored. `memory` is the policy's own: what its
    `start` or last `learn` returned. Nothing here may be written to.
    """

    scene: Scene
    clock_s: float
    participation: NDArray[np.int64]
    last_round: NDArray[np.int64]
    observed_time_s: NDArray[np.float64]
    available: NDArray[np.bool_]
    carried: NDArray[np.intp]
    memory: Any


class RoundPolicy(Protocol):
    """Selects the clients of one round after the other.

    A policy is a frozen dataclass of its settings; what it learns it keeps in
    `State.memory`, a frozen dataclass of arrays or None, which is replaced, not changed.
    """

    @property
    def name(self) -> str:
        """The name by which it is chosen, such as `age`."""
        ...

    def start(self, scene: Scene) -> Any:
        """The memory before the first round; complains if the scene lacks what it needs."""
        ...

    def select(self, round_index: int, state: State, rng: np.random.Generator) -> NDArray[np.intp]:
        """The clients of this round: different indices, in the order of their priority."""
        ...

    def learn(self, round_index: int, state: State, round_: Round) -> Any:
        """The memory after a round."""
        ...


@runtime_checkable
class KnownInclusion(Protocol):
    """A `RoundPolicy` that draws so simply that everybody's chances are known."""

    def inclusion(self, scene: Scene) -> NDArray[np.float64]:
        """How likely each client is to be selected in a round where all are available."""
        ...


class Schedule(Protocol):
    """Anything that yields the server's steps for ever: rounds, or no rounds at all."""

    @property
    def name(self) -> str:
        """The name by which it is chosen, such as `rolling`."""
        ...

    def steps(self, scene: Scene, seed: int = 0) -> Iterator[Step]:
        """The server's steps in order, a pure function of scene and seed.

        They end only if the scene's `availability` leaves nobody who will ever be reached again.
        """
        ...
