"""Rounds as MLflow's metrics."""

from pathlib import Path
from typing import Any

from pipefl.errors import PipeflError
from pipefl.runs.config import RunConfig
from pipefl.runs.records import RoundRecord
from pipefl.train.observers.tensorboard import scalars
from pipefl.train.result import RunResult


class MlFlow:
    """An observer that logs to an MLflow tracking server or folder.

    `tracking_uri` None is MLflow's own choice (`MLFLOW_TRACKING_URI`, else a folder or
    database beside you). Settings become parameters, rounds metrics with the round for
    their step. A resumed run is a run of its own there, named alike.
    """

    def __init__(self, tracking_uri: str | None = None, experiment: str = "pipefl") -> None:
        try:
            from mlflow.tracking import MlflowClient
        except ImportError:
            raise PipeflError(
                "MLflow needs the package mlflow-skinny: pip install 'pipefl[mlflow]'"
            ) from None
        self._client: Any = MlflowClient(tracking_uri)
        self._experiment = experiment
        self._run_id = ""

    def began(self, config: RunConfig, path: Path, num_done: int) -> None:
        """Create the run and log its settings."""
        found = self._client.get_experiment_by_name(self._experiment)
        experiment = (
            self._client.create_experiment(self._experiment)
            if found is None
            else found.experiment_id
        )
        run = self._client.create_run(experiment, run_name=config.name)
        self._run_id = run.info.run_id
        for name, value in config.model_dump().items():
            self._client.log_param(self._run_id, name, value)
        self._client.log_param(self._run_id, "resumed_after", num_done)

    def after_round(self, record: RoundRecord) -> None:
        """One value of each metric."""
        for name, value in scalars(record).items():
            self._client.log_metric(self._run_id, name, value, step=record.round)

    def ended(self, result: RunResult) -> None:
        """The outcome, and the run's state."""
        for name, value in result.outcome().items():
            if value is not None:
                self._client.set_tag(self._run_id, name, str(value))
        states = {"stopped": "KILLED", "failed": "FAILED"}
        self._client.set_terminated(self._run_id, status=states.get(result.ending, "FINISHED"))
