"""FedScale's table of device capacities, as a CSV or Parquet file."""

from pathlib import Path

from pipefl.checks import positive
from pipefl.devices.columns import positive_column, unique_names
from pipefl.devices.device_table import DeviceTable
from pipefl.devices.files import open_table
from pipefl.errors import InputFileError

_PICKLE_ENDINGS = (".pkl", ".pickle", ".pck")
_FIRST_BYTE_OF_A_PICKLE = b"\x80"  # since protocol 2


def read_fedscale(
    path: str | Path, *, training_factor: float = 3.0, bits_per_kbit: float = 1000.0
) -> DeviceTable:
    r"""Devices from the columns `client_id`, `computation` and `communication`.

    .. math:: \sigma = f \, c / 1000, \qquad r = k \, w

    Legend: c `computation`, the milliseconds of inference (a forward pass) for a sample; f
    `training_factor`, how many forward passes a training step costs: 3 in FedScale, whose
    simulator takes a backward pass as two; σ seconds to train on one sample of one epoch; w
    `communication`, kbit/s; k `bits_per_kbit`; r bit/s. O(rows).

    FedScale gives a device one bandwidth, and lets the download and then the upload have all
    of it; r is both rates here. It also measures updates in units of 1,024 bits: with
    `bits_per_kbit=1024` the times are those of its own simulator.

    FedScale's file `client_device_capacity` is a pickle, and a pickle can run any code, so it
    is not opened: the error says how to make a CSV file of it. FedScale numbers its clients
    from 1 and gives client i the entry i, so `assign_devices(…, order="file")` is its
    assignment, starting from the first row.
    """
    factor = positive("training_factor", training_factor, "forward passes")
    kbit = positive("bits_per_kbit", bits_per_kbit, "bits")
    _refuse_pickle(Path(path))
    table = open_table(Path(path), "devices", "devices")
    devices = unique_names(table, "client_id")
    forward = "milliseconds for a sample"
    seconds_per_sample = positive_column(table, "computation", forward, factor / 1000)
    bits_per_s = positive_column(table, "communication", "kbit/s", kbit)
    return DeviceTable(str(path), devices, seconds_per_sample, bits_per_s, bits_per_s)


def _refuse_pickle(path: Path) -> None:
    if path.suffix.lower() not in _PICKLE_ENDINGS and not _begins_like_a_pickle(path):
        return
    pickled, converted = str(path), str(path.with_suffix(".csv"))
    raise InputFileError(
        f"{path}: pickles can run any code and are not opened; if you trust this one, make "
        "a CSV file of it with two lines of Python: `import pathlib, pickle, polars` and "
        "`polars.DataFrame([{'client_id': client, **capacity} for client, capacity in "
        f"pickle.loads(pathlib.Path({pickled!r}).read_bytes()).items()]).write_csv({converted!r})`"
    )


def _begins_like_a_pickle(path: Path) -> bool:
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(1) == _FIRST_BYTE_OF_A_PICKLE
