"""What a run has come to, in memory and on disk."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pipefl.plan import ClusterPlan
from pipefl.runs.config import RunConfig
from pipefl.runs.ending import Ending
from pipefl.runs.history import first_at_target, history
from pipefl.runs.records import RoundRecord

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, eq=False)
class RunResult:
    """A run's outcome.

    `rounds_to_target` and `seconds_to_target` are None where the target was not reached, or
    there was none; seconds are those of the simulated clock. Where rounds do not exist,
    steps of the server are counted. `parameters` are the newest model's arrays by name.
    """

    config: RunConfig
    path: Path
    ending: Ending
    plan: ClusterPlan
    records: tuple[RoundRecord, ...]
    parameters: Mapping[str, NDArray[np.float32]]

    @property
    def num_rounds(self) -> int:
        """Rounds done."""
        return len(self.records)

    @property
    def clock_s(self) -> float:
        """Seconds that they took, on the simulated clock."""
        return self.records[-1].clock_s if self.records else 0.0

    @property
    def rounds_to_target(self) -> int | None:
        """The first round after which the accuracy was at least the target."""
        return None if self._at_target is None else self._at_target.round

    @property
    def seconds_to_target(self) -> float | None:
        """The simulated clock at its end."""
        return None if self._at_target is None else self._at_target.clock_s

    @property
    def best_accuracy(self) -> float | None:
        """The highest accuracy that was measured in full."""
        return max((r.accuracy for r in self.records if r.accuracy is not None), default=None)

    @cached_property
    def history(self) -> "pl.DataFrame":
        """One row a round: round, duration_s, clock_s, accuracy, loss, ..."""
        return history(self.records)

    def outcome(self) -> dict[str, Any]:
        """The outcome in the form of `result.json`."""
        return {
            "ending": self.ending,
            "num_rounds": self.num_rounds,
            "clock_s": self.clock_s,
            "target_accuracy": self.config.target_accuracy,
            "rounds_to_target": self.rounds_to_target,
            "seconds_to_target": self.seconds_to_target,
            "best_accuracy": self.best_accuracy,
        }

    @cached_property
    def _at_target(self) -> RoundRecord | None:
        target = self.config.target_accuracy
        return None if target is None else first_at_target(self.records, target)
