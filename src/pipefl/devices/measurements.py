"""Files with several rows a client: one measured compute time each."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pipefl.devices.population import Population
from pipefl.errors import InputFileError


def first_repeated_id(population: Population) -> Any:
    """A client id that stands in more than one row, or None. O(M)."""
    seen: set[object] = set()
    for client in () if population.client_id is None else population.client_id:
        if client in seen:
            return client
        seen.add(client)
    return None


def refuse_repeated_ids(population: Population) -> None:
    """Complain where a client stands in several rows and one time a client is meant."""
    repeated = first_repeated_id(population)
    if repeated is not None:
        raise InputFileError(
            f"{population.source}: client {repeated!r} stands in several rows, where one time "
            "a client is meant; `pipefl plan --quantile` plans with several"
        )


def measurements_by_client(
    population: Population,
) -> tuple[NDArray[np.object_], list[NDArray[np.float64]]]:
    """The clients in order of first appearance, and each one's measured times.

    >>> rows = Population("doc", np.array([1.0, 5.0, 2.0]), np.array(["a", "b", "a"], object))
    >>> measurements_by_client(rows)
    (array(['a', 'b'], dtype=object), [array([1., 2.]), array([5.])])
    """
    if population.client_id is None:
        raise InputFileError(f"{population.source}: rows of one client need a column of client ids")
    rows_of: dict[object, list[int]] = {}
    for row, client in enumerate(population.client_id):
        rows_of.setdefault(client, []).append(row)
    clients = np.array(list(rows_of), dtype=object)
    return clients, [population.compute_time_s[rows] for rows in rows_of.values()]
