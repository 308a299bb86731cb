"""A SuperLink and eight SuperNodes over a narrow uplink, with TLS, keys, and all that can go wrong.

It is one story, told once for all tests of this file: eight nodes join, and one with a key that
nobody knows. In the first round one sends numbers that are none, one has lied about its speed,
and one is killed. Then the SuperLink is killed too, comes back, and the run is resumed.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, sleep

import pytest

import deployments
import narrow_network
import small_federations as small
from deployments import BIN, Deployment
from narrow_network import Place
from pipefl.runs.directory import RunDirectory

ROOT = Path(__file__).parents[2]
APP = ROOT / "benchmarks" / "uplink_app"
COMPUTE_S = (0.5, 1.0, 1.5, 2.5, 3.0, 3.5, 4.5, 5.0)
NAN, LIAR, VICTIM = 3, 5, 7
UPLINK_BITS_PER_S = 2_000_000
_LOAD = os.getloadavg()[0]  # on a busy machine everything takes longer
_LIARS_S = 9 + 0.5 * _LOAD
_PATIENCE_S = 8 + 4 * _LOAD
_STORY_S = 1200.0


@dataclass(frozen=True)
class Story:
    """What is left of it: the run's folder, and what the commands said."""

    run: Path
    failed: "subprocess.CompletedProcess[str]"
    cut_off: "subprocess.CompletedProcess[str]"
    resumed: "subprocess.CompletedProcess[str]"
    stranger_code: int | None
    stranger_log: str
    sent_bytes: int | None


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Story]:
    folder = tmp_path_factory.mktemp("federation")
    with ExitStack() as stack:
        hub, nodes = Place(), [Place()] * len(COMPUTE_S)
        if narrow_network.why_no_namespaces() is None:
            network = narrow_network.network(len(COMPUTE_S), UPLINK_BITS_PER_S)
            hub, nodes = stack.enter_context(network)
        deployment = stack.enter_context(deployments.deployment(folder, hub))
        yield _told(deployment, nodes)


def _told(deployment: Deployment, nodes: list[Place]) -> Story:
    folder, run = deployment.folder, deployment.folder / "run"
    deployment.keys = keys = folder / "keys"
    make = ROOT / "examples" / "flower-mnist" / "make_keys.py"
    num_keys = str(len(nodes) + 1)
    subprocess.run([sys.executable, make, keys, num_keys, deployment.hub.address], check=True)
    deployment.superlink("--database", folder / "state.db")
    _register(deployment, len(nodes))
    for number, place in enumerate(nodes):
        config = f"partition-id={number} compute-s={COMPUTE_S[number]}"
        if number == NAN:
            config += ' fault="nan"'
        if number == LIAR:
            config = f'partition-id={number} compute-s={_LIARS_S} fault="lies"'
        deployment.supernode(f"node{number}", place, keys / f"node-{number}", config)
    deployment.supernode("stranger", nodes[0], keys / f"node-{len(nodes)}", "partition-id=0")
    failed = _federate(deployment, run, "fail=true")
    began = _begun(deployment, run)
    _until(lambda: "Receiving: train" in deployment.log(f"node{VICTIM}"), began)
    deployment.kill(f"node{VICTIM}")
    _until(lambda: _num_rounds(run) == 1, began)
    stranger_code = deployment.processes["stranger"].poll()
    sent_bytes = narrow_network.uplink_bytes(deployment.hub) if deployment.hub.namespace else None
    deployment.kill("superlink")
    out, err = began.communicate(timeout=_STORY_S)
    cut_off = subprocess.CompletedProcess([], began.returncode, out, err)
    deployment.superlink("--database", folder / "state.db")
    resumed = _federate(deployment, run, "resume=true min-clients=7")
    return Story(
        run=run,
        failed=failed,
        cut_off=cut_off,
        resumed=resumed,
        stranger_code=stranger_code,
        stranger_log=deployment.log("stranger"),
        sent_bytes=sent_bytes,
    )


def _register(deployment: Deployment, num_nodes: int) -> None:
    """Tell the SuperLink the nodes' public keys, all in one process."""
    code = (
        "import sys; from flwr.cli.app import app\n"
        "for key in sys.argv[1:]:\n"
        "    app(['supernode', 'register', key, 'test'], standalone_mode=False)"
    )
    assert deployment.keys is not None
    keys = [deployment.keys / f"node-{number}.pub" for number in range(num_nodes)]
    done = deployment.flwr(sys.executable, "-c", code, *keys)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("registered successfully") == num_nodes


