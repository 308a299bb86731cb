"""The clients that are not out, and who of them is sent out next."""

from collections.abc import Iterator

import numpy as np

from pipefl.policies.scene import Scene


class IdleClients:
    r"""Draws clients uniformly from those that are not out and can be reached.

    .. math:: \text{drawn} = \text{idle}[\lfloor p_n \cdot |\text{idle}| \rfloor]

    Legend: p_n the n-th of the `places`, numbers in [0, 1). The n-th client drawn depends on
    it and on who is idle then, in an order that depends on who was drawn before. O(1) a
    draw, O(M log I) in a scene with `availability`.

    >>> idle = IdleClients(Scene([1.0, 2.0, 3.0], 1.0), iter([0.9, 0.0, 0.0, 0.0]))
    >>> idle.draw(0.0), idle.draw(0.0)
    (2, 0)
    >>> idle.take_back(2)
    >>> idle.draw(5.0), idle.draw(5.0)
    (1, 2)
    """

    def __init__(self, scene: Scene, places: Iterator[float]) -> None:
        self._scene = scene
        self._places = places
        self._idle = list(range(scene.num_clients))

    def draw(self, now_s: float) -> int | None:
        """A client that is now out; None if there is none that can be reached now."""
        idle = self._idle
        if self._scene.availability is None:
            chosen = int(next(self._places) * len(idle))
        else:
            reachable = np.flatnonzero(self._scene.available(now_s)[idle])
            if reachable.size == 0:
                return None
            chosen = int(reachable[int(next(self._places) * reachable.size)])
        idle[chosen], idle[-1] = idle[-1], idle[chosen]
        return idle.pop()

    def take_back(self, client: int) -> None:
        """A client that was out is idle again."""
        self._idle.append(client)

    def first_available_s(self, now_s: float) -> float:
        """When the first of the idle can be reached, from now on; ∞ if none ever again."""
        return self._scene.first_available_s(np.array(self._idle, dtype=np.intp), now_s)
