"""Federations whose server died."""

from pathlib import Path

import numpy as np
import pytest
from flwr.app import ArrayRecord, MetricRecord
from flwr.serverapp.strategy import (
    DifferentialPrivacyServerSideAdaptiveClipping,
    FedAdam,
    FedAvg,
    FedAvgM,
    Strategy,
)

import in_process
import small_federations as small
from pipefl.errors import PipeflError
from pipefl.runs.directory import RunDirectory


class DiedError(RuntimeError):
    """What kills the server in these tests."""


def _strategies() -> dict[str, Strategy]:
    return {
        "FedAvg": small.averaging(),
        "FedAdam": FedAdam(**small.TAKING, beta_1=0.9, beta_2=0.99),
        "FedAvgM": FedAvgM(**small.TAKING, server_momentum=0.9),
    }


def _dying(round_number: int):  # type: ignore[no-untyped-def]  # an evaluation
    def evaluate(number: int, arrays: ArrayRecord) -> MetricRecord | None:
        if number == round_number:
            raise DiedError
        return None

    return evaluate


@pytest.mark.parametrize("name", _strategies())
def test_a_resumed_federation_comes_to_the_same_model_to_the_last_bit(
    name: str, tmp_path: Path
) -> None:
    whole = small.federate(
        in_process.federation(small.COMPUTE_S), rounds=4, strategy=_strategies()[name]
    )
    with pytest.raises(DiedError):
        small.federate(
            in_process.federation(small.COMPUTE_S),
            rounds=4,
            strategy=_strategies()[name],
            run_dir=tmp_path / "run",
            evaluate_fn=_dying(3),
        )
    assert len(small.rounds_of(tmp_path / "run")) == 2
    resumed = small.federate(
        in_process.federation(small.COMPUTE_S),
        rounds=4,
        strategy=_strategies()[name],
        run_dir=tmp_path / "run",
        resume=True,
    )
    assert [record.round for record in small.rounds_of(tmp_path / "run")] == [1, 2, 3, 4]
    assert sorted(resumed.train_metrics_clientapp) == [3, 4]
    mine, theirs = in_process.arrays(resumed.arrays), in_process.arrays(whole.arrays)
    assert {n: a.tobytes() for n, a in mine.items()} == {n: a.tobytes() for n, a in theirs.items()}
    assert {n: a.shape for n, a in mine.items()} == {n: a.shape for n, a in theirs.items()}


def test_what_was_measured_is_known_again(tmp_path: Path) -> None:
    grid = in_process.federation(small.COMPUTE_S)
    slow = next(iter(grid.nodes.values()))
    slow.app = in_process.client_app(0.5, in_process.trained(0), profile_s=0.02)
    small.federate(grid, rounds=2, config=small.quick(num_channels=2), run_dir=tmp_path / "run")
    config = small.quick(num_channels=2, forgiven_s=0.2, replan_above=0.05)
    small.federate(grid, rounds=3, config=config, run_dir=tmp_path / "run", resume=True)
    before, after = small.intervals_of(tmp_path / "run")[1:]
    assert (before.plan, after.plan) == (1, 2)
    # The plan was kept, and then made anew with what was measured before, not with profiles.
    assert any("of the slots would be missed" in event for event in after.events)
    assert before.cluster[before.client.index(0)] == 0
    assert after.cluster[after.client.index(0)] == 2
    clock = [record.clock_s for record in small.rounds_of(tmp_path / "run")]
    assert clock == sorted(clock)


def test_a_run_that_is_done_is_left_as_it_is(tmp_path: Path) -> None:
    grid = in_process.federation(small.COMPUTE_S)
    first = small.federate(grid, rounds=2, run_dir=tmp_path / "run")
    trained = [node.num_trained for node in grid.nodes.values()]
    again = small.federate(grid, rounds=2, run_dir=tmp_path / "run", resume=True)
    assert [node.num_trained for node in grid.nodes.values()] == trained
    for name, array in in_process.arrays(first.arrays).items():
        assert (in_process.arrays(again.arrays)[name] == array).all()


def test_resume_begins_a_run_that_is_not_there(tmp_path: Path) -> None:
    grid = in_process.federation(small.COMPUTE_S)
    small.federate(grid, run_dir=tmp_path / "run", resume=True)
    assert len(small.rounds_of(tmp_path / "run")) == 1


def test_half_a_line_and_a_damaged_checkpoint_are_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "run"
    small.federate(in_process.federation(small.COMPUTE_S), rounds=2, run_dir=path)
    directory = RunDirectory(path)
    with directory.intervals_path.open("a") as file:
        file.write('{"round":3,')
    newest = max(directory.checkpoints_path.iterdir())
    newest.write_bytes(newest.read_bytes()[:-1])
    with pytest.warns(RuntimeWarning, match="is damaged"):
        small.federate(in_process.federation(small.COMPUTE_S), rounds=3, run_dir=path, resume=True)
    assert [record.round for record in small.intervals_of(path)] == [1, 2, 3]
    assert [record.round for record in small.rounds_of(path)] == [1, 2, 3]


def test_a_run_of_other_settings_is_refused(tmp_path: Path) -> None:
    small.federate(in_process.federation(small.COMPUTE_S), run_dir=tmp_path / "run")
    with pytest.raises(PipeflError, match="another configuration: seed 0 → 5"):
        small.federate(
            in_process.federation(small.COMPUTE_S),
            config=small.quick(seed=5),
            run_dir=tmp_path / "run",
            resume=True,
        )


def test_a_model_of_other_arrays_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small.federate(in_process.federation(small.COMPUTE_S), run_dir=tmp_path / "run")
    monkeypatch.setitem(in_process.MODEL, "more", np.zeros(2, np.float32))
    with pytest.raises(PipeflError, match="missing or unknown are more"):
        small.federate(
            in_process.federation(small.COMPUTE_S), run_dir=tmp_path / "run", resume=True
        )


def test_the_clipping_norm_that_was_learned_is_known_again(tmp_path: Path) -> None:
    def private() -> DifferentialPrivacyServerSideAdaptiveClipping:
        within = FedAvg(**small.TAKING)
        return DifferentialPrivacyServerSideAdaptiveClipping(
            within, 0.0, 3, clipped_count_stddev=0.0
        )

    first = private()
    small.federate(in_process.federation(small.COMPUTE_S), strategy=first, run_dir=tmp_path / "run")
    assert first.clipping_norm != private().clipping_norm
    second = private()
    small.federate(
        in_process.federation(small.COMPUTE_S),
        strategy=second,
        run_dir=tmp_path / "run",
        resume=True,
    )
    assert second.clipping_norm == first.clipping_norm
