"""One run on disk, from its first round or from where it was left, to its end."""

import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from pipefl.errors import PipeflError
from pipefl.policies.step import Step
from pipefl.runs.checkpoints import Checkpoint, read_newest, write_checkpoint
from pipefl.runs.config import RunConfig
from pipefl.runs.directory import RunDirectory, write_json
from pipefl.runs.ending import Ending
from pipefl.runs.records import RecordFile, RoundRecord, read_records
from pipefl.runs.writing import UnwritableError
from pipefl.train.assembly import Assembly, assembled
from pipefl.train.executors.by_name import executor_by_name
from pipefl.train.observer import Observer
from pipefl.train.result import RunResult
from pipefl.train.training import Training

_MOST_USELESS = 3  # rounds in a row of which no update can be used
_HOW_TO_GO_ON = "what was recorded before is kept: when that is put right, go on by --resume"


class UselessRoundsError(PipeflError):
    """Of several rounds in a row no client's update could be used: the run has diverged."""


def run_config(
    config: RunConfig,
    *,
    runs_dir: str | Path = "runs",
    resume: bool = False,
    observers: Sequence[Observer] = (),
    stop: Callable[[], bool] = lambda: False,
) -> RunResult:
    """Run a configuration in `runs_dir`/`config.name` until it ends or `stop()` is true.

    With `resume` a run that is there already is gone on with, from its newest checkpoint:
    it ends with the same bits as if it had never been interrupted, however it was. If there
    is none, it begins. `stop` is asked after every round; a run that was stopped has a
    checkpoint of that round.
    """
    directory = RunDirectory(Path(runs_dir) / config.name)
    if resume and directory.exists():
        directory.refuse_other(config)
    else:
        directory.refuse_existing()
    parts = assembled(config)
    with directory.locked(), _training(parts) as training:
        if not (resume and directory.exists()):
            directory.refuse_existing()  # another process may have begun one meanwhile
            _begin(directory, parts)
        return _Run(directory, parts, training, observers).to_its_end(stop)


def _begin(directory: RunDirectory, parts: Assembly) -> None:
    """Write what does not change any more; the config last, since it says that a run is there."""
    data, plan = parts.dataset, parts.scene.plan
    assert plan is not None  # noqa: S101  # a run's scene has one
    directory.path.mkdir(parents=True, exist_ok=True)
    write_json(directory.plan_path, plan.to_dict())
    clients = {
        "dataset": data.name,
        "source": data.source,
        "notes": data.notes,
        "client_id": [str(name) for name in data.client_id],
        "num_samples": data.num_samples.tolist(),
        "num_test_samples": len(data.test),
        "num_parameters": parts.initial.numel(),
        "schedule": parts.schedule.name,
    }
    write_json(directory.clients_path, clients)
    directory.begin(parts.config)


@contextmanager
def _training(parts: Assembly) -> Iterator[Training]:
    config = parts.config
    executor = executor_by_name(
        config.executor,
        parts.place,
        parts.algorithm,
        parts.model,
        config.workers,
        ray_address=config.ray_address,
    )
    try:
        yield Training(parts, executor)
    finally:
        executor.close()


