"""Tables of measured devices, and clients that are given one each."""

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pipefl.checks import count, positive
from pipefl.devices.population import Population
from pipefl.errors import ArgumentError
from pipefl.randomness import generator

Order = Literal["random", "file"]


@dataclass(frozen=True, eq=False)
class DeviceTable:
    """D devices: how fast each trains, and how fast its link is, if that is known.

    `read_fedscale` and `read_flash` make it. `source` says where the devices come from;
    `device_id` has their names. `seconds_per_sample` is for one sample of one epoch. With
    a `batch_size` above 1 a started batch takes as long as a full one. The link rates
    are None where the source has none.
    """

    source: str
    device_id: NDArray[np.object_]
    seconds_per_sample: NDArray[np.float64]
    uplink_bits_per_s: NDArray[np.float64] | None = None
    downlink_bits_per_s: NDArray[np.float64] | None = None
    batch_size: int = 1

    @property
    def num_devices(self) -> int:
        """D."""
        return self.seconds_per_sample.size

    def compute_time_s(
        self, device_of: NDArray[np.int64], num_samples: NDArray[np.int64], local_epochs: int
    ) -> NDArray[np.float64]:
        """The time that each client trains on its device: see `assign_devices`. O(M)."""
        num_batches = -(-num_samples // self.batch_size)
        seconds_per_batch = self.seconds_per_sample[device_of] * self.batch_size
        return seconds_per_batch * num_batches * local_epochs


@dataclass(frozen=True, eq=False)
class EquippedClients:
    """M clients with a device each: made by `assign_devices`.

    `device_of[m]` is the row of client m's device in the table, from 0. The link rates are
    each client's own, or None where the table has none.
    """

    population: Population
    device_of: NDArray[np.int64]
    uplink_bits_per_s: NDArray[np.float64] | None
    downlink_bits_per_s: NDArray[np.float64] | None

    def upload_time_s(self, update_bits: float) -> NDArray[np.float64]:
        r"""How long each client uploads an update of that many bits, alone on its link.

        .. math:: \tau^{com}_m = b / r_m

        Legend: b `update_bits`, r `uplink_bits_per_s`. O(M).
        """
        bits = positive("update_bits", update_bits, "bits")
        if self.uplink_bits_per_s is None:
            accepted = f"upload times need upload rates, which {self.population.source} has not"
            raise ArgumentError("uplink_bits_per_s", None, accepted)
        return bits / self.uplink_bits_per_s


def assign_devices(
    table: DeviceTable,
    num_samples: ArrayLike,
    *,
    local_epochs: int = 1,
    order: Order = "random",
    seed: int = 0,
) -> EquippedClients:
    r"""Give each client a device, and from it a compute time and link rates.

    .. math:: \tau_m = \sigma_{d(m)} \, B \, \lceil n_m / B \rceil \, E

    Legend: n `num_samples`, one whole number of at least 1 a client; d(m) `device_of`; σ
    `seconds_per_sample`; B the table's `batch_size`, which is 1 unless its times are by
    batch; E `local_epochs`. With `order="random"` every client draws a device by `seed`,
    uniformly and with replacement. With `order="file"` client m gets the m-th device, and
    a table with fewer devices than clients is refused. O(M).

    >>> table = DeviceTable("doc", np.array(["slow", "fast"], object), np.array([0.5, 0.25]))
    >>> clients = assign_devices(table, [10, 40], local_epochs=2, order="file")
    >>> clients.population.compute_time_s
    array([10., 20.])
    """
    samples = _sample_counts(num_samples)
    epochs = count("local_epochs", local_epochs)
    device_of = _devices_of(table, samples.size, order, seed)
    with np.errstate(over="ignore"):  # what overflows is refused below
        times = table.compute_time_s(device_of, samples, epochs)
    if not np.isfinite(times).all():
        worst = int(samples[np.argmax(~np.isfinite(times))])
        raise ArgumentError("num_samples", worst, "the time for so many samples is no finite float")
    drawn = f"random devices, seed {seed}" if order == "random" else "devices in order"
    source = f"{table.source}, {samples.size:,} clients, {drawn}"
    return EquippedClients(
        Population(source, times, num_samples=samples),
        device_of,
        _rates_of(table.uplink_bits_per_s, device_of),
        _rates_of(table.downlink_bits_per_s, device_of),
    )


def _devices_of(table: DeviceTable, num_clients: int, order: Order, seed: int) -> NDArray[np.int64]:
    if order == "random":
        return generator(seed, "devices").integers(table.num_devices, size=num_clients)
    if order != "file":
        raise ArgumentError("order", order, f"it must be one of {', '.join(get_args(Order))}")
    if num_clients > table.num_devices:
        accepted = (
            f"{table.source} has {table.num_devices:,} devices for {num_clients:,} clients; "
            "order='random' lets clients have the same device"
        )
        raise ArgumentError("order", order, accepted)
    return np.arange(num_clients, dtype=np.int64)


def _rates_of(
    rates: NDArray[np.float64] | None, device_of: NDArray[np.int64]
) -> NDArray[np.float64] | None:
    return None if rates is None else rates[device_of]


def _sample_counts(num_samples: ArrayLike) -> NDArray[np.int64]:
    accepted = "it must hold one whole number of at least 1 for each client"
    try:
        counts = np.asarray(num_samples)
    except ValueError:
        raise ArgumentError("num_samples", num_samples, accepted) from None
    if counts.ndim != 1 or counts.size == 0 or counts.dtype.kind not in "iu":
        raise ArgumentError("num_samples", num_samples, accepted)
    bad = np.flatnonzero((counts < 1) | (counts > np.iinfo(np.int64).max))
    if bad.size:
        raise ArgumentError(f"num_samples[{bad[0]}]", counts[bad[0]], accepted)
    return counts.astype(np.int64)
