"""The loop: what is trained on what, by whom, and what is written down of it."""

import json
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from torch.nn.functional import cross_entropy, linear

from pipefl.errors import PipeflError
from pipefl.plan import ClusterPlan
from pipefl.runs.config import RunConfig
from pipefl.train.assembly import assembled
from pipefl.train.executors.serial import Serial
from pipefl.train.run_config import run_config
from pipefl.train.training import Training
from pipefl.train.weighting import shares
from pipefl.train.work import Unit, UnitResult
from small_runs import Listener, bits, ran, small

SCHEDULES: dict[str, dict[str, object]] = {
    "clustered": {},
    "carried": {"devices": {"jitter": 0.5}, "missed": "carry"},
    "rolling": {"policy": "rolling", "policy_options": {"in_flight": 5}},
    "fedbuff": {"policy": "fedbuff", "policy_options": {"concurrency": 6, "buffer_size": 3}},
    "fedat": {"policy": "fedat", "policy_options": {"num_tiers": 3}},
}


def by_hand(config: RunConfig) -> NDArray[np.float32]:
    """Algorithm 1 in a few lines of plain PyTorch, each client with the model that it was given.

    Full gradients, averaged as `shares` says. The weights after `max_rounds` steps.
    """
    parts = assembled(config)
    models = [torch.zeros(10, 785)]
    steps = parts.schedule.steps(parts.scene, config.seed)
    for step in islice(steps, config.max_rounds):
        found = shares(step, parts.schedule, parts.scene, config.weighting)
        update = torch.zeros(10, 785)
        for client, version, share in zip(step.client, step.version, found.share, strict=True):
            samples = parts.dataset.client(int(client))
            weights = models[version].clone().requires_grad_()
            images = torch.tensor(samples.inputs / 255.0, dtype=torch.float32).flatten(1)
            scores = linear(images, weights[:, :784], weights[:, 784])
            loss = cross_entropy(scores, torch.tensor(samples.targets.astype(np.int64)))
            (gradient,) = torch.autograd.grad(loss, weights)
            update -= float(share) * config.learning_rate * gradient
        usable = np.ones(step.client.size, np.bool_)
        models.append(models[-1] + update / found.total(usable))
    return models[-1][:, :784].numpy()


@pytest.mark.paper("alg:csgd")
@pytest.mark.paper("eq:local_gradient")
@pytest.mark.paper("eq:gradients_averaging")
@pytest.mark.paper("eq:global_update")
def test_cs_gd_is_the_paper_s_algorithm(tmp_path: Path) -> None:
    config = small(algorithm="full-gradient", learning_rate=0.5)
    result = ran(config, tmp_path)
    np.testing.assert_allclose(result.parameters["weight"], by_hand(config), atol=1e-6)


@pytest.mark.parametrize(
    ("schedule", "weighting"),
    [
        ("carried", "paper"),
        ("rolling", "paper"),
        ("rolling", "unbiased"),
        ("fedbuff", "paper"),
        ("fedbuff", "unbiased"),
    ],
)
def test_late_updates_are_of_the_model_that_their_client_was_given(
    schedule: str, weighting: str, tmp_path: Path
) -> None:
    changes = {"algorithm": "full-gradient", "learning_rate": 0.5, "weighting": weighting}
    config = small(max_rounds=15, **changes, **SCHEDULES[schedule])
    result = ran(config, tmp_path)
    assert max(r.round - 1 - v for r in result.records for v in r.version) > 0
    np.testing.assert_allclose(result.parameters["weight"], by_hand(config), atol=1e-6)


def test_every_round_takes_n_clients_of_each_cluster(tmp_path: Path) -> None:
    result = ran(small(), tmp_path)
    for record in result.records:
        clusters = result.plan.cluster_of[record.client]
        assert np.bincount(clusters, minlength=3).tolist() == [2, 2, 2]


def test_the_clock_is_that_of_the_schedule(tmp_path: Path) -> None:
    config = small(server_time_s=0.25)
    parts = assembled(config)
    steps = parts.schedule.steps(parts.scene, config.seed)
    for record, step in zip(ran(config, tmp_path).records, steps, strict=False):
        assert (record.clock_s, record.duration_s) == (step.end_s, step.duration_s)
        assert record.upload_end_s == step.upload_end_s.tolist()


@pytest.mark.parametrize("policy", ["clustered", "rolling"])
def test_executors_change_no_bit(policy: str, tmp_path: Path) -> None:
    serial = bits(ran(small(policy=policy), tmp_path / "serial"))
    config = small(policy=policy, executor="processes", workers=2)
    assert bits(ran(config, tmp_path / "processes")) == serial


