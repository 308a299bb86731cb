"""Runs and sweeps on a cluster of two nodes: the bits of `serial`, whoever is lost on the way."""

# ruff: noqa: E402  # nothing of this can be imported where ray is not installed

import json
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import torch

ray = pytest.importorskip("ray", reason="ray is not installed")

from ray._common.usage.usage_constants import CLUSTER_METADATA_KEY
from ray._private.ray_constants import KV_NAMESPACE_CLUSTER

from pipefl.errors import ArgumentError, PipeflError
from pipefl.sweeps.config import CellConfig, SweepConfig
from pipefl.sweeps.directory import SweepDirectory
from pipefl.sweeps.trial import Trial
from pipefl.train.algorithms.scaffold import Scaffold
from pipefl.train.executors.executor import Executor
from pipefl.train.executors.processes import WorkerError
from pipefl.train.executors.ray.connection import connect
from pipefl.train.executors.ray.ray_actors import RayActors
from pipefl.train.executors.serial import Serial
from pipefl.train.sweeping.engine import run_sweep
from pipefl.train.sweeping.pool import TrialPool
from pipefl.train.sweeping.pools import pool_by_name
from pipefl.train.sweeping.task import Task
from pipefl.train.work import Job, dealt
from ray_clusters import RAY_LEAVES_FILES, RAY_LEAVES_PROCESSES, TwoNodes, two_nodes
from small_runs import bits, ran, small
from workplaces import MLP, SIZES, Rounds, settings_of, workplace

pytestmark = [RAY_LEAVES_FILES, RAY_LEAVES_PROCESSES]

RUNS: dict[int, dict[str, object]] = {
    1: {},
    2: {"algorithm": "scaffold", "evaluation": "full"},
    7: {"model": "mlp", "devices": {"jitter": 0.5}, "missed": "carry", "num_channels": 4},
}
PLACE = workplace(MLP)
COHORT = range(len(SIZES))


@pytest.fixture(scope="module")
def nodes() -> Iterator[TwoNodes]:
    with two_nodes() as cluster:
        yield cluster


@pytest.fixture(scope="module")
def actors(nodes: TwoNodes) -> Iterator[RayActors]:
    """Four workers, two on each node."""
    executor = RayActors(PLACE, Scaffold(), settings_of(MLP), 4, nodes.address)
    while len(executor.process_ids) < 4:
        executor.publish(0, torch.zeros(2, PLACE.model.num_parameters))
        executor.judge(0, [torch.arange(4).numpy()] * 8)
    yield executor
    executor.close()


def vectors_after(executor: Executor, during: Callable[[int], None] = lambda number: None) -> bytes:
    """The bits of three rounds; `during` is called at the beginning of each."""
    rounds = Rounds(PLACE, Scaffold(), executor)
    for number in range(3):
        during(number)
        rounds.take(COHORT)
    return rounds.vectors.numpy().tobytes()


def expected() -> bytes:
    return vectors_after(Serial(PLACE, Scaffold()))


@pytest.mark.parametrize("workers", RUNS)
def test_a_run_has_the_bits_of_serial_for_any_number_of_actors(
    workers: int, nodes: TwoNodes, tmp_path: Path
) -> None:
    alone = ran(small(**RUNS[workers]), tmp_path / "serial")
    settings = {"executor": "ray", "workers": workers, "ray_address": nodes.address}
    shared = ran(small(**RUNS[workers], **settings), tmp_path / "ray")
    assert bits(shared) == bits(alone)


