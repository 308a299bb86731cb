"""What has come of a run, from its folder alone."""

from collections.abc import Callable
from pathlib import Path

from pipefl.sweeps.trial import Outcome, Trial, note_failure, outcome_of, trial_config
from pipefl.train.run_config import run_config
from small_runs import ran, small
from small_sweeps import CLUSTERED, small_sweep


def test_a_trial_is_the_cell_at_a_point_with_a_seed() -> None:
    trial = Trial("k3-n2", (0.2,), 7)
    config = trial_config(small_sweep(), CLUSTERED, trial)
    assert (config.name, config.seed, config.learning_rate) == ("k3-n2-at-0.2-s7", 7, 0.2)
    assert (config.policy, config.num_clusters) == ("clustered", 3)


def test_where_there_is_no_run_nothing_is_done(tmp_path: Path) -> None:
    assert outcome_of(tmp_path / "none") == Outcome(0, None, None, is_over=False)


def test_a_run_that_has_done_all_it_may_is_over_without_the_target(tmp_path: Path) -> None:
    result = ran(small(max_rounds=2), tmp_path)
    assert outcome_of(result.path) == Outcome(2, None, None, is_over=True)


def test_a_run_that_was_stopped_is_not_over(tmp_path: Path) -> None:
    result = run_config(small(), runs_dir=tmp_path, stop=lambda: True)
    assert outcome_of(result.path) == Outcome(1, None, None, is_over=False)


def test_a_run_that_goes_on_after_its_target_is_over_when_it_ends(tmp_path: Path) -> None:
    config = small(target_accuracy=0.2, stop_at_target=False, evaluation="full", max_rounds=20)
    stopped = run_config(config, runs_dir=tmp_path, stop=_after(tmp_path / "small", 12))
    first = stopped.rounds_to_target
    assert first is not None
    assert outcome_of(stopped.path) == Outcome(12, first, stopped.seconds_to_target, is_over=False)
    ended = ran(config, tmp_path, resume=True)
    assert outcome_of(ended.path) == Outcome(20, first, stopped.seconds_to_target, is_over=True)


def _after(folder: Path, num_rounds: int) -> Callable[[], bool]:
    records = folder / "rounds.jsonl"
    return lambda: records.read_bytes().count(b"\n") >= num_rounds


def test_a_failure_is_noted_and_ends_a_run(tmp_path: Path) -> None:
    result = run_config(small(), runs_dir=tmp_path, stop=lambda: True)
    note_failure(result.path, "it diverged")
    assert outcome_of(result.path) == Outcome(1, None, None, is_over=True, failure="it diverged")
