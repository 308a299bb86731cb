"""A run that is interrupted at any moment ends with the same bits as one that is not."""

import json
import shutil
from pathlib import Path

import pytest

from pipefl.errors import PipeflError
from pipefl.runs.records import RoundRecord
from pipefl.train.run_config import run_config
from small_runs import Listener, bits, ran, small

# Everything that a run remembers from round to round is in one of these.
STATEFUL: dict[str, dict[str, object]] = {
    "plain": {},
    "momentum": {"server_optimiser": "fedavgm", "server_learning_rate": 0.5},
    "yogi": {"server_optimiser": "yogi", "server_learning_rate": 0.01},
    "scaffold": {"algorithm": "scaffold"},
    "cocoa": {"algorithm": "cocoa"},
    "oort": {"policy": "oort"},
    "tifl": {"policy": "tifl", "policy_options": {"num_tiers": 3}},
    "jitter-carried": {"devices": {"jitter": 0.5}, "missed": "carry"},
    "rolling": {"policy": "rolling", "policy_options": {"in_flight": 7}, "max_rounds": 15},
    "fedbuff": {
        "policy": "fedbuff",
        "policy_options": {"concurrency": 9, "buffer_size": 3},
        "max_rounds": 12,
    },
    "fedat": {"policy": "fedat", "policy_options": {"num_tiers": 3}, "max_rounds": 9},
}


def cut_after(path: Path, num_rounds: int, torn: bool) -> None:
    """As a run looks that was killed then: records, checkpoints, and perhaps half a record."""
    lines = (path / "rounds.jsonl").read_bytes().splitlines(keepends=True)
    rest = lines[num_rounds][:-7] if torn else b""
    (path / "rounds.jsonl").write_bytes(b"".join(lines[:num_rounds]) + rest)
    (path / "result.json").unlink(missing_ok=True)


@pytest.mark.parametrize("name", STATEFUL)
def test_a_run_ends_alike_wherever_it_was_cut(name: str, tmp_path: Path) -> None:
    config = small(checkpoint_every=2, **STATEFUL[name])
    whole = ran(config, tmp_path / "whole")
    last = config.max_rounds
    # The two newest checkpoints are kept: cuts before them would begin anew.
    for number, cut in enumerate((last - 1, last - 2)):
        folder = tmp_path / f"cut-{number}"
        shutil.copytree(tmp_path / "whole", folder)
        cut_after(folder / "small", cut, torn=number == 0)
        assert bits(ran(config, folder, resume=True)) == bits(whole)


def test_a_run_without_a_checkpoint_begins_anew(tmp_path: Path) -> None:
    config = small()
    whole = bits(ran(config, tmp_path))
    shutil.rmtree(tmp_path / "small" / "checkpoints")
    cut_after(tmp_path / "small", 3, torn=True)
    assert bits(ran(config, tmp_path, resume=True)) == whole


def test_a_finished_run_is_left_as_it_is(tmp_path: Path) -> None:
    config = small(max_rounds=3)
    first = ran(config, tmp_path)
    times = {path: path.stat().st_mtime_ns for path in first.path.rglob("*.safetensors")}
    again = ran(config, tmp_path, resume=True)
    assert bits(again) == bits(first)
    assert times == {path: path.stat().st_mtime_ns for path in first.path.rglob("*.safetensors")}


@pytest.mark.parametrize("num_damaged", [1, 2])
@pytest.mark.parametrize("damage", ["tampered", "truncated"])
def test_a_damaged_checkpoint_is_passed_over_with_a_message(
    damage: str, num_damaged: int, tmp_path: Path
) -> None:
    """The one before is used; and if that is damaged too, the run begins anew."""
    config, listener = small(checkpoint_every=2), Listener()
    whole = bits(ran(config, tmp_path))
    newest = sorted((tmp_path / "small" / "checkpoints").iterdir())[-num_damaged:]
    for path in newest:
        data = bytearray(path.read_bytes())
        data[len(data) // 2] ^= 0xFF
        path.write_bytes(bytes(data if damage == "tampered" else data[:-100]))
    cut_after(tmp_path / "small", 6, torn=False)
    with pytest.warns(RuntimeWarning, match="is damaged") as warned:
        resumed = run_config(config, runs_dir=tmp_path, resume=True, observers=[listener])
    for path, warning in zip(reversed(newest), warned, strict=True):
        assert str(warning.message).startswith(f"{path} is damaged (its checksum is another)")
    assert listener.told[0] == {1: 4, 2: 0}[num_damaged]
    assert bits(resumed) == whole


def test_a_run_in_use_is_locked(tmp_path: Path) -> None:
    """An observer goes on with the very run that it is told of, after its second round."""
    complaints: list[str] = []

    class Meddler(Listener):
        def after_round(self, record: RoundRecord) -> None:
            if record.round == 2:
                with pytest.raises(PipeflError) as caught:
                    ran(config, tmp_path, resume=True)
                complaints.append(str(caught.value))

    config = small()
    whole = bits(ran(config, tmp_path / "whole"))
    found = run_config(config, runs_dir=tmp_path, observers=[Meddler()])
    assert complaints == [f"{tmp_path}/small is in use by another process"]
    assert bits(found) == whole


def test_a_run_is_not_overwritten(tmp_path: Path) -> None:
    ran(small(max_rounds=1), tmp_path)
    with pytest.raises(PipeflError, match="holds a run already"):
        ran(small(max_rounds=1), tmp_path)


def test_a_run_of_another_configuration_is_not_resumed(tmp_path: Path) -> None:
    ran(small(max_rounds=1), tmp_path)
    with pytest.raises(PipeflError, match=r"another configuration: learning_rate 0\.1 → 0\.3"):
        ran(small(max_rounds=1, learning_rate=0.3), tmp_path, resume=True)


def test_records_of_another_schedule_are_refused(tmp_path: Path) -> None:
    config = small(max_rounds=4, checkpoint_every=1)
    ran(config, tmp_path)
    path = tmp_path / "small" / "rounds.jsonl"
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    lines[1]["client"][0] = (lines[1]["client"][0] + 1) % 40
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    foreign = path.read_bytes()
    with pytest.raises(PipeflError, match="round 2: these are not the clients of this run"):
        ran(config, tmp_path, resume=True)
    assert path.read_bytes() == foreign
