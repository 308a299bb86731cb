import pickle
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray

from pipefl.devices.device_table import DeviceTable, Order, assign_devices
from pipefl.devices.fedscale import read_fedscale
from pipefl.errors import ArgumentError, InputFileError, MissingFileError

HEADER = "client_id,computation,communication\n"
TWO = HEADER + "1,20,8000\n2,100,500.5\n"


def written(folder: Path, text: str, name: str = "capacity.csv") -> Path:
    path = folder / name
    path.write_text(text)
    return path


def complaint(path: Path) -> str:
    """What is said of a file, after its name."""
    with pytest.raises(InputFileError) as caught:
        read_fedscale(path)
    message = str(caught.value)
    assert message.startswith(str(path))
    assert message.isprintable()
    return message.removeprefix(str(path))


def table_of(seconds: list[float], rates: list[float] | None = None) -> DeviceTable:
    names = np.array([str(number) for number in range(len(seconds))], dtype=object)
    links = None if rates is None else np.array(rates)
    return DeviceTable("here", names, np.array(seconds), links)


def test_training_costs_three_forward_passes_and_a_kbit_is_1000_bits(tmp_path: Path) -> None:
    table = read_fedscale(written(tmp_path, TWO))
    assert table.source == str(tmp_path / "capacity.csv")
    assert table.num_devices == 2
    assert table.batch_size == 1
    assert table.device_id.tolist() == ["1", "2"]
    assert_allclose(table.seconds_per_sample, [0.06, 0.3])
    assert table.uplink_bits_per_s is not None
    assert table.uplink_bits_per_s.tolist() == [8e6, 500_500.0]
    assert table.downlink_bits_per_s is not None
    assert table.downlink_bits_per_s.tolist() == [8e6, 500_500.0]


def test_the_times_of_fedscales_own_simulator_come_out(tmp_path: Path) -> None:
    # Its formulas: 3 · batch · steps · ms / 1000, and kbits of 1,024 bits / bandwidth.
    table = read_fedscale(written(tmp_path, TWO), bits_per_kbit=1024)
    batch_size, local_steps, num_bytes = 20, 5, 1_000_000
    clients = assign_devices(table, [batch_size * local_steps] * 2, order="file")
    computation = [3.0 * batch_size * local_steps * ms / 1000 for ms in (20, 100)]
    assert_allclose(clients.population.compute_time_s, computation)
    kbits = num_bytes / 1024 * 8
    assert_allclose(clients.upload_time_s(num_bytes * 8), [kbits / 8000, kbits / 500.5])


def test_the_cost_of_training_can_be_another(tmp_path: Path) -> None:
    table = read_fedscale(written(tmp_path, TWO), training_factor=2)
    assert_allclose(table.seconds_per_sample, [0.04, 0.2])


def test_other_columns_and_their_order_do_not_matter(tmp_path: Path) -> None:
    path = written(tmp_path, "model,communication, computation,client_id\nx, 8 ,20, 7 \n")
    table = read_fedscale(path)
    assert table.device_id.tolist() == ["7"]
    assert table.uplink_bits_per_s is not None
    assert table.uplink_bits_per_s.tolist() == [8000.0]


def test_a_parquet_file_is_read_as_well(tmp_path: Path) -> None:
    path = tmp_path / "capacity.parquet"
    columns = {"client_id": [4, 9], "computation": [10.0, 20.0], "communication": [1, 2]}
    pl.DataFrame(columns).write_parquet(path)
    table = read_fedscale(path)
    assert table.device_id.tolist() == ["4", "9"]
    assert_allclose(table.seconds_per_sample, [0.03, 0.06])


@pytest.mark.parametrize("name", ["capacity.pkl", "capacity.PICKLE", "client_device_capacity"])
def test_a_pickle_is_not_opened_but_its_conversion_is_told_and_works(
    tmp_path: Path, name: str
) -> None:
    path = tmp_path / name
    capacities = {
        1: {"computation": 20.0, "communication": 8000.0},
        2: {"computation": 100.0, "communication": 500.5},
    }
    path.write_bytes(pickle.dumps(capacities))
    message = complaint(path)
    assert "pickles can run any code and are not opened" in message
    lines = message.split("`")[1::2]
    assert len(lines) == 2
    exec("\n".join(lines), {})  # noqa: S102  # the advice is meant to be run
    table = read_fedscale(path.with_suffix(".csv"))
    assert table.device_id.tolist() == ["1", "2"]
    assert_allclose(table.seconds_per_sample, [0.06, 0.3])


