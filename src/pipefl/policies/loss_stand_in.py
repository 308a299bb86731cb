"""Losses for policies that ask for them, where nothing is trained."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pipefl.checks import between, count
from pipefl.errors import ArgumentError
from pipefl.policies.scene import Scene
from pipefl.randomness import generator

_LARGEST = 1e6


@dataclass(frozen=True, kw_only=True)
class DecayingLosses:
    r"""A stand-in for a training run: losses that fall as clients take part.

    .. math:: F_m = \frac{F_m[0]}{1 + a\, c_m + b\, \bar{c}}, \qquad
        \ln F_m[0] \sim \mathcal{N}\big(\ln F_0,\ s^2\big)

    A client's loss falls with what it gave to the model itself and, as the model gets
    better for all, with what everybody gave. No model is behind it: it shows how a policy
    reacts to losses, not how well it learns. It is never used unless it is passed to the
    scene, and a policy's record on it says nothing about accuracy.

    Legend: c_m rounds in which client m delivered, c̄ their mean over all clients; a
    `own_rate`, b `shared_rate`; F_0 `typical_loss`, the median at the start, by default
    ln 10, that of a guess between ten classes; s `spread`, of its logarithm. Client m's
    loss at the start depends on `seed` and m alone.

    >>> source = DecayingLosses(spread=0.0, typical_loss=2.0)
    >>> source.losses(np.array([0, 0, 0])), source.losses(np.array([0, 3, 3]))
    (array([2., 2., 2.]), array([0.66666667, 0.60606061, 0.60606061]))
    """

    seed: int = 0
    typical_loss: float = 2.302585092994046
    spread: float = 0.5
    own_rate: float = 0.1
    shared_rate: float = 1.0

    def __post_init__(self) -> None:
        count("seed", self.seed, minimum=0)
        between("typical_loss", self.typical_loss, 1e-6, _LARGEST)
        between("spread", self.spread, 0.0, 5.0)
        between("own_rate", self.own_rate, 0.0, _LARGEST)
        between("shared_rate", self.shared_rate, 0.0, _LARGEST)

    def initial_losses(self, num_clients: int) -> NDArray[np.float64]:
        """F[0] of the first so many clients."""
        drawn = generator(self.seed, "stand-in losses").standard_normal(num_clients)
        return np.asarray(self.typical_loss * np.exp(self.spread * drawn))

    def losses(self, participation: NDArray[np.int64]) -> NDArray[np.float64]:
        """F of each client, given how often each took part. O(M)."""
        progress = self.own_rate * participation + self.shared_rate * np.mean(participation)
        return np.asarray(self.initial_losses(participation.size) / (1.0 + progress))


def current_losses(
    scene: Scene, participation: NDArray[np.int64], policy: str
) -> NDArray[np.float64]:
    """What the scene's source of losses says now: M finite losses, or a clear error."""
    losses = np.asarray(scene.needed_losses(policy).losses(participation), dtype=np.float64)
    accepted = f"policy {policy!r} needs a finite loss, 0 or more, for each client"
    if losses.shape != (scene.num_clients,):
        raise ArgumentError("losses.shape", losses.shape, f"{accepted} of {scene.num_clients:,}")
    bad = np.flatnonzero(~(np.isfinite(losses) & (losses >= 0)))
    if bad.size:
        raise ArgumentError(f"losses[{bad[0]}]", losses[bad[0]], accepted)
    return losses
