"""Runs that take well under a second, for tests of the loop."""

from pathlib import Path

from pipefl.runs.config import RunConfig
from pipefl.runs.records import RoundRecord
from pipefl.train.result import RunResult
from pipefl.train.run_config import run_config


def small(**changes: object) -> RunConfig:
    """A linear model on 40 clients of the MNIST subset, three clusters, two sub-channels."""
    fields: dict[str, object] = {
        "name": "small",
        "dataset": "mnist-subset",
        "data": {"num_clients": 40, "test_samples": 400},
        "model": "linear",
        "num_clusters": 3,
        "num_channels": 2,
        "max_rounds": 6,
        "target_accuracy": 0.99,
        **changes,
    }
    return RunConfig.model_validate(fields)


def ran(config: RunConfig, folder: Path, *, resume: bool = False) -> RunResult:
    """The run in that folder."""
    return run_config(config, runs_dir=folder, resume=resume)


def bits(result: RunResult) -> tuple[bytes, dict[str, bytes]]:
    """All that a run has come to: its records and its model, byte for byte."""
    model = {name: array.tobytes() for name, array in result.parameters.items()}
    return (result.path / "rounds.jsonl").read_bytes(), model


class Listener:
    """An observer that remembers what it was told."""

    def __init__(self) -> None:
        self.told: list[object] = []

    def began(self, config: RunConfig, path: Path, num_done: int) -> None:
        self.told.append(num_done)

    def after_round(self, record: RoundRecord) -> None:
        self.told.append(record.round)

    def ended(self, result: RunResult) -> None:
        self.told.append(result.ending)
