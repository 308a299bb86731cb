"""Whoever wants to know how a run is getting on."""

from pathlib import Path
from typing import Protocol

from pipefl.runs.config import RunConfig
from pipefl.runs.records import RoundRecord
from pipefl.train.result import RunResult


class Observer(Protocol):
    """Is told of a run's beginning, of every round, and of its end; it cannot change anything."""

    def began(self, config: RunConfig, path: Path, num_done: int) -> None:
        """The run goes on after `num_done` rounds, 0 unless it is resumed."""
        ...

    def after_round(self, record: RoundRecord) -> None:
        """One round more is on disk."""
        ...

    def ended(self, result: RunResult) -> None:
        """No more rounds will come, for now; after an error too, with the ending "failed"."""
        ...