def _command(run: Path, more: str) -> list[object]:
    settings = (
        f'run-dir="{run}" num-rounds=2 num-channels=3 patience-s={_PATIENCE_S:.1f} '
        f"replan-above=0.05 unaccounted-s=4.0 {more}"
    )
    return [BIN / "python", "-m", "pipefl", "federate", APP, "test", "--run-config", settings]


def _federate(deployment: Deployment, run: Path, more: str) -> "subprocess.CompletedProcess[str]":
    return deployment.flwr(*_command(run, more))


def _begun(deployment: Deployment, run: Path) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        deployment.hub.command(*_command(run, "")),
        cwd=deployment.folder,
        env=deployment.env(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def _num_rounds(run: Path) -> int:
    path = RunDirectory(run).rounds_path
    return path.read_text().count("\n") if path.exists() else 0


def _until(holds: Callable[[], bool], process: "subprocess.Popen[str]") -> None:
    """Wait for something that a process is to bring about."""
    end_s = monotonic() + _STORY_S
    while not holds():
        if monotonic() > end_s or process.poll() is not None:
            process.kill()
            pytest.fail("\n".join(process.communicate()))
        sleep(0.2)


def test_the_federation_finishes_and_each_round_counts_once(story: Story) -> None:
    assert story.resumed.returncode == 0, story.resumed.stdout + story.resumed.stderr
    records = small.rounds_of(story.run)
    assert [record.round for record in records] == [1, 2]
    # Honest clients move the model by 1; whatever else was sent has moved it no further.
    assert [record.accuracy for record in records] == pytest.approx([1.0, 2.0], abs=1e-3)
    outcome = json.loads(RunDirectory(story.run).result_path.read_text())
    assert outcome["num_rounds"] == 2


def test_numbers_that_are_none_stay_out_of_the_model(story: Story) -> None:
    for record in small.rounds_of(story.run):
        assert record.refused == {str(NAN): "its update is not finite: array 'model'"}


def test_who_was_killed_in_mid_round_is_recorded_as_silent(story: Story) -> None:
    first, second = small.outcomes_of(story.run)
    assert first[VICTIM] == "silent"
    assert VICTIM not in second
    assert small.rounds_of(story.run)[0].missed == sorted([LIAR, VICTIM])


def test_who_lied_about_its_speed_missed_its_slot_and_is_planned_anew(story: Story) -> None:
    first, second = small.intervals_of(story.run)
    assert first.cluster[first.client.index(LIAR)] == 0
    assert first.outcome[first.client.index(LIAR)] == "dropped"
    assert second.plan == first.plan + 1
    assert second.slot_time_s[-1] > _LIARS_S / 2 > first.slot_time_s[0]
    assert second.cluster[second.client.index(LIAR)] == len(second.slot_time_s) - 1


def test_who_has_no_known_key_is_turned_away(story: Story) -> None:
    assert story.stranger_code not in (0, None)
    assert "Failed to activate SuperNode" in story.stranger_log
    clients = json.loads(RunDirectory(story.run).clients_path.read_text())
    assert clients["client_id"] == [f"partition {number}" for number in range(8)]


def test_a_run_that_fails_or_is_cut_off_exits_with_a_code(story: Story) -> None:
    assert story.failed.returncode == 2
    assert "it was told to fail" in story.failed.stderr
    assert story.cut_off.returncode == 2
    assert story.cut_off.stderr.splitlines()[-1].startswith("pipefl: error: ")


def test_nobody_uploads_before_its_slot(story: Story) -> None:
    for record in small.intervals_of(story.run):
        known = [each for each in record.lateness_s if each is not None]
        assert known
        assert min(known) >= 0


def test_the_uplink_is_narrow_and_everything_went_over_it(story: Story) -> None:
    if story.sent_bytes is None:
        pytest.skip(narrow_network.why_no_namespaces() or "")
    delivered = sum(outcome == "delivered" for outcome in small.intervals_of(story.run)[0].outcome)
    assert story.sent_bytes > delivered * 20_000
