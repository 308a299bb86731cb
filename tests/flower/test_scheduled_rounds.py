import json
from pathlib import Path

import numpy as np
import pytest

import in_process
import small_federations as small
from pipefl.errors import ArgumentError, PipeflError
from pipefl.plan import ClusterPlan
from pipefl.policies.clustered import Clustered
from pipefl.policies.policy import State
from pipefl.policies.scene import Scene
from pipefl.randomness import generator
from pipefl.runs.directory import RunDirectory
from pipefl.runs.history import history


def _drawn(plan: ClusterPlan, index: int, seed: int) -> list[int]:
    """The draw of the paper's policy when all clients are there."""
    number = plan.num_clients
    scene = Scene(plan.compute_time_s, np.ones(number), plan=plan)
    nothing = np.zeros(number, dtype=np.int64)
    state = State(
        scene=scene,
        clock_s=0.0,
        participation=nothing,
        last_round=nothing,
        observed_time_s=np.full(number, np.nan),
        available=np.ones(number, dtype=np.bool_),
        carried=np.zeros(0, dtype=np.intp),
        memory=Clustered().start(scene),
    )
    cohort = Clustered().select(index, state, generator(seed, "select", index))
    return [int(client) for client in cohort]


@pytest.mark.paper("alg:csgd")
def test_every_round_schedules_the_draw_of_the_policy_and_nobody_else_trains(
    tmp_path: Path,
) -> None:
    grid = in_process.federation(small.COMPUTE_S)
    small.federate(grid, rounds=4, config=small.quick(seed=3), run_dir=tmp_path / "run")
    plan = ClusterPlan.from_dict(json.loads(RunDirectory(tmp_path / "run").plan_path.read_text()))
    assert plan.cluster_of.tolist() == [0, 0, 1, 1, 2, 2]
    cohorts = [record.client for record in small.rounds_of(tmp_path / "run")]
    assert cohorts == [_drawn(plan, index, 3) for index in range(4)]
    trained = [node.num_trained for node in grid.nodes.values()]
    assert trained == np.bincount(np.concatenate(cohorts), minlength=6).tolist()


@pytest.mark.paper("eq:gradients_averaging")
def test_the_model_is_the_wrapped_strategys_average_over_the_cohort(tmp_path: Path) -> None:
    grid = in_process.federation(small.COMPUTE_S)
    result = small.federate(grid, run_dir=tmp_path / "run")
    (cohort,) = [record.client for record in small.rounds_of(tmp_path / "run")]
    expected = np.mean([0.25 * (client + 1) for client in cohort], dtype=np.float32)
    for array in in_process.arrays(result.arrays).values():
        np.testing.assert_allclose(array, expected, rtol=1e-6)


def test_draws_do_not_depend_on_the_order_in_which_nodes_connect(tmp_path: Path) -> None:
    cohorts = []
    for name, order in (("a", range(6)), ("b", (4, 1, 5, 0, 3, 2))):
        grid = in_process.InProcessGrid()
        for partition_id in order:
            grid.join(in_process.honest(partition_id, small.COMPUTE_S[partition_id]))
        small.federate(grid, rounds=2, run_dir=tmp_path / name)
        cohorts.append([record.client for record in small.rounds_of(tmp_path / name)])
    assert cohorts[0] == cohorts[1]


def test_the_run_directory_is_that_of_a_simulated_run_with_intervals_beside(
    tmp_path: Path,
) -> None:
    grid = in_process.federation(small.COMPUTE_S)
    path = tmp_path / "run"
    small.federate(grid, rounds=2, run_dir=path, evaluate_fn=small.accuracy_of_round)
    config = RunDirectory(path).config()
    assert (config.policy, config.num_clusters, config.executor) == ("clustered", 3, "flower")
    frame = history(small.rounds_of(path))
    assert frame["accuracy"].to_list() == [0.1, 0.2]
    assert frame["num_delivered"].to_list() == [3, 3]
    assert (frame["clock_s"].diff().drop_nulls() > 0).all()
    outcome = json.loads(RunDirectory(path).result_path.read_text())
    assert (outcome["ending"], outcome["best_accuracy"]) == ("max_rounds", 0.2)
    clients = json.loads(RunDirectory(path).clients_path.read_text())
    assert clients["client_id"] == [f"partition {number}" for number in range(6)]


