"""What a schedule comes to over many steps, in memory that does not grow with them."""

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from pipefl.checks import positive_seconds
from pipefl.policies.fairness import Fairness, fairness
from pipefl.policies.scene import Scene
from pipefl.policies.step import Step
from pipefl.wireless import EnergyModel

_NUM_BINS = 120
_MOST_DURATIONS = 100_000


@dataclass(frozen=True, eq=False)
class Summary:
    """A schedule over `num_steps` steps of the server, which took `total_s` seconds.

    `utilisation` is the share of the N sub-channels' time in which they carried uploads,
    `busy_share` the same for each of equal parts of the time. `staleness` is the mean
    number of steps by which an update was late, `max_staleness` the largest.
    `duration_s` holds the steps' durations, of the first 100,000. `energy_j` is what
    the clients spent, if an energy model was given.
    """

    name: str
    num_steps: int
    total_s: float
    num_served: int
    num_missed: int
    utilisation: float
    busy_share: NDArray[np.float64]
    duration_s: NDArray[np.float64]
    staleness: float
    max_staleness: int
    participation: NDArray[np.int64]
    fairness: Fairness
    energy_j: float | None

    @property
    def mean_step_s(self) -> float:
        """Seconds a step."""
        return self.total_s / max(1, self.num_steps)

    @property
    def clients_per_s(self) -> float:
        """Clients served in a second."""
        return self.num_served / self.total_s if self.total_s else 0.0

    @property
    def clients_per_step(self) -> float:
        """Clients served in a step."""
        return self.num_served / max(1, self.num_steps)


@dataclass(eq=False)
class Tally:
    """Adds steps up. It changes with every `add`; `summary` says what has come together."""

    scene: Scene
    until_s: float
    energy: EnergyModel | None = None
    num_steps: int = 0
    total_s: float = 0.0
    num_missed: int = 0
    busy_s: float = 0.0
    stale_steps: int = 0
    max_staleness: int = 0
    durations_s: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        positive_seconds("until_s", self.until_s)
        self.participation = np.zeros(self.scene.num_clients, dtype=np.int64)
        self.num_computed = np.zeros(self.scene.num_clients, dtype=np.int64)
        self.uploading_s = np.zeros(self.scene.num_clients)
        self.weight = np.zeros(self.scene.num_clients)
        self.busy_in_bin_s = np.zeros(_NUM_BINS)

    def add(self, step: Step) -> None:
        """Count one step in."""
        samples = self.scene.samples
        self.num_steps += 1
        self.total_s = step.end_s
        self.num_missed += step.missed.size
        if len(self.durations_s) < _MOST_DURATIONS:
            self.durations_s.append(step.duration_s)
        np.add.at(self.num_computed, np.concatenate([step.client, step.missed]), 1)
        if step.client.size == 0:
            return
        took_s = step.upload_end_s - step.upload_start_s
        self.busy_s += float(took_s.sum())
        self.add_busy(step.upload_start_s, step.upload_end_s)
        np.add.at(self.participation, step.client, 1)
        np.add.at(self.uploading_s, step.client, took_s)
        own = samples[step.client]
        np.add.at(self.weight, step.client, own / own.sum())
        self.stale_steps += int(step.staleness.sum())
        self.max_staleness = max(self.max_staleness, int(step.staleness.max()))

    def add_busy(self, start_s: NDArray[np.float64], end_s: NDArray[np.float64]) -> None:
        """Spread uploads over the equal parts of the time."""
        width_s = self.until_s / _NUM_BINS
        edges_s = np.arange(_NUM_BINS + 1) * width_s
        low = np.clip((start_s / width_s).astype(np.intp), 0, _NUM_BINS - 1)
        high = np.clip((end_s / width_s).astype(np.intp), 0, _NUM_BINS - 1)
        for step in range(int((high - low).max(initial=-1)) + 1):
            part = np.minimum(low + step, _NUM_BINS - 1)
            inside_s = np.minimum(end_s, edges_s[part + 1]) - np.maximum(start_s, edges_s[part])
            np.add.at(self.busy_in_bin_s, part, np.where(low + step <= high, inside_s, 0.0).clip(0))

    def add_busy_rounds(self, end_s: NDArray[np.float64], busy_s: NDArray[np.float64]) -> None:
        """Spread the busy time of rounds that follow the last one evenly over each of them."""
        edges_s = np.linspace(0.0, self.until_s, _NUM_BINS + 1)
        round_ends_s = np.append(self.total_s, end_s)
        busy_by_then_s = np.append(0.0, np.cumsum(busy_s))
        self.busy_in_bin_s += np.diff(np.interp(edges_s, round_ends_s, busy_by_then_s))

    def add_durations(self, duration_s: NDArray[np.float64]) -> None:
        """Keep the durations of many rounds, as far as there is room."""
        room = _MOST_DURATIONS - len(self.durations_s)
        if room > 0:
            self.durations_s.extend(duration_s[:room].tolist())

    def summary(self, name: str) -> Summary:
        """What has come together."""
        served = int(self.participation.sum())
        channels = self.scene.num_channels
        width_s = self.until_s / _NUM_BINS
        num_parts = max(1, min(_NUM_BINS, int(np.ceil(self.total_s / width_s - 1e-9))))
        return Summary(
            name=name,
            num_steps=self.num_steps,
            total_s=self.total_s,
            num_served=served,
            num_missed=self.num_missed,
            utilisation=self.busy_s / (channels * self.total_s) if self.total_s else 0.0,
            busy_share=self.busy_in_bin_s[:num_parts] / (channels * width_s),
            duration_s=np.array(self.durations_s),
            staleness=self.stale_steps / max(1, served),
            max_staleness=self.max_staleness,
            participation=self.participation,
            fairness=fairness(self.participation, self.weight, self.scene.samples),
            energy_j=None if self.energy is None else self._spent_j(self.energy),
        )

    def _spent_j(self, energy: EnergyModel) -> float:
        compute_j = np.dot(energy.compute_j(self.scene.samples), self.num_computed)
        return float(compute_j + energy.transmit_j(self.uploading_s).sum())


def summarise(
    name: str,
    steps: Iterable[Step],
    scene: Scene,
    until_s: float,
    energy: EnergyModel | None = None,
) -> Summary:
    """Run a schedule until `until_s` and sum up the steps that ended by then."""
    tally = Tally(scene, until_s, energy)
    for step in steps:
        if step.end_s > until_s * (1 + 1e-12):
            break
        tally.add(step)
    return tally.summary(name)
