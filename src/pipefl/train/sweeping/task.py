"""One trial of a sweep, run to its end or as far as it is worth it."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pipefl.runs.config import RunConfig
from pipefl.runs.records import RoundRecord
from pipefl.sweeps.trial import note_failure
from pipefl.train.result import RunResult
from pipefl.train.run_config import UselessRoundsError, run_config


@dataclass(frozen=True)
class Task:
    """Run `config` in `runs_dir`, for no more than `most_rounds` rounds in all if that is given."""

    config: RunConfig
    runs_dir: Path
    most_rounds: int | None


@dataclass
class _Counter:
    """An observer that counts rounds and passes the count on."""

    tell: Callable[[int], None]
    done: int = 0

    def began(self, config: RunConfig, path: Path, num_done: int) -> None:
        """Go on counting."""
        self.done = num_done

    def after_round(self, record: RoundRecord) -> None:
        """One more."""
        self.done = record.round
        self.tell(self.done)

    def ended(self, result: RunResult) -> None:
        """Nothing to say."""


def run_task(task: Task, tell: Callable[[int], None], stop: Callable[[], bool]) -> None:
    """Run or go on with a trial; after each round `tell` its number, and ask whether to `stop`.

    A run that diverges is an outcome and is noted in its folder; whatever else goes wrong is
    an error.
    """
    counter = _Counter(tell)

    def enough() -> bool:
        return stop() or (task.most_rounds is not None and counter.done >= task.most_rounds)

    try:
        run_config(
            task.config, runs_dir=task.runs_dir, resume=True, observers=[counter], stop=enough
        )
    except UselessRoundsError as error:
        note_failure(task.runs_dir / task.config.name, str(error))