def test_ray_address_of_the_environment_counts_where_none_is_given(
    nodes: TwoNodes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAY_ADDRESS", nodes.address)
    connection = connect(None, num_cpus=1, store_bytes=0)
    try:
        assert ray.get_runtime_context().gcs_address == nodes.address
        with pytest.raises(ArgumentError, match=f"connected to the Ray cluster at {nodes.address}"):
            connect("10.0.0.1:6379", num_cpus=1, store_bytes=0)
        connect(nodes.address, num_cpus=1, store_bytes=0).close()
        assert ray.is_initialized()  # whoever joins a connection does not end it
    finally:
        connection.close()
    assert not ray.is_initialized()


def test_a_cluster_of_another_version_is_refused_in_one_line(nodes: TwoNodes) -> None:
    store = nodes.cluster.head_node.get_gcs_client()
    key, namespace = CLUSTER_METADATA_KEY, KV_NAMESPACE_CLUSTER
    told = store.internal_kv_get(key, namespace)
    other = {**json.loads(told), "ray_version": "2.1.0"}
    store.internal_kv_put(key, json.dumps(other).encode(), True, namespace)
    try:
        with pytest.raises(ArgumentError, match=r"ray_address is .*Ray: 2\.1\.0") as refused:
            connect(nodes.address, num_cpus=1, store_bytes=0)
    finally:
        store.internal_kv_put(key, told, True, namespace)
    assert "\n" not in str(refused.value)
    assert not ray.is_initialized()


def tiny_sweep() -> SweepConfig:
    return SweepConfig(
        name="tiny",
        base=small(target_accuracy=0.5, max_rounds=8),
        cells=(CellConfig(name="k3"), CellConfig(name="k1", settings={"num_clusters": 1})),
        grids={"learning_rate": (0.05, 0.1)},
        seeds=(0, 1),
        extend=False,
    )


@pytest.fixture(scope="module")
def pool(nodes: TwoNodes) -> Iterator[TrialPool]:
    with closing(pool_by_name("ray", 2, ray_address=nodes.address)) as found:
        yield found


def test_a_sweep_in_tasks_finds_what_one_in_processes_finds(
    pool: TrialPool, tmp_path: Path
) -> None:
    found = []
    with closing(pool_by_name("processes", 2)) as processes:
        for each in (pool, processes):
            directory = SweepDirectory(tmp_path / type(each).__name__)
            directory.begin(tiny_sweep())
            assert run_sweep(directory, each)
            runs = directory.runs_path.glob("[!.]*")
            found.append({run.name: (run / "rounds.jsonl").read_bytes() for run in runs})
    assert len(found[0]) >= 4
    assert found[0] == found[1]


def test_a_trial_whose_task_is_killed_goes_on_to_the_same_bits(
    nodes: TwoNodes, pool: TrialPool, tmp_path: Path
) -> None:
    trial = Trial("k3", (0.1,), 0)
    config = small(name=trial.name, evaluation="full", max_rounds=300, checkpoint_every=3)
    pool.start(trial, Task(config, tmp_path, None))
    assert pool.num_free == 1
    rounds = tmp_path / trial.name / "rounds.jsonl"
    while not rounds.exists() or not rounds.stat().st_size:
        time.sleep(0.01)  # what the pool says may come late
    os.kill(process_of_a_task(nodes), signal.SIGKILL)
    with pytest.warns(RuntimeWarning, match=f"lost the task of {trial.name}; another one"):
        wait_for(pool)
    alone = ran(config, tmp_path / "alone")
    assert rounds.read_bytes() == (alone.path / "rounds.jsonl").read_bytes()


def test_a_folder_that_a_node_does_not_see_is_said_to_be_needed(
    pool: TrialPool, tmp_path: Path
) -> None:
    trial = Trial("k3", (0.1,), 0)
    task = Task(small(name=trial.name, max_rounds=1), tmp_path, None)
    pool.start(trial, task)
    wait_for(pool)
    (mark,) = tmp_path.glob(".seen-*")
    mark.unlink()
    pool.start(trial, task)
    with pytest.raises(PipeflError, match=f"does not see {tmp_path}: .* all of them share"):
        wait_for(pool)


def wait_for(pool: TrialPool) -> None:
    """Until none of its trials is running."""
    while pool.num_free < 2:
        pool.news(1.0)


def process_of_a_task(nodes: TwoNodes) -> int:
    """The one process that runs a trial now."""
    (found,) = (number for number in nodes.processes() if b"ray::run_trial" in command_line(number))
    return found


def command_line(process: int) -> bytes:
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes()
    except FileNotFoundError:  # it has ended
        return b""


def test_the_data_lies_once_on_each_node(nodes: TwoNodes, actors: RayActors) -> None:
    def place_of(worker: Any) -> tuple[int, str, int]:
        """The process, and which byte of which file is mapped at the beginning of the images."""
        images = worker._serial._place.train.inputs
        assert not images.flags.owndata
        begin = images.__array_interface__["data"][0]
        for line in Path("/proc/self/maps").read_text().splitlines():
            span, _, offset, device, inode, *_ = line.split()
            low, high = (int(bound, 16) for bound in span.split("-"))
            if low <= begin < high:
                return os.getpid(), f"{device} {inode}", begin - low + int(offset, 16)
        raise AssertionError

    found = ray.get([each.actor.__ray_call__.remote(place_of) for each in actors._crew._free])
    head, other = (set(nodes.on(node, actors.process_ids)) for node in nodes.both)
    assert (len(head), len(other)) == (2, 2)
    assert len({place[1:] for place in found if place[0] in head}) == 1
    assert len({place[1:] for place in found if place[0] in other}) == 1
    assert len({place[1:] for place in found}) == 2


def test_what_goes_wrong_in_a_worker_is_said_and_the_others_go_on(actors: RayActors) -> None:
    actors.publish(0, torch.zeros(2, PLACE.model.num_parameters))
    nobody = Job(len(SIZES), 0, (0, 99), (1.0, 1.0))
    with pytest.raises(WorkerError, match="IndexError"):
        actors.work(dealt([nobody]))
    assert vectors_after(actors) == expected()


def test_a_worker_that_is_killed_in_a_round_is_replaced_with_one_warning(actors: RayActors) -> None:
    victim = actors.process_ids[0]

    def stop_and_kill(number: int) -> None:
        if number == 1:
            os.kill(victim, signal.SIGSTOP)  # it is given work, and will not do it
            threading.Timer(0.5, os.kill, (victim, signal.SIGKILL)).start()

    with pytest.warns(RuntimeWarning) as warned:
        assert vectors_after(actors, stop_and_kill) == expected()
    (warning,) = warned
    assert f"(process {victim}); their clients' work was done again" in str(warning.message)


def test_a_node_that_is_lost_in_a_round_is_done_without_with_one_warning(
    nodes: TwoNodes, actors: RayActors
) -> None:
    victims = nodes.on(nodes.other, actors.process_ids)
    assert victims

    def stop_and_lose(number: int) -> None:
        if number == 1:
            for victim in victims:
                os.kill(victim, signal.SIGSTOP)
            threading.Timer(0.5, nodes.lose, (nodes.other,)).start()

    with pytest.warns(RuntimeWarning) as warned:
        assert vectors_after(actors, stop_and_lose) == expected()
    (warning,) = warned
    assert all(str(victim) in str(warning.message) for victim in victims)