class _Run:
    """A run in its directory, which nobody else writes to."""

    def __init__(
        self,
        directory: RunDirectory,
        parts: Assembly,
        training: Training,
        observers: Sequence[Observer],
    ) -> None:
        self._directory = directory
        self._parts = parts
        self._training = training
        self._observers = observers
        self._records = self._restored()
        self._saved_at_s = time.monotonic()

    def to_its_end(self, stop: Callable[[], bool]) -> RunResult:
        """Take step after step; record each, save now and then."""
        steps, done = self._upcoming(), len(self._records)
        for observer in self._observers:
            observer.began(self._parts.config, self._directory.path, done)
        try:
            with closing(RecordFile(self._directory.rounds_path, keep=done)) as file:
                ending = self._gone_on(steps, file, stop)
                if self._training.num_steps > done or not done:
                    self._save(file)
            result = self._result(ending)
            if ending != "stopped":
                write_json(self._directory.result_path, result.outcome())
        except Exception as error:
            self._tell(self._result("failed"))
            if isinstance(error, UnwritableError):
                raise PipeflError(f"{error}; {_HOW_TO_GO_ON}") from error
            raise
        self._tell(result)
        return result

    def _gone_on(self, steps: Iterator[Step], file: RecordFile, stop: Callable[[], bool]) -> Ending:
        ending = self._ending()
        while ending is None:
            step = next(steps, None)
            if step is None:
                return "nobody_left"
            self._take(step, file)
            ending = self._ending() or ("stopped" if stop() else None)
        return ending

    def _take(self, step: Step, file: RecordFile) -> None:
        record = self._training.take(step)
        file.append(record)
        self._records.append(record)
        for observer in self._observers:
            observer.after_round(record)
        self._refuse_to_go_on_in_vain()
        if self._is_due():
            self._save(file)

    def _restored(self) -> list[RoundRecord]:
        """The records up to the newest checkpoint, from which the training goes on."""
        directory = self._directory
        if not directory.rounds_path.exists():
            return []
        records = read_records(directory.rounds_path)
        checkpoint = read_newest(directory.checkpoints_path, len(records), _warn)
        if checkpoint is None:
            return []
        self._training.restore(checkpoint.num_steps, checkpoint.arrays)
        return records[: checkpoint.num_steps]

    def _upcoming(self) -> Iterator[Step]:
        """The schedule after the steps that are recorded.

        A schedule is a function of scene, seed and the losses that clients report, so it
        and whatever its policy has learned come back by going through it once more.
        """
        steps = self._parts.schedule.steps(self._parts.scene, self._parts.config.seed)
        for record in self._records:
            step = next(steps, None)
            if step is None or step.client.tolist() != record.client:
                place = f"{self._directory.rounds_path}, round {record.round}"
                raise PipeflError(f"{place}: these are not the clients of this run's schedule")
            self._parts.losses.hear(record.client, record.client_loss)
        return steps

    def _ending(self) -> Ending | None:
        config, records = self._parts.config, self._records
        if records and config.stop_at_target and _reached(records[-1], config.target_accuracy):
            return "target"
        return "max_rounds" if len(records) >= config.max_rounds else None

    def _refuse_to_go_on_in_vain(self) -> None:
        last = self._records[-_MOST_USELESS:]
        if len(last) == _MOST_USELESS and all(map(_is_useless, last)):
            client, reason = next(iter(last[-1].refused.items()))
            raise UselessRoundsError(
                f"no update could be used in {_MOST_USELESS} rounds in a row, the last of them "
                f"round {last[-1].round}: client {client}: {reason}; a smaller learning_rate may do"
            )

    def _is_due(self) -> bool:
        config = self._parts.config
        if config.checkpoint_every is not None:
            return self._training.num_steps % config.checkpoint_every == 0
        return time.monotonic() - self._saved_at_s >= config.checkpoint_every_s

    def _save(self, file: RecordFile) -> None:
        file.sync()
        checkpoint = Checkpoint(self._training.num_steps, self._training.arrays(), {})
        write_checkpoint(self._directory.checkpoints_path, checkpoint)
        self._saved_at_s = time.monotonic()

    def _result(self, ending: Ending) -> RunResult:
        plan = self._parts.scene.plan
        assert plan is not None  # noqa: S101  # a run's scene has one
        return RunResult(
            config=self._parts.config,
            path=self._directory.path,
            ending=ending,
            plan=plan,
            records=tuple(self._records),
            parameters=self._parts.place.model.layout.named(self._training.model),
        )

    def _tell(self, result: RunResult) -> None:
        for observer in self._observers:
            observer.ended(result)


def _reached(record: RoundRecord, target_accuracy: float | None) -> bool:
    if target_accuracy is None or record.accuracy is None:
        return False
    return record.accuracy >= target_accuracy


def _is_useless(record: RoundRecord) -> bool:
    """Whether clients delivered, and none of their updates could be used."""
    return bool(record.client) and {str(client) for client in record.client} <= set(record.refused)


def _warn(text: str) -> None:
    warnings.warn(text, RuntimeWarning, stacklevel=2)
