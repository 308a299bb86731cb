"""TensorBoard's files, read back by TensorBoard."""

import sys
from pathlib import Path

import pytest
from tensorboard.backend.event_processing.event_accumulator import (  # type: ignore[import-untyped]  # it comes without types
    EventAccumulator,
)

from pipefl.errors import PipeflError
from pipefl.runs.records import RoundRecord
from pipefl.train.observers.tensorboard import TensorBoard, scalars
from pipefl.train.run_config import run_config
from small_runs import Listener, small


def read_back(folder: Path) -> dict[str, dict[int, float]]:
    """Every scalar's values by step, of which there is one a step."""
    events = EventAccumulator(str(folder / "small"))
    events.Reload()
    found = {}
    for name in events.Tags()["scalars"]:
        values = {each.step: each.value for each in events.Scalars(name)}
        assert len(values) == len(events.Scalars(name))
        found[name] = values
    return found


def check(found: dict[str, dict[int, float]], records: tuple[RoundRecord, ...]) -> None:
    """Every round's every number is there, in float32, and nothing else."""
    assert {step for values in found.values() for step in values} == {r.round for r in records}
    for record in records:
        own = {
            name: values[record.round] for name, values in found.items() if record.round in values
        }
        assert own == pytest.approx(scalars(record), rel=1e-6)


def test_every_number_of_every_round_is_written(tmp_path: Path) -> None:
    board = TensorBoard(tmp_path / "board")
    config = small(evaluation="full", evaluate_every=2, devices={"jitter": 1.0})
    result = run_config(config, runs_dir=tmp_path, observers=[board])
    found = read_back(tmp_path / "board")
    check(found, result.records)
    assert list(found["accuracy"]) == [2, 4, 6]
    assert sum(found["num_missed"].values()) > 0


def test_rounds_that_are_done_again_are_purged(tmp_path: Path) -> None:
    """As after a kill: the records of round 5 are there, its checkpoint is not."""
    config = small(checkpoint_every=2)
    board = TensorBoard(tmp_path / "board")
    told: list[int] = []

    def stop() -> bool:
        told.append(1)
        return len(told) == 5

    stopped = run_config(config, runs_dir=tmp_path, observers=[board], stop=stop)
    newest = max((stopped.path / "checkpoints").iterdir())
    newest.unlink()
    result = run_config(
        config, runs_dir=tmp_path, resume=True, observers=[TensorBoard(tmp_path / "board")]
    )
    assert result.num_rounds == 6
    check(read_back(tmp_path / "board"), result.records)


def test_a_round_is_there_before_the_next_one(tmp_path: Path) -> None:
    seen = []

    class Reader(Listener):
        def after_round(self, record: RoundRecord) -> None:
            seen.append(list(read_back(tmp_path / "board")["clock_s"]))

    run_config(
        small(max_rounds=3),
        runs_dir=tmp_path,
        observers=[TensorBoard(tmp_path / "board"), Reader()],
    )
    assert seen == [[1], [1, 2], [1, 2, 3]]


class Breaking(Listener):
    """An observer that ends a run by an error."""

    def after_round(self, record: RoundRecord) -> None:
        if record.round == 3:
            raise PipeflError("enough of this")


def test_a_run_that_breaks_off_loses_nothing(tmp_path: Path) -> None:
    board = TensorBoard(tmp_path / "board")
    with pytest.raises(PipeflError, match="enough of this"):
        run_config(small(), runs_dir=tmp_path, observers=[board, Breaking()])
    assert list(read_back(tmp_path / "board")["clock_s"]) == [1, 2, 3]


def test_without_the_package_it_is_said_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch.utils.tensorboard", None)
    with pytest.raises(PipeflError, match="pip install 'pipefl.tensorboard.'"):
        TensorBoard("board")