def test_a_pickle_that_is_called_csv_is_still_one(tmp_path: Path) -> None:
    path = tmp_path / "capacity.csv"
    path.write_bytes(pickle.dumps({}))
    assert "pickles can run any code" in complaint(path)


def test_a_pickle_runs_nothing(tmp_path: Path) -> None:
    class Trap:
        def __reduce__(self) -> tuple[object, tuple[str]]:
            return Path.mkdir, (tmp_path / "sprung",)  # type: ignore[return-value]  # unpickling makes a folder

    path = tmp_path / "capacity.pkl"
    path.write_bytes(pickle.dumps(Trap()))
    complaint(path)
    assert not (tmp_path / "sprung").exists()
    pickle.loads(path.read_bytes())  # noqa: S301  # shows that the trap is one
    assert (tmp_path / "sprung").exists()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (HEADER, ": the file holds no devices"),
        ("client_id,computation\n1,2\n", ": there is no column 'communication'; the columns are "),
        ("computation,communication\n1,2\n", ": there is no column 'client_id'; the columns are "),
        (
            HEADER + "1,20,8\n2,0,8\n",
            ", line 3: computation is 0; it must be finite and above 0 milliseconds for a sample",
        ),
        (HEADER + "1,inf,8\n", ", line 2: computation is inf; it must be finite and above 0 "),
        (
            HEADER + "1,20,-8\n",
            ", line 2: communication is -8; it must be finite and above 0 kbit/s",
        ),
        (HEADER + "1,20,1e307\n", ", line 2: communication is 1e307; it must be finite and "),
        (HEADER + "1,20,LTE\n", ", line 2: 'LTE' where communication should be a number"),
        (HEADER + "1,20\n", ", line 2: nothing where communication should be a number"),
        (HEADER + " ,20,8\n", ", line 2: nothing where client_id should be"),
        (
            HEADER + "7,20,8\n8,20,8\n 7,30,9\n",
            ", line 4: client_id '7' stands on line 2 already; it must stand on one only",
        ),
    ],
)
def test_a_bad_row_is_named(tmp_path: Path, text: str, expected: str) -> None:
    assert complaint(written(tmp_path, text)).startswith(expected)


def test_other_endings_and_missing_files_are_named(tmp_path: Path) -> None:
    expected = ": it ends in '.json'; devices are read from .csv and .parquet files"
    assert complaint(written(tmp_path, "{}", "capacity.json")) == expected
    with pytest.raises(MissingFileError, match=r"none\.csv: there is no such file"):
        read_fedscale(tmp_path / "none.csv")


@pytest.mark.parametrize("value", [0.0, -1.0, float("nan"), "3"])
def test_the_factors_must_be_above_0(tmp_path: Path, value: float) -> None:
    path = written(tmp_path, TWO)
    accepted = "it must be a finite number of"
    with pytest.raises(ArgumentError, match=f"training_factor is {value!r}; {accepted} forward "):
        read_fedscale(path, training_factor=value)
    with pytest.raises(ArgumentError, match=f"bits_per_kbit is {value!r}; {accepted} bits above"):
        read_fedscale(path, bits_per_kbit=value)


def test_devices_in_the_order_of_the_file() -> None:
    table = table_of([0.5, 0.25, 2.0], [1e6, 2e6, 4e6])
    clients = assign_devices(table, [10, 40], local_epochs=3, order="file")
    assert clients.device_of.tolist() == [0, 1]
    assert clients.population.compute_time_s.tolist() == [15.0, 30.0]
    assert clients.population.num_samples is not None
    assert clients.population.num_samples.tolist() == [10, 40]
    assert clients.population.source == "here, 2 clients, devices in order"
    assert clients.upload_time_s(8e6).tolist() == [8.0, 4.0]
    assert clients.downlink_bits_per_s is None