def test_intervals_say_what_was_planned_and_what_was(tmp_path: Path) -> None:
    grid = in_process.federation(small.COMPUTE_S)
    small.federate(grid, rounds=2, run_dir=tmp_path / "run")
    for record, intervals in zip(
        small.rounds_of(tmp_path / "run"), small.intervals_of(tmp_path / "run"), strict=True
    ):
        assert intervals.client == record.client
        assert intervals.planned.upload_start_s == intervals.slot_time_s
        planned, actual = intervals.planned_round(), intervals.actual_round()
        assert planned.duration_s == pytest.approx(intervals.slot_time_s[-1] + 0.05)
        assert actual.delivered.all()
        assert (actual.ready_s <= actual.upload_start_s + 1e-9).all()
        assert (actual.upload_start_s <= actual.upload_end_s).all()
        assert actual.duration_s == record.duration_s
        # Nobody was let go before its slot, by its own clock.
        assert all(lateness is not None and lateness >= 0 for lateness in intervals.lateness_s)


def test_conventional_rounds_and_rounds_without_slots_go_through_too(tmp_path: Path) -> None:
    grid = in_process.federation(small.COMPUTE_S)
    waiting = small.quick(policy="uniform", discipline="wait-all", num_channels=2)
    small.federate(grid, rounds=2, config=waiting, run_dir=tmp_path / "waiting")
    for record in small.intervals_of(tmp_path / "waiting"):
        planned = record.planned_round()
        assert len(record.client) == 2
        assert (planned.upload_start_s == planned.ready_s.max()).all()
    at_once = small.quick(policy="uniform-kn", discipline="fifo", num_channels=2)
    small.federate(grid, rounds=2, config=at_once, run_dir=tmp_path / "at once")
    for record in small.intervals_of(tmp_path / "at once"):
        assert len(record.client) == 6
        assert record.lateness_s == [0.0] * 6


def test_evaluation_asks_everybody(tmp_path: Path) -> None:
    grid = in_process.federation(small.COMPUTE_S)
    strategy = small.averaging(fraction_evaluate=1.0)
    result = small.federate(grid, strategy=strategy, run_dir=tmp_path / "run")
    assert result.evaluate_metrics_clientapp[1]["accuracy"] == pytest.approx(0.5)


def test_without_a_run_directory_nothing_is_written(tmp_path: Path) -> None:
    small.federate(in_process.federation(small.COMPUTE_S))
    assert list(tmp_path.iterdir()) == []


def test_a_strategy_that_waits_for_more_than_the_cohort_is_told(tmp_path: Path) -> None:
    grid = in_process.federation(small.COMPUTE_S)
    with pytest.raises(PipeflError, match="waits for more nodes than the 3 of this round's"):
        small.federate(grid, strategy=small.averaging(min_available_nodes=6))


def test_a_strategy_that_leaves_out_some_of_the_cohort_is_told() -> None:
    grid = in_process.federation(small.COMPUTE_S)
    with pytest.raises(PipeflError, match="sends 1 messages to the 3 nodes"):
        small.federate(grid, strategy=small.averaging(fraction_train=0.4))


def test_a_run_that_is_there_is_not_written_over(tmp_path: Path) -> None:
    grid = in_process.federation(small.COMPUTE_S)
    small.federate(grid, run_dir=tmp_path / "run")
    with pytest.raises(PipeflError, match="holds a run already"):
        small.federate(grid, run_dir=tmp_path / "run")


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"policy": "rolling"}, "policy is 'rolling'; it has no rounds"),
        ({"policy": "oort"}, "policy is 'oort'; in a federation it may be clustered, uniform"),
        ({"policy": "clusterd"}, "in a federation it may be clustered"),
        ({"upload_time_s": 0.0}, "upload_time_s is 0.0; it must be a finite number of seconds"),
        ({"quantile": 1.0}, "quantile is 1.0; it must lie between 0 and 1"),
        ({"missed": "later"}, "missed is 'later'; it must be one of drop, next-slot, carry"),
        ({"discipline": "slot"}, "discipline is 'slot'; it must be one of slots"),
        ({"replan_above": 1.5}, "replan_above is 1.5; it must be a number from 0 to 1"),
    ],
)
def test_settings_that_cannot_be_are_named(changes: dict[str, object], complaint: str) -> None:
    with pytest.raises(ArgumentError, match=complaint):
        small.quick(**changes)


def test_clusters_that_do_not_fit_are_fewer_and_the_record_says_so(tmp_path: Path) -> None:
    grid = in_process.federation(small.COMPUTE_S)
    small.federate(grid, config=small.quick(num_clusters=50), run_dir=tmp_path / "run")
    assert "50 clusters do not fit between these times" in small.events_of(tmp_path / "run")
