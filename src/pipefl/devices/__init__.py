"""Where compute times come from: files, distributions, traces, the example that ships with PipeFL.

`read_population` and `draw_population` give the compute times of a population. `read_fedscale`
and `read_flash` read tables of measured devices, from which `assign_devices` equips clients.
`Jitter` varies times from round to round, and `read_availability` says who can be reached when.

>>> draw_population("even:10:70", num_clients=4).compute_time_s
array([10., 30., 50., 70.])
"""

from pipefl.devices.availability import Availability
from pipefl.devices.availability_files import read_availability, read_availability_states
from pipefl.devices.device_table import DeviceTable, EquippedClients, assign_devices
from pipefl.devices.distributions import draw_population
from pipefl.devices.example import example_population
from pipefl.devices.fedscale import read_fedscale
from pipefl.devices.files import Columns, read_population
from pipefl.devices.flash import FlashColumns, read_flash
from pipefl.devices.jitter import Jitter
from pipefl.devices.population import Population

__all__ = [
    "Availability",
    "Columns",
    "DeviceTable",
    "EquippedClients",
    "FlashColumns",
    "Jitter",
    "Population",
    "assign_devices",
    "draw_population",
    "example_population",
    "read_availability",
    "read_availability_states",
    "read_fedscale",
    "read_flash",
    "read_population",
]
