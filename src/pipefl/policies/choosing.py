"""What several policies do alike: how many clients, the highest scores, draws by weight."""

import numpy as np
from numpy.typing import NDArray

from pipefl.checks import count
from pipefl.errors import ArgumentError
from pipefl.policies.scene import Scene
from pipefl.wording import counted


def cohort_size(scene: Scene, per_channel: int) -> int:
    """Clients a round, `per_channel` for each sub-channel, or a clear error if they are too many.

    >>> cohort_size(Scene([1.0, 2.0, 3.0, 4.0], 1.0, num_channels=2), per_channel=2)
    4
    """
    size = count("per_channel", per_channel) * scene.num_channels
    if size > scene.num_clients:
        accepted = (
            f"with {counted(per_channel, 'client')} for each a round has {size:,}, "
            f"and the population {scene.num_clients:,}"
        )
        raise ArgumentError("num_channels", scene.num_channels, accepted)
    return size


def highest(
    score: NDArray[np.float64],
    size: int,
    tie_break: NDArray[np.float64] | None = None,
    among: NDArray[np.bool_] | None = None,
) -> NDArray[np.intp]:
    """The indices of the `size` highest scores, best first.

    Ties go to the higher `tie_break`, if there is one, then to the lower index. Only those
    marked in `among` count, if it is given, and all of these if they are fewer. O(M log M).

    >>> highest(np.array([1.0, 3.0, 2.0, 3.0]), 3)
    array([1, 3, 2])
    >>> highest(np.array([1.0, 3.0, 2.0, 3.0]), 3, tie_break=np.array([9.0, 5.0, 9.0, 6.0]))
    array([3, 1, 2])
    >>> highest(np.array([1.0, 3.0, 2.0]), 2, among=np.array([True, False, True]))
    array([2, 0])
    """
    keys = (-score,) if tie_break is None else (-tie_break, -score)
    best = np.lexsort(keys)
    return best[:size] if among is None else best[among[best]][:size]


def draw_by_weight(
    weight: NDArray[np.float64], size: int, rng: np.random.Generator
) -> NDArray[np.intp]:
    r"""Different indices, each drawn in proportion to its weight among those that are left.

    .. math:: P(m_1, m_2, \dots) = \frac{w_{m_1}}{\sum_m w_m} \cdot
        \frac{w_{m_2}}{\sum_m w_m - w_{m_1}} \cdots

    Exponential clocks of rate w do that at once: the first to ring are drawn (Efraimidis
    and Spirakis, *Weighted random sampling with a reservoir*, 2006). Weights of 0 come
    last, in random order. All are drawn if they are fewer than `size`. O(M log M).
    """
    ring = rng.standard_exponential(weight.size)
    drawn = weight > 0
    with np.errstate(over="ignore"):  # a weight next to nothing rings next to never
        time = np.divide(ring, weight, out=np.full(weight.size, np.inf), where=drawn)
    return np.lexsort((ring, time, ~drawn))[:size]
