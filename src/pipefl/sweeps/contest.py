"""Schedules against each other in simulated seconds, each at its own best settings."""

from dataclasses import dataclass

from pipefl.sweeps.cells import UPLINK_CLUSTERS, paper_cell, rolling_cell, uniform_cell
from pipefl.sweeps.measured import MeasuredCell, MeasuredSweep
from pipefl.sweeps.retiming import Clock
from pipefl.sweeps.spread import Spread

CONVENTIONAL = "conventional"
PAPER_SLOTS = "clusters, slots (the paper)"
ROLLING = "rolling"


@dataclass(frozen=True)
class Entrant:
    """A schedule of a contest: the sweep's cell whose rounds it has, on its own clock.

    `uplink` says what it takes where that is not the N sub-channels of all the others.
    """

    title: str
    cell: str
    clock: Clock
    uplink: str = ""


@dataclass(frozen=True)
class Standing:
    """An entrant's seconds to the target, and how they compare with the conventional ones.

    `seconds` is None where no seed is over, `ratio` where either is unknown.
    """

    entrant: Entrant
    num_clusters: int
    num_channels: int
    cell: MeasuredCell | None
    seconds: Spread | None
    ratio: float | None

    @property
    def is_settled(self) -> bool:
        """Whether no more trials of its cell are wanted."""
        return self.cell is not None and self.cell.is_settled


def entrants(num_clusters: int, num_channels: int) -> tuple[Entrant, ...]:
    """Who takes part where an upload is as long as the paper would have it for K clusters.

    The conventional scheme draws N clients and waits for all; the paper's draws N of each of
    K clusters. Two baselines say what of its gain is due to clusters: as many clients, drawn
    from all, uploading as they are ready; and as many sub-channels as clients, once with
    the bandwidth that takes, once with the band cut K times as fine, so that an upload takes
    K times as long. `rolling` is there at the uplink of four clusters.
    """
    k, n = num_clusters, num_channels
    clustered, uniform = paper_cell(k, n), uniform_cell(k * n)
    found = [
        Entrant(CONVENTIONAL, uniform_cell(n), Clock("wait-all", n, k)),
        Entrant(PAPER_SLOTS, clustered, Clock("slots", n, k)),
        Entrant("clusters, eager slots", clustered, Clock("eager-slots", n, k)),
        Entrant("clusters, fifo", clustered, Clock("fifo", n, k)),
        Entrant("clusters, wait-all", clustered, Clock("wait-all", n, k)),
        Entrant("K·N random clients, fifo", uniform, Clock("fifo", n, k)),
    ]
    if k == UPLINK_CLUSTERS:
        found.append(Entrant(ROLLING, rolling_cell(n), Clock("rolling", n, k)))
    wide, fine = Clock("wait-all", k * n, k), Clock("wait-all", k * n, 1)
    return (
        *found,
        Entrant("K·N sub-channels", uniform, wide, "K × the band"),
        Entrant("K·N sub-channels", uniform, fine, "same band"),
    )


def contest(sweep: MeasuredSweep, num_clusters: int, num_channels: int) -> tuple[Standing, ...]:
    """How the entrants did in a sweep."""
    standings = [
        (entrant, cell, None if cell is None else cell.seconds_spread(entrant.clock))
        for entrant in entrants(num_clusters, num_channels)
        for cell in [sweep.cell(entrant.cell)]
    ]
    base = standings[0][2]
    return tuple(
        Standing(
            entrant=entrant,
            num_clusters=num_clusters,
            num_channels=num_channels,
            cell=cell,
            seconds=seconds,
            ratio=_ratio(seconds, base),
        )
        for entrant, cell, seconds in standings
    )


def _ratio(seconds: Spread | None, base: Spread | None) -> float | None:
    if seconds is None or base is None or not (seconds.is_finite and base.is_finite):
        return None
    return seconds.median / base.median