@given(
    st.lists(st.floats(1e-3, 1e3), min_size=1, max_size=8),
    st.lists(st.integers(1, 10**6), min_size=1, max_size=20),
    st.integers(1, 10),
    st.integers(0, 2**32),
)
def test_a_drawn_client_is_as_fast_as_its_device(
    seconds: list[float], num_samples: list[int], local_epochs: int, seed: int
) -> None:
    table = table_of(seconds, [1000 * second for second in seconds])
    clients = assign_devices(table, num_samples, local_epochs=local_epochs, seed=seed)
    assert clients.device_of.shape == (len(num_samples),)
    pairs = zip(clients.device_of, num_samples, strict=True)
    expected = [seconds[device] * samples * local_epochs for device, samples in pairs]
    assert_allclose(clients.population.compute_time_s, expected)
    assert clients.uplink_bits_per_s is not None
    assert clients.uplink_bits_per_s.tolist() == [1000 * seconds[d] for d in clients.device_of]
    again = assign_devices(table, num_samples, local_epochs=local_epochs, seed=seed)
    assert_array_equal(clients.device_of, again.device_of)


def test_devices_are_drawn_uniformly_with_replacement() -> None:
    def drawn(seed: int) -> NDArray[np.int64]:
        return assign_devices(table_of([1.0] * 10), [1] * 100_000, seed=seed).device_of

    counts = np.bincount(drawn(0), minlength=10)
    assert_allclose(counts, 10_000, atol=5 * np.sqrt(9_000))
    assert (drawn(0) != drawn(1)).mean() > 0.85


def test_too_few_devices_for_the_order_of_the_file() -> None:
    with pytest.raises(ArgumentError) as caught:
        assign_devices(table_of([1.0, 2.0]), [1, 1, 1], order="file")
    assert str(caught.value) == (
        "order is 'file'; here has 2 devices for 3 clients; "
        "order='random' lets clients have the same device"
    )


def test_an_unknown_order_is_named() -> None:
    order: Order = "sorted"  # type: ignore[assignment]  # the mistake that is meant
    with pytest.raises(ArgumentError, match="order is 'sorted'; it must be one of random, file"):
        assign_devices(table_of([1.0]), [1], order=order)


@pytest.mark.parametrize(
    ("num_samples", "named"),
    [
        ([3, 0], "num_samples[1] is 0"),
        ([-3], "num_samples[0] is -3"),
        ([2.0], "num_samples is [2.0]"),
        ([True], "num_samples is [True]"),
        ([], "num_samples is []"),
        ([[1], [2, 3]], "num_samples is [[1], [2, 3]]"),
        (7, "num_samples is 7"),
        ([2**63], "num_samples[0] is 9223372036854775808"),
    ],
)
def test_sample_counts_that_are_none_are_named(num_samples: list[int], named: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        assign_devices(table_of([1.0]), num_samples)
    accepted = "it must hold one whole number of at least 1 for each client"
    assert str(caught.value) == f"{named}; {accepted}"


def test_a_time_too_long_for_a_float_is_refused() -> None:
    with pytest.raises(ArgumentError, match=r"num_samples is 10; .* no finite float"):
        assign_devices(table_of([1e308]), [1, 10])


@pytest.mark.parametrize("local_epochs", [0, 1.5])
def test_epochs_must_be_whole(local_epochs: int) -> None:
    with pytest.raises(ArgumentError, match=f"local_epochs is {local_epochs}; .* whole number"):
        assign_devices(table_of([1.0]), [1], local_epochs=local_epochs)


def test_upload_times_need_rates_and_bits() -> None:
    with pytest.raises(ArgumentError, match=r"uplink_bits_per_s is None; .* here, 1 clients"):
        assign_devices(table_of([1.0]), [1]).upload_time_s(8.0)
    with pytest.raises(ArgumentError, match=r"update_bits is 0.0; .* number of bits above 0"):
        assign_devices(table_of([1.0], [1.0]), [1]).upload_time_s(0.0)
