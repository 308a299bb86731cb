import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipefl.devices.measurements import first_repeated_id, measurements_by_client
from pipefl.devices.population import Population
from pipefl.errors import InputFileError

IDS = st.sampled_from(["a", "b", "c", "d", 1, 2, 3])
ROWS = st.lists(st.tuples(IDS, st.floats(0.1, 9.0)), min_size=1, max_size=20)


def population(rows: list[tuple[object, float]]) -> Population:
    ids = np.empty(len(rows), dtype=object)
    ids[:] = [client for client, _ in rows]
    return Population("a test", np.array([time for _, time in rows]), ids)


@given(ROWS)
def test_every_measurement_goes_to_its_client_in_order(rows: list[tuple[object, float]]) -> None:
    clients, measured = measurements_by_client(population(rows))
    assert len(clients) == len(measured) == len({client for client, _ in rows})
    for client, times in zip(clients, measured, strict=True):
        assert times.tolist() == [time for other, time in rows if other == client]


@given(ROWS)
def test_clients_stand_in_order_of_first_appearance(rows: list[tuple[object, float]]) -> None:
    ids = [client for client, _ in rows]
    clients, _ = measurements_by_client(population(rows))
    assert [ids.index(client) for client in clients] == sorted({ids.index(each) for each in ids})


@given(ROWS)
def test_the_first_id_that_comes_again_is_found(rows: list[tuple[object, float]]) -> None:
    ids = [client for client, _ in rows]
    again = [client for row, client in enumerate(ids) if client in ids[:row]]
    assert first_repeated_id(population(rows)) == (again[0] if again else None)


def test_clients_without_ids_repeat_nothing_and_cannot_be_grouped() -> None:
    nameless = Population("times.csv", np.array([1.0, 1.0]))
    assert first_repeated_id(nameless) is None
    with pytest.raises(InputFileError, match=r"times\.csv: .* a column of client ids"):
        measurements_by_client(nameless)