def test_a_seed_decides_everything(tmp_path: Path) -> None:
    first, again, other = (
        bits(ran(small(seed=seed), tmp_path / str(place))) for place, seed in enumerate((3, 3, 4))
    )
    assert first == again
    assert first[1] != other[1]


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("schedule", SCHEDULES)
def test_rounds_to_target_are_equal_in_all_modes(schedule: str, seed: int, tmp_path: Path) -> None:
    changes = {"seed": seed, "target_accuracy": 0.75, **SCHEDULES[schedule]}
    changes |= {"max_rounds": 80, "learning_rate": 0.05}
    full = ran(small(evaluation="full", **changes), tmp_path / "full")
    early = ran(small(evaluation="target", **changes), tmp_path / "early")
    assert early.rounds_to_target is not None
    assert early.rounds_to_target == full.rounds_to_target
    assert early.seconds_to_target == full.seconds_to_target
    for one, other in zip(early.records, full.records, strict=True):
        assert other.accuracy is not None
        if one.accuracy is None:
            assert one.accuracy_at_most is not None
            assert other.accuracy <= one.accuracy_at_most < 0.75
        else:
            assert one.accuracy == other.accuracy
    assert sum(each.num_judged for each in early.records) < 400 * len(full.records)


def test_evaluation_may_be_every_few_rounds(tmp_path: Path) -> None:
    result = ran(small(evaluation="full", evaluate_every=4, max_rounds=6), tmp_path)
    assert [each.round for each in result.records if each.accuracy is not None] == [4, 6]


def test_a_run_ends_at_its_target_unless_told_otherwise(tmp_path: Path) -> None:
    ended = ran(small(target_accuracy=0.3, max_rounds=20), tmp_path / "a")
    assert ended.ending == "target"
    assert ended.num_rounds == ended.rounds_to_target
    changes = {"target_accuracy": 0.3, "max_rounds": 20, "stop_at_target": False}
    going_on = ran(small(**changes), tmp_path / "b")
    assert (going_on.ending, going_on.num_rounds) == ("max_rounds", 20)
    assert going_on.rounds_to_target == ended.rounds_to_target


def test_clients_that_miss_their_slot_contribute_nothing(tmp_path: Path) -> None:
    late = small(devices={"jitter": 1.0}, max_rounds=8)
    records = ran(late, tmp_path).records
    assert any(record.missed for record in records)
    for record in records:
        assert not set(record.missed) & set(record.client)
        assert len(record.missed) + len(record.client) == 6


def test_carried_clients_work_on_the_model_they_were_given(tmp_path: Path) -> None:
    late = small(devices={"jitter": 1.0}, missed="carry", max_rounds=12)
    records = ran(late, tmp_path).records
    stale = [r.round - 1 - v for r in records for v in r.version]
    assert max(stale) >= 1
    assert min(stale) == 0


def test_rolling_steps_at_each_arrival_on_the_version_of_its_client(tmp_path: Path) -> None:
    config = small(policy="rolling", policy_options={"in_flight": 5}, max_rounds=20)
    parts = assembled(config)
    steps = parts.schedule.steps(parts.scene, config.seed)
    for record, step in zip(ran(config, tmp_path).records, steps, strict=False):
        assert record.version == step.version.tolist()
        assert len(record.client) == 1


def test_a_run_that_is_stopped_ends_after_the_round_and_can_be_resumed(tmp_path: Path) -> None:
    config, listener = small(), Listener()
    stopped = run_config(
        config,
        runs_dir=tmp_path,
        observers=[listener],
        stop=lambda: len(listener.told) == 4,
    )
    assert stopped.ending == "stopped"
    assert not (stopped.path / "result.json").exists()
    ended = run_config(config, runs_dir=tmp_path, resume=True, observers=[listener])
    assert listener.told == [0, 1, 2, 3, "stopped", 3, 4, 5, 6, "max_rounds"]
    assert bits(ended) == bits(ran(config, tmp_path / "whole"))


def test_a_run_leaves_all_its_files(tmp_path: Path) -> None:
    result = ran(small(), tmp_path)
    files = {each.name for each in result.path.iterdir()}
    assert {"config.toml", "plan.json", "clients.json", "rounds.jsonl", "result.json"} <= files
    plan = ClusterPlan.from_dict(json.loads((result.path / "plan.json").read_text()))
    assert plan.cluster_of.tolist() == result.plan.cluster_of.tolist()
    clients = json.loads((result.path / "clients.json").read_text())
    assert "part of MNIST" in clients["source"]
    assert len(clients["num_samples"]) == 40
    outcome = json.loads((result.path / "result.json").read_text())
    assert outcome["ending"] == "max_rounds"
    assert outcome["num_rounds"] == 6


