"""Sweeps of runs that take a fraction of a second, and a pool that runs them in this process."""

from collections.abc import Iterable
from pathlib import Path

from pipefl.sweeps.config import CellConfig, SweepConfig
from pipefl.sweeps.directory import SweepDirectory
from pipefl.sweeps.trial import Trial
from pipefl.train.sweeping.pool import News
from pipefl.train.sweeping.task import Task, run_task
from small_runs import small

CLUSTERED = CellConfig(name="k3-n2", settings={"policy": "clustered", "num_clusters": 3})
UNIFORM = CellConfig(
    name="k1-n2", settings={"policy": "uniform", "discipline": "wait-all", "num_clusters": 1}
)


def small_sweep(**changes: object) -> SweepConfig:
    """Two cells of a linear model, three rates, two seeds, to an accuracy of 65 %."""
    fields: dict[str, object] = {
        "name": "small",
        "base": small(target_accuracy=0.65, max_rounds=40),
        "cells": (CLUSTERED, UNIFORM),
        "grids": {"learning_rate": (0.05, 0.1, 0.2)},
        "seeds": (0, 1),
        "extend": False,
        **changes,
    }
    return SweepConfig.model_validate(fields)


def begun(sweep: SweepConfig, folder: Path) -> SweepDirectory:
    """The sweep's directory, of which nothing has been run."""
    directory = SweepDirectory(folder / sweep.name)
    directory.begin(sweep)
    return directory


class HerePool:
    """One trial at a time, in this process; it can be told to stop in the middle of one."""

    def __init__(self, stop_after: int | None = None) -> None:
        self.taken: list[tuple[Trial, int | None]] = []
        self.num_rounds = 0
        self._stop_after = stop_after
        self._waiting: list[tuple[Trial, Task]] = []

    @property
    def num_free(self) -> int:
        return 1 - len(self._waiting)

    @property
    def has_stopped(self) -> bool:
        return self._stop_after is not None and self.num_rounds >= self._stop_after

    def start(self, trial: Trial, task: Task) -> None:
        self.taken.append((trial, task.most_rounds))
        self._waiting.append((trial, task))

    def news(self, timeout_s: float) -> Iterable[News]:
        trial, task = self._waiting.pop()
        run_task(task, self._count, lambda: self.has_stopped)
        return [News(trial, 0, is_over=True)]

    def close(self) -> None:
        """Nothing is running between two calls."""

    def _count(self, done: int) -> None:
        self.num_rounds += 1
