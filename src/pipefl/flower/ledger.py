"""What is kept from round to round, in memory and in the run directory."""

import warnings
from contextlib import ExitStack
from time import perf_counter

from flwr.app import ArrayRecord, MetricRecord
from flwr.serverapp.strategy import Strategy

from pipefl.flower.federation import Federation
from pipefl.flower.recording import DoneRound, interval_record, round_record
from pipefl.flower.replies import Arrays, arrays_of, record_of
from pipefl.flower.run_files import About, RunFiles
from pipefl.flower.saving import Saved, checkpoint_of, restored
from pipefl.flower.strategy_state import (
    StrategyState,
    learned,
    refuse_unsavable,
    restore,
    state_of,
)
from pipefl.runs.checkpoints import Checkpoint
from pipefl.runs.directory import locked_folder


class Ledger:
    """How many rounds are done, how late it is, and the models that clients may refer to.

    `models` has the model that was sent in each round (from 0) that a client still has an
    update of, and the newest. Without `about` nothing is written.
    """

    def __init__(self, strategy: Strategy, at_first: StrategyState, about: About | None) -> None:
        self.num_done = 0
        self.models: dict[int, Arrays] = {}
        self._strategy = strategy
        self._at_first = at_first
        self._path = None if about is None else about.path
        self._files = None if about is None else RunFiles(about, _warn)
        self._written_plan = 0
        self._before_s = 0.0
        self._begun_at_s = perf_counter()
        self._resources = ExitStack()

    def begin(self, initial: ArrayRecord, federation: Federation, *, resume: bool) -> ArrayRecord:
        """Begin a run with these arrays, or go on with the arrays of the one that is there."""
        if self._files is None or self._path is None:
            return initial
        if resume:
            refuse_unsavable(self._strategy)
        self._resources.enter_context(locked_folder(self._path))
        self._resources.callback(self._files.close)
        checkpoint = self._files.open(resume=resume)
        return initial if checkpoint is None else self._recalled(checkpoint, initial, federation)

    def clock_s(self, time_s: float) -> float:
        """The run's clock at a time of `perf_counter`; it stood still while nobody ran."""
        return self._before_s + time_s - self._begun_at_s

    def sent(self, index: int, arrays: ArrayRecord) -> None:
        """Remember the model of round `index`."""
        self.models[index] = arrays_of(arrays)

    def complete(
        self,
        done: DoneRound,
        arrays: ArrayRecord,
        federation: Federation,
        metrics: MetricRecord | None,
        accuracy_key: str,
    ) -> None:
        """A round is over, with this new model and these metrics of it."""
        record = round_record(done, metrics, accuracy_key)
        self.num_done = record.round
        wanted = set(federation.kept.values())
        self.models = {index: m for index, m in self.models.items() if index in wanted}
        if self._files is None:
            return
        planning = done.plan.planning
        if planning.number != self._written_plan:
            size = sum(array.size for array in arrays_of(arrays).values())
            self._files.planned(planning, federation.roster, size)
            self._written_plan = planning.number
        saved = Saved(
            num_rounds=self.num_done,
            clock_s=record.clock_s,
            model=arrays_of(arrays),
            sent=self.models,
            strategy=learned(state_of(self._strategy), self._at_first),
            notes=federation.notes(),
        )
        self._files.append(record, interval_record(done), checkpoint_of(saved))

    def finish(self) -> None:
        """The run has ended as it should."""
        if self._files is not None:
            self._files.finish(self.num_done)

    def close(self) -> None:
        """Nothing more is written, and the directory is anybody's."""
        self._resources.close()

    def _recalled(
        self, checkpoint: Checkpoint, initial: ArrayRecord, federation: Federation
    ) -> ArrayRecord:
        saved = restored(checkpoint, list(initial))
        self.num_done, self._before_s = saved.num_rounds, saved.clock_s
        self.models = dict(saved.sent)
        restore(self._strategy, saved.strategy)
        federation.recall(saved.notes)
        return record_of(saved.model)


def _warn(text: str) -> None:
    warnings.warn(text, RuntimeWarning, stacklevel=2)
