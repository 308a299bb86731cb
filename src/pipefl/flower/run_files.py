"""A federation's run directory: begun, gone on with, and kept up after every round."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pipefl.flower.plan_config import PlanConfig
from pipefl.flower.planning import Planning
from pipefl.flower.roster import Roster
from pipefl.runs.checkpoints import Checkpoint, read_newest, write_checkpoint
from pipefl.runs.config import RunConfig
from pipefl.runs.directory import RunDirectory, write_json
from pipefl.runs.intervals import IntervalRecord, intervals_from, read_intervals
from pipefl.runs.records import RecordFile, RoundRecord, read_records


@dataclass(frozen=True, eq=False)
class About:
    """What stays the same in a run: name, settings, strategy, and what the app says of it."""

    path: Path
    plan_config: PlanConfig
    run_config: RunConfig | None
    strategy: str
    max_rounds: int

    def config(self) -> RunConfig:
        """The run's config.toml."""
        return self.plan_config.run_config(self.run_config, self.path.name, self.max_rounds)

    def federation(self) -> dict[str, Any]:
        """The run's federation.json."""
        return {"strategy": self.strategy, "settings": self.plan_config.beyond_the_run()}


class RunFiles:
    """The files of one federation, which nobody else writes to meanwhile."""

    def __init__(self, about: About, complain: Callable[[str], None]) -> None:
        self._about = about
        self._directory = RunDirectory(about.path)
        self._complain = complain
        self._rounds: RecordFile | None = None
        self._intervals: RecordFile | None = None

    def open(self, *, resume: bool) -> Checkpoint | None:
        """Begin a run, or return the state from which to go on with the one that is there."""
        directory, checkpoint = self._directory, None
        if resume and directory.exists():
            self._go_on()
            checkpoint = self._newest()
        else:
            directory.refuse_existing()
            directory.path.mkdir(parents=True, exist_ok=True)
            write_json(directory.federation_path, self._about.federation())
            directory.begin(self._about.config())
        done = 0 if checkpoint is None else checkpoint.num_steps
        self._rounds = RecordFile(directory.rounds_path, keep=done)
        self._intervals = RecordFile(directory.intervals_path, keep=done, parse=intervals_from)
        return checkpoint

    def planned(self, planning: Planning, roster: Roster, num_parameters: int) -> None:
        """Write the newest plan, and who is who."""
        clients, config = roster.clients, self._about.config()
        table = {
            "dataset": config.dataset,
            "source": "a federation of nodes that keep their data",
            "notes": {},
            "client_id": [f"partition {client.partition_id}" for client in clients],
            "num_samples": [client.num_samples for client in clients],
            "num_test_samples": 0,
            "num_parameters": num_parameters,
            "schedule": planning.schedule.name,
            "planned": planning.client.tolist(),
        }
        write_json(self._directory.plan_path, planning.plan.to_dict())
        write_json(self._directory.clients_path, table)

    def append(
        self, record: RoundRecord, intervals: IntervalRecord, checkpoint: Checkpoint
    ) -> None:
        """One round more, and the state after it."""
        assert self._rounds is not None  # noqa: S101  # it is open
        assert self._intervals is not None  # noqa: S101  # so is this
        for file, line in ((self._intervals, intervals), (self._rounds, record)):
            file.append(line)
            file.sync()
        write_checkpoint(self._directory.checkpoints_path, checkpoint)

    def finish(self, num_rounds: int) -> None:
        """The run has ended as it should."""
        records = read_records(self._directory.rounds_path)
        judged = [record.accuracy for record in records if record.accuracy is not None]
        outcome = {
            "ending": "max_rounds",
            "num_rounds": num_rounds,
            "clock_s": records[-1].clock_s if records else 0.0,
            "target_accuracy": None,
            "rounds_to_target": None,
            "seconds_to_target": None,
            "best_accuracy": max(judged, default=None),
        }
        write_json(self._directory.result_path, outcome)

    def close(self) -> None:
        """Nothing more is written."""
        for file in (self._rounds, self._intervals):
            if file is not None:
                file.close()

    def _newest(self) -> Checkpoint | None:
        """The newest checkpoint of as many rounds as both files have."""
        paths = self._directory.rounds_path, self._directory.intervals_path
        if not all(path.exists() for path in paths):
            return None
        most = min(len(read_records(paths[0])), len(read_intervals(paths[1])))
        return read_newest(self._directory.checkpoints_path, most, self._complain)

    def _go_on(self) -> None:
        """Complain of a run here that was scheduled otherwise; it may go on for more rounds."""
        directory, config = self._directory, self._about.config()
        theirs = directory.config()
        directory.refuse_other(config.model_copy(update={"max_rounds": theirs.max_rounds}))
        if config.max_rounds != theirs.max_rounds:
            directory.write_config(config)
