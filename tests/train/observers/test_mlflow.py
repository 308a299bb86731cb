"""MLflow's runs, read back by MLflow."""

import sys
from pathlib import Path
from typing import Any

import pytest

from pipefl.errors import PipeflError
from pipefl.train.observers.mlflow import MlFlow
from pipefl.train.observers.tensorboard import scalars
from pipefl.train.run_config import UselessRoundsError, run_config
from small_runs import small


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A folder for MLflow, which would rather have a database."""
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    return (tmp_path / "ml").as_uri()


def runs_at(place: str) -> list[Any]:
    """All runs of the experiment, the last one first."""
    from mlflow.tracking import MlflowClient

    client = MlflowClient(place)
    experiment = client.get_experiment_by_name("pipefl")
    assert experiment is not None
    return list(client.search_runs([experiment.experiment_id]))


def test_every_number_of_every_round_is_logged(tmp_path: Path, place: str) -> None:
    from mlflow.tracking import MlflowClient

    result = run_config(small(), runs_dir=tmp_path, observers=[MlFlow(place)])
    (run,) = runs_at(place)
    assert (run.info.run_name, run.info.status) == ("small", "FINISHED")
    assert run.data.params["learning_rate"] == "0.1"
    assert run.data.tags["ending"] == "max_rounds"
    client, found = MlflowClient(place), {}
    for name in run.data.metrics:
        for each in client.get_metric_history(run.info.run_id, name):
            found[each.step, name] = each.value
    expected = {
        (record.round, name): value
        for record in result.records
        for name, value in scalars(record).items()
    }
    assert found == expected


def test_its_state_says_how_a_run_has_ended(tmp_path: Path, place: str) -> None:
    run_config(small(), runs_dir=tmp_path, observers=[MlFlow(place)], stop=lambda: True)
    run_config(small(), runs_dir=tmp_path, observers=[MlFlow(place)], resume=True)
    diverging = small(name="diverging", learning_rate=1e30, largest_update=1e3)
    with pytest.raises(UselessRoundsError):
        run_config(diverging, runs_dir=tmp_path, observers=[MlFlow(place)])
    found = [
        (r.info.run_name, r.info.status, r.data.params["resumed_after"]) for r in runs_at(place)
    ]
    assert found == [
        ("diverging", "FAILED", "0"),
        ("small", "FINISHED", "1"),
        ("small", "KILLED", "0"),
    ]


def test_without_the_package_it_is_said_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mlflow.tracking", None)
    with pytest.raises(PipeflError, match="pip install 'pipefl.mlflow.'"):
        MlFlow()
