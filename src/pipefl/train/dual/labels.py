"""Classes as signs: one binary problem for each class, against all the others."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pipefl.errors import ArgumentError


def signs(targets: ArrayLike, num_rows: int) -> NDArray[np.float64]:
    r"""The labels y of every binary problem, S × C of ±1.

    .. math:: y_{ic} = \begin{cases} +1 & t_i = c \\ -1 & t_i \ne c \end{cases}

    Legend: t `targets`, S whole numbers from 0 to C − 1; C `num_rows`, the rows of the
    model. A model with one row is a binary one, and its targets are the signs themselves.

    >>> signs([2, 0], num_rows=3)
    array([[-1., -1.,  1.],
           [ 1., -1., -1.]])
    >>> signs([1, -1], num_rows=1).ravel()
    array([ 1., -1.])
    """
    labels = np.asarray(targets)
    if labels.ndim != 1:
        raise ArgumentError("targets", targets, "there must be one label for each sample")
    if num_rows == 1:
        _check(labels, np.abs(labels) == 1, "a model with one row takes the labels 1 and -1")
        return labels.astype(np.float64)[:, np.newaxis]
    _check(labels, (labels >= 0) & (labels < num_rows), f"it must be from 0 to {num_rows - 1}")
    return np.where(labels[:, np.newaxis] == np.arange(num_rows), 1.0, -1.0)


def _check(labels: NDArray[np.generic], good: NDArray[np.bool_], accepted: str) -> None:
    if not good.all():
        first = int(np.argmin(good))
        raise ArgumentError(f"targets[{first}]", labels[first], accepted)
