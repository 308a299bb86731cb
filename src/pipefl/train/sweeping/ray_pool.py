"""Tasks of Ray for the trials of a sweep."""

import os
import sys
import uuid
import warnings
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import ray
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from pipefl.checks import count
from pipefl.errors import PipeflError
from pipefl.sweeps.trial import Trial
from pipefl.train.executors.messages import Failed
from pipefl.train.executors.ray.answers import LOST
from pipefl.train.executors.ray.connection import connect
from pipefl.train.sweeping.mailbox import Mailbox
from pipefl.train.sweeping.pool import News
from pipefl.train.sweeping.ray_trial import Surroundings, run_trial
from pipefl.train.sweeping.task import Task

_MOST_DEATHS = 3  # over the same trial


class RayPool:
    """So many trials at once, each a task of Ray with one CPU.

    Runs are written where they would be without Ray, so that on several machines the sweep's
    folder has to be one that all of them share under the same path; a node that does not see
    it says so. A task whose process or node is lost is begun again and goes on from the
    trial's last checkpoint, which leads to the same bits.
    """

    def __init__(self, num_jobs: int, address: str | None = None) -> None:
        self._num_jobs = count("jobs", num_jobs)
        self._connection = connect(address, num_cpus=self._num_jobs, store_bytes=0)
        here = NodeAffinitySchedulingStrategy(ray.get_runtime_context().get_node_id(), soft=False)
        mailbox: Any = ray.remote(Mailbox)
        self._mailbox = mailbox.options(num_cpus=0, scheduling_strategy=here).remote()
        self._run: Any = ray.remote(run_trial)
        self._running: dict[Any, tuple[Trial, Task]] = {}
        self._deaths: Counter[Trial] = Counter()
        self._marks: dict[Path, Path] = {}

    @property
    def num_free(self) -> int:
        """How many more trials would run at once."""
        return self._num_jobs - len(self._running)

    def start(self, trial: Trial, task: Task) -> None:
        """Hand the trial to Ray, which begins it where there is a CPU for it."""
        absolute = replace(task, runs_dir=task.runs_dir.resolve())
        run = self._run.options(num_cpus=1, max_retries=0, scheduling_strategy="SPREAD")
        ref = run.remote(absolute, self._surroundings(absolute.runs_dir), self._mailbox)
        self._running[ref] = (trial, task)

    def news(self, timeout_s: float) -> Iterable[News]:
        """Rounds done, trials over; the loss of a task is warned of and made good."""
        if not self._running:
            return []
        heard, _ = ray.wait([*self._running], timeout=timeout_s)
        over = [news for ref in heard for news in self._over(ref)]
        done: dict[str, int] = ray.get(self._mailbox.news.remote())
        trials = {trial.name: trial for trial, _ in self._running.values()}
        told = [
            News(trials[name], rounds, False) for name, rounds in done.items() if name in trials
        ]
        return [*told, *over]

    def close(self) -> None:
        """Tell the trials to stop after their rounds, and wait for that."""
        ray.get(self._mailbox.stop.remote())
        if self._running:
            ray.wait([*self._running], num_returns=len(self._running))
        self._running = {}
        ray.kill(self._mailbox)
        for mark in self._marks.values():
            mark.unlink(missing_ok=True)
        self._connection.close()

    def _surroundings(self, runs_dir: Path) -> Surroundings:
        if runs_dir not in self._marks:
            runs_dir.mkdir(parents=True, exist_ok=True)
            self._marks[runs_dir] = runs_dir / f".seen-{uuid.uuid4().hex}"
            self._marks[runs_dir].touch()
        ours = {name: value for name, value in os.environ.items() if name.startswith("PIPEFL_")}
        return Surroundings(Path.cwd(), ours, tuple(sys.path), self._marks[runs_dir])

    def _over(self, ref: Any) -> list[News]:
        trial, task = self._running.pop(ref)
        try:
            answer = ray.get(ref)
        except LOST as error:
            self._again(trial, task, error)
            return []
        if isinstance(answer, Failed):
            raise PipeflError(answer.error) from RuntimeError(answer.traceback)
        return [News(trial, 0, is_over=True)]

    def _again(self, trial: Trial, task: Task, error: Exception) -> None:
        self._deaths[trial] += 1
        if self._deaths[trial] == _MOST_DEATHS:
            reason = " ".join(str(error).split())
            raise PipeflError(
                f"{_MOST_DEATHS} tasks of Ray were lost over the trial {trial.name}; is there "
                f"memory enough? fewer jobs need less; Ray says: {reason}"
            ) from error
        text = f"Ray lost the task of {trial.name}; another one goes on with it"
        warnings.warn(text, RuntimeWarning, stacklevel=2)
        self.start(trial, task)