def test_an_exploding_run_changes_nothing_and_ends_with_a_clear_error(tmp_path: Path) -> None:
    config = small(learning_rate=1e30, largest_update=1e3, evaluation="full")
    with pytest.raises(PipeflError, match=r"in 3 rounds in a row, .*client \d+: its update"):
        ran(config, tmp_path)
    lines = (tmp_path / "small" / "rounds.jsonl").read_text().splitlines()
    records = [json.loads(line) for line in lines]
    assert len(records) == 3
    assert all(set(map(str, each["client"])) == set(each["refused"]) for each in records)
    assert len({each["accuracy"] for each in records}) == 1


def test_refused_clients_are_named_and_left_out(tmp_path: Path) -> None:
    free = ran(small(evaluation="full"), tmp_path / "free")
    config = small(largest_update=0.45, evaluation="full")
    records = ran(config, tmp_path / "bounded").records
    refused = [len(each.refused) for each in records]
    assert 0 < sum(refused) < sum(len(each.client) for each in records)
    for record in records:
        assert {int(client) for client in record.refused} <= set(record.client)
        assert all("has norm" in reason for reason in record.refused.values())
    assert free.parameters["weight"].tobytes() != b""


def test_nobody_available_for_good_ends_a_run(tmp_path: Path) -> None:
    trace = tmp_path / "trace.csv"
    lines = ["client_id,start_s,end_s", *(f"{m},0,30" for m in range(40))]
    trace.write_text("\n".join(lines) + "\n")
    config = small(devices={"availability_file": str(trace)}, max_rounds=500)
    result = ran(config, tmp_path)
    assert result.ending == "nobody_left"
    assert 0 < result.num_rounds < 500


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"dataset": "mnits"}, "mnist"),
        ({"model": "cn"}, "model is 'cn'"),
        ({"model": "lstm"}, "it is a model of text"),
        ({"model_options": {"hiden": 3}}, "model_options"),
        ({"algorithm": "local-sdg"}, "local-sgd"),
        ({"algorithm_options": {"proximal": 0.1}}, "algorithm_options"),
        ({"policy": "clustred"}, "did you mean clustered"),
        ({"policy_options": {"per_chanel": 2}}, "policy_options"),
        ({"executor": "process"}, "did you mean processes"),
        ({"device": "cuda:99"}, "device is 'cuda:99'"),
        ({"server_optimiser": "adm"}, "server_optimiser is 'adm'"),
        ({"server_optimiser": "adam", "server_options": {"beta": 1}}, "server_options"),
        ({"policy": "age", "weighting": "unbiased"}, "weighting"),
        ({"policy": "proportional-fair"}, "needs the channel state"),
        ({"policy": "fedat", "server_optimiser": "adam"}, "fedat has a server of its own"),
        ({"policy": "rolling", "algorithm": "cocoa"}, "cocoa"),
        ({"missed": "carry", "algorithm": "cocoa"}, "cocoa"),
        ({"num_clusters": 40, "upload_time_s": 5.0}, "num_clusters is 40"),
    ],
)
def test_what_cannot_be_run_is_said_before_anything_is_written(
    changes: dict[str, object], complaint: str, tmp_path: Path
) -> None:
    with pytest.raises(PipeflError, match=complaint):
        ran(small(**changes), tmp_path)
    assert not (tmp_path / "small" / "config.toml").exists()


@pytest.mark.parametrize(("algorithm", "sizes"), [("local-sgd", [8, 8]), ("fedprox", [2] * 8)])
def test_only_who_trains_clients_together_is_given_several_of_them(
    algorithm: str, sizes: list[int]
) -> None:
    parts = assembled(
        small(model="mlp", algorithm=algorithm, policy="uniform", num_channels=16, num_clusters=1)
    )
    seen: list[int] = []

    class Counting(Serial):
        def work(self, units: Sequence[Unit]) -> list[UnitResult]:
            seen.extend(len(unit.jobs) for unit in units)
            return super().work(units)

    training = Training(parts, Counting(parts.place, parts.algorithm))
    training.take(next(parts.schedule.steps(parts.scene, 0)))
    assert seen == sizes
