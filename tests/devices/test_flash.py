from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from pipefl.devices.device_table import DeviceTable, assign_devices
from pipefl.devices.flash import FlashColumns, read_flash
from pipefl.errors import ArgumentError, InputFileError

# FLASH's own three phones and its times for FEMNIST, of batches of 10.
PHONES = (
    "device,seconds_per_batch,uplink_kbps,downlink_kbps\n"
    "Google Nexus S,1.642,3000,4000\n"
    "Xiaomi Redmi Note 7 Pro,0.588,5000,7000\n"
    "Google Pixel 4,0.179,6000,9000\n"
)


def written(folder: Path, text: str) -> Path:
    path = folder / "phones.csv"
    path.write_text(text)
    return path


def complaint(path: Path, batch_size: int | None = None) -> str:
    """What is said of a file, after its name."""
    with pytest.raises(InputFileError) as caught:
        read_flash(path, batch_size=batch_size)
    message = str(caught.value)
    assert message.startswith(str(path))
    assert message.isprintable()
    return message.removeprefix(str(path))


def test_flashs_own_times_come_out(tmp_path: Path) -> None:
    table = read_flash(written(tmp_path, PHONES), batch_size=10)
    assert table.source == str(tmp_path / "phones.csv")
    assert table.device_id.tolist() == [
        "Google Nexus S",
        "Xiaomi Redmi Note 7 Pro",
        "Google Pixel 4",
    ]
    assert_allclose(table.seconds_per_sample, [0.1642, 0.0588, 0.0179])
    assert table.uplink_bits_per_s is not None
    assert table.uplink_bits_per_s.tolist() == [3e6, 5e6, 6e6]
    assert table.downlink_bits_per_s is not None
    assert table.downlink_bits_per_s.tolist() == [4e6, 7e6, 9e6]
    clients = assign_devices(table, [100, 101, 1], local_epochs=5, order="file")
    # 10, 11 and 1 batches in each of the 5 epochs.
    assert_allclose(clients.population.compute_time_s, [82.1, 32.34, 0.895])
    assert_allclose(clients.upload_time_s(6e6), [2.0, 1.2, 1.0])


def test_times_by_sample_are_not_rounded_up(tmp_path: Path) -> None:
    table = read_flash(written(tmp_path, "device,seconds_per_sample\nphone,0.5\n"))
    assert table.batch_size == 1
    assert table.uplink_bits_per_s is None
    assert table.downlink_bits_per_s is None
    times = assign_devices(table, [7, 11]).population.compute_time_s
    assert times.tolist() == [3.5, 5.5]


@given(st.integers(1, 500), st.integers(1, 64), st.integers(1, 5))
def test_a_started_batch_counts_as_a_full_one(
    num_samples: int, batch_size: int, local_epochs: int
) -> None:
    phone = np.array(["phone"], dtype=object)
    table = DeviceTable("here", phone, np.array([0.25 / batch_size]), batch_size=batch_size)
    clients = assign_devices(table, [num_samples], local_epochs=local_epochs)
    num_batches = len(range(0, num_samples, batch_size))
    assert_allclose(clients.population.compute_time_s, [0.25 * num_batches * local_epochs])


def test_columns_can_have_other_names(tmp_path: Path) -> None:
    path = written(tmp_path, "phone,t,up,device\nx,2,3,bad\n")
    columns = FlashColumns(device="phone", seconds_per_sample="t", uplink_kbps="up")
    table = read_flash(path, columns=columns)
    assert table.device_id.tolist() == ["x"]
    assert table.seconds_per_sample.tolist() == [2.0]
    assert table.uplink_bits_per_s is not None
    assert table.uplink_bits_per_s.tolist() == [3000.0]


@pytest.mark.parametrize("text", ["device\nphone\n", PHONES.replace("uplink_kbps", "x")])
def test_exactly_one_time_must_be_there(tmp_path: Path, text: str) -> None:
    wrong = text.replace("downlink_kbps", "seconds_per_sample")
    names = wrong.split("\n")[0].replace(",", ", ")
    assert complaint(written(tmp_path, wrong), batch_size=10) == (
        ": exactly one of the columns 'seconds_per_sample' and 'seconds_per_batch' must be "
        f"there; the columns are {names}"
    )


def test_times_by_batch_need_the_size_of_a_batch(tmp_path: Path) -> None:
    path = written(tmp_path, PHONES)
    with pytest.raises(ArgumentError) as caught:
        read_flash(path)
    accepted = f"the times in {path} are by batch; it must be the samples of a batch"
    assert str(caught.value) == f"batch_size is None; {accepted}"
    with pytest.raises(ArgumentError, match=r"batch_size is 0; .* at least 1"):
        read_flash(path, batch_size=0)


def test_times_by_sample_have_no_batches(tmp_path: Path) -> None:
    path = written(tmp_path, "device,seconds_per_sample\nphone,0.5\n")
    with pytest.raises(ArgumentError, match="batch_size is 10; it must be None where times are by"):
        read_flash(path, batch_size=10)


@pytest.mark.parametrize(
    ("right", "wrong", "expected"),
    [
        ("0.588", "0", ", line 3: seconds_per_batch is 0; it must be finite and above 0 seconds"),
        ("0.588", "soon", ", line 3: 'soon' where seconds_per_batch should be a number"),
        ("5000", "-1", ", line 3: uplink_kbps is -1; it must be finite and above 0 kbit/s"),
        ("9000", "", ", line 4: nothing where downlink_kbps should be a number"),
        (
            "Google Pixel 4",
            "Google Nexus S",
            ", line 4: device 'Google Nexus S' stands on line 2 already; it must stand on one only",
        ),
        ("Google Pixel 4", "", ", line 4: nothing where device should be"),
        ("device,", "phone,", ": there is no column 'device'; the columns are phone, seconds_"),
    ],
)
def test_a_bad_cell_is_named(tmp_path: Path, right: str, wrong: str, expected: str) -> None:
    path = written(tmp_path, PHONES.replace(right, wrong))
    assert complaint(path, batch_size=10).startswith(expected)
