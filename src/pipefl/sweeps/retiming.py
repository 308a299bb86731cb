"""Recorded rounds on another clock: the same cohorts, another discipline or uplink."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pipefl.errors import PipeflError
from pipefl.policies.scene import Scene
from pipefl.policies.schedules import FLOWS, ROUND_POLICIES
from pipefl.runs.config import RunConfig
from pipefl.runs.directory import RunDirectory
from pipefl.runs.overrides import with_overrides
from pipefl.runs.records import RoundRecord, read_records
from pipefl.runs.scene import scene_of
from pipefl.timeline.durations import round_times


@dataclass(frozen=True, order=True)
class Clock:
    """How rounds are timed: in which discipline, on how many sub-channels, of which width.

    An upload takes the `upload_clusters`-th part of the spread of compute times, as the
    paper would have it for so many clusters. The `discipline` of a schedule without rounds
    is its own name.
    """

    discipline: str
    num_channels: int
    upload_clusters: int

    @property
    def name(self) -> str:
        """All of it in a few letters.

        >>> Clock("eager-slots", 2, 4).name
        'eager-slots-n2-u4'
        """
        return f"{self.discipline}-n{self.num_channels}-u{self.upload_clusters}"


def own_clock(config: RunConfig) -> Clock:
    """The clock on which a run was recorded."""
    clusters = config.upload_clusters or config.num_clusters
    if clusters is None or config.upload_time_s is not None:
        raise PipeflError(
            f"upload_time_s is {config.upload_time_s!r}; a run whose upload time is given, and "
            "not a number of clusters, stands beside no others"
        )
    if config.policy in FLOWS:
        return Clock(config.policy, config.num_channels, clusters)
    discipline = config.discipline or ROUND_POLICIES[config.policy].discipline
    return Clock(discipline, config.num_channels, clusters)


@dataclass(frozen=True, eq=False)
class RecordedRounds:
    r"""A run's rounds as they are on disk, to be put on the clock anew.

    .. math:: t_r = \sum_{i=1}^{r} \tau_\text{global}(\mathcal{S}_i)

    Who is in a round depends on seed and round, not on the clock, as long as nobody misses a
    slot and everybody can always be reached. Then the models are the same to the bit, and
    so are the accuracies: the run need not be repeated. Clustered cohorts belong to a number
    of clusters and to the upload time that makes them; so does every one of their clocks.

    Legend: 𝒮_i the clients of round i, τ_global how long it lasts.
    """

    config: RunConfig
    records: Sequence[RoundRecord]
    num_samples: NDArray[np.int64]

    def clock_s(self, clock: Clock) -> NDArray[np.float64]:
        """The simulated time after each round, had the run been on this clock."""
        own = own_clock(self.config)
        if clock == own:
            return np.array([record.clock_s for record in self.records])
        self._refuse_other_cohorts(clock, own)
        changed = with_overrides(self.config, {
            "num_channels": clock.num_channels,
            "upload_clusters": clock.upload_clusters,
            "discipline": clock.discipline,
        })  # fmt: skip
        scene = self.scene(changed)
        assert scene.plan is not None  # noqa: S101  # a run's scene has one
        assert changed.discipline is not None  # noqa: S101  # it has just been set
        times = round_times(
            np.array([record.client for record in self.records], dtype=np.intp),
            scene.compute_time_s,
            scene.plan.upload_time_s,
            clock.num_channels,
            discipline=changed.discipline,
            plan=scene.plan,
            server_time_s=scene.server_time_s,
        )
        return np.cumsum(times.duration_s)

    def scene(self, config: RunConfig | None = None) -> Scene:
        """Clients, plan and uplink as a configuration has them, the run's own unless given."""
        everybody = np.arange(self.num_samples.size).astype(object)
        return scene_of(config or self.config, self.num_samples, everybody)

    def _refuse_other_cohorts(self, clock: Clock, own: Clock) -> None:
        """Complain of a run whose cohorts would be others on that clock."""
        config, reason = self.config, None
        if config.policy not in ("clustered", "uniform"):
            reason = f"who is in a round of {config.policy!r} may depend on it"
        elif config.devices.jitter or config.devices.availability_file:
            reason = "its compute times vary, or its clients come and go"
        elif any(record.missed for record in self.records):
            reason = "clients missed their slots"
        elif config.policy == "clustered" and (clock.num_channels, clock.upload_clusters) != (
            own.num_channels,
            own.upload_clusters,
        ):
            reason = "its clusters would be others"
        if reason is not None:
            raise PipeflError(f"{config.name} cannot be put on another clock: {reason}")


def recorded_rounds(folder: Path) -> RecordedRounds:
    """The rounds of the run in a folder."""
    directory = RunDirectory(folder)
    clients = json.loads(directory.clients_path.read_text(encoding="utf-8"))
    return RecordedRounds(
        config=directory.config(),
        records=read_records(directory.rounds_path),
        num_samples=np.array(clients["num_samples"], dtype=np.int64),
    )
