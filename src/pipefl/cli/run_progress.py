"""A run's progress: a line that changes on a terminal, a log elsewhere, a summary at the end."""

import sys
import time
from pathlib import Path
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.live import Live
from rich.text import Text

from pipefl.report.durations import in_words
from pipefl.runs.config import RunConfig
from pipefl.runs.ending import ENDINGS
from pipefl.runs.records import RoundRecord
from pipefl.train.result import RunResult

_LOG_EVERY_S = 10.0


class Progress:
    """An observer that shows round, accuracy, simulated time, real rate and time left."""

    def __init__(self) -> None:
        console = Console(stderr=True)
        self._live = (
            Live(Text("preparing …"), console=console, refresh_per_second=5, transient=True)
            if console.is_terminal
            else None
        )
        self._max_rounds = 0
        self._num_done = 0
        self._began_s = self._logged_s = time.monotonic()

    def __enter__(self) -> Self:
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._live is not None:
            self._live.stop()

    def began(self, config: RunConfig, path: Path, num_done: int) -> None:
        """Say what is run, and where."""
        self._max_rounds, self._num_done = config.max_rounds, num_done
        self._began_s = self._logged_s = time.monotonic()
        target = "" if config.target_accuracy is None else f" to {config.target_accuracy:.4g}"
        begins = f"goes on after round {num_done:,}" if num_done else "begins"
        text = f"{path} {begins}: {config.model} on {config.dataset}{target}"
        print(text, file=sys.stderr)

    def after_round(self, record: RoundRecord) -> None:
        """Show the round, at most now and then if there is no terminal."""
        if self._live is not None:
            self._live.update(Text(self._line(record)))
            return
        now_s = time.monotonic()
        if now_s - self._logged_s >= _LOG_EVERY_S:
            self._logged_s = now_s
            print(self._line(record), file=sys.stderr, flush=True)

    def ended(self, result: RunResult) -> None:
        """Nothing: the summary is printed when the line is gone."""

    def _line(self, record: RoundRecord) -> str:
        seconds = max(time.monotonic() - self._began_s, 1e-9)
        rate = (record.round - self._num_done) / seconds
        left_s = (self._max_rounds - record.round) / rate
        parts = [
            f"round {record.round:,}/{self._max_rounds:,}",
            _accuracy(record),
            f"simulated {in_words(record.clock_s)}",
            f"{rate:.3g} rounds/s",
            f"≤ {in_words(left_s)} left",
        ]
        return " · ".join(part for part in parts if part)


def print_outcome(result: RunResult, go_on: str) -> None:
    """The summary: how it ended, rounds and simulated seconds, where the files are.

    Of a run that was stopped, `go_on` is the command that goes on with it.
    """
    best = "" if result.best_accuracy is None else f", best accuracy {result.best_accuracy:.4f}"
    print(f"{result.config.name}: {ENDINGS[result.ending]}")
    print(
        f"  {result.num_rounds:,} rounds, {in_words(result.clock_s)} on the simulated clock{best}"
    )
    if result.config.target_accuracy is not None and result.rounds_to_target is None:
        print(f"  the target accuracy, {result.config.target_accuracy:.4g}, was not reached")
    print(f"  files: {result.path}")
    if result.ending == "stopped":
        print(f"  go on: {go_on}")


def _accuracy(record: RoundRecord) -> str:
    if record.accuracy is not None:
        return f"accuracy {record.accuracy:.4f}"
    if record.accuracy_at_most is not None:
        return f"accuracy ≤ {record.accuracy_at_most:.4f}"
    return ""
