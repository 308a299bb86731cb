"""Tables of device models and their measured training speeds, as FLASH has them."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pipefl.checks import count
from pipefl.devices.columns import optional_positive_column, positive_column, unique_names
from pipefl.devices.device_table import DeviceTable
from pipefl.devices.files import TableFile, open_table
from pipefl.errors import ArgumentError, InputFileError

_BITS_PER_KBIT = 1000.0


@dataclass(frozen=True)
class FlashColumns:
    """Which columns hold what: one of the two times must be there, the link rates may be."""

    device: str = "device"
    seconds_per_sample: str = "seconds_per_sample"
    seconds_per_batch: str = "seconds_per_batch"
    uplink_kbps: str = "uplink_kbps"
    downlink_kbps: str = "downlink_kbps"


def read_flash(
    path: str | Path, *, batch_size: int | None = None, columns: FlashColumns = FlashColumns()
) -> DeviceTable:
    r"""Devices from a row each: its model, its training time, and its link rates in kbit/s.

    .. math:: \tau_m = T_{d(m)} \, \lceil n_m / B \rceil \, E

    is FLASH's compute time, and `assign_devices` keeps to it where the times are by batch: a
    last batch that is not full takes as long as the others. Times by sample have B = 1.

    Legend: T `seconds_per_batch`, the time to train on one batch, forward and backward; B
    `batch_size`, the samples of the batches that were measured; n samples and d device of
    client m; E local epochs. A kbit is 1,000 bits. O(rows).

    FLASH (Yang et al., "Characterizing impacts of heterogeneity in federated learning upon
    large-scale smartphone data", WWW 2021) keeps its times in its source, in milliseconds by
    batch for three phones, and its link rates in `speed_distri.json`; there is no file of it
    to read as it is. Each rate is a mean; the deviations that FLASH has too are not used.
    """
    table = open_table(Path(path), "devices", "devices")
    devices = unique_names(table, columns.device)
    seconds, size = _training_times(table, batch_size, columns)
    return DeviceTable(
        str(path),
        devices,
        seconds,
        optional_positive_column(table, columns.uplink_kbps, "kbit/s", _BITS_PER_KBIT),
        optional_positive_column(table, columns.downlink_kbps, "kbit/s", _BITS_PER_KBIT),
        size,
    )


def _training_times(
    table: TableFile, batch_size: int | None, columns: FlashColumns
) -> tuple[NDArray[np.float64], int]:
    """Seconds for a sample, and the samples of a batch."""
    times = (columns.seconds_per_sample, columns.seconds_per_batch)
    there = [name for name in times if name in table.frame.columns]
    if len(there) != 1:
        names = ", ".join(table.frame.columns)
        raise InputFileError(
            f"{table.path}: exactly one of the columns {times[0]!r} and {times[1]!r} must be "
            f"there; the columns are {names}"
        )
    if there == [columns.seconds_per_sample]:
        if batch_size is not None:
            accepted = f"it must be None where times are by sample, as in {table.path}"
            raise ArgumentError("batch_size", batch_size, accepted)
        return positive_column(table, columns.seconds_per_sample, "seconds", 1.0), 1
    if batch_size is None:
        accepted = f"the times in {table.path} are by batch; it must be the samples of a batch"
        raise ArgumentError("batch_size", None, accepted)
    size = count("batch_size", batch_size)
    return positive_column(table, columns.seconds_per_batch, "seconds", 1 / size), size
