"""What is told from records alone, held against the schedules that were recorded."""

import shutil
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from pipefl.errors import InputFileError
from pipefl.policies.rounds import RoundSchedule
from pipefl.runs.recorded import RecordedRun, read_run
from pipefl.runs.replay import (
    recorded_flow,
    recorded_round,
    recorded_scene,
    recorded_steps,
    refuse_foreign_clients,
)
from pipefl.runs.scene import schedule_of


def read(recorded: Path, name: str) -> RecordedRun:
    return read_run(recorded / "runs" / name)


@pytest.mark.parametrize("name", ["full", "target", "rolling", "carry"])
def test_steps_are_those_of_the_schedule(recorded: Path, name: str) -> None:
    run = read(recorded, name)
    assert run.plan is not None
    scene = recorded_scene(run, run.plan)
    schedule = schedule_of(run.config, scene)
    told = list(recorded_steps(run.records))
    for mine, theirs in zip(told, schedule.steps(scene, run.config.seed), strict=False):
        assert (mine.index, mine.start_s, mine.end_s) == (
            theirs.index,
            theirs.start_s,
            theirs.end_s,
        )
        for field in ("client", "version", "channel", "upload_start_s", "upload_end_s", "missed"):
            assert np.array_equal(getattr(mine, field), getattr(theirs, field)), field
    assert len(told) == len(run.records)


def test_the_oldest_version_is_what_later_steps_refer_to(recorded: Path) -> None:
    told = list(recorded_steps(read(recorded, "rolling").records))
    for place, step in enumerate(told):
        later = [int(each.version.min()) for each in told[place + 1 :]]
        assert step.oldest_version == min([*later, place + 1])
    assert any(step.oldest_version < step.index for step in told), "nobody is ever stale"


def test_rounds_with_jitter_and_carried_clients_are_told(recorded: Path) -> None:
    run = read(recorded, "carry")
    assert run.plan is not None
    assert any(record.missed for record in run.records), "nobody misses, so nothing is shown"
    scene = recorded_scene(run, run.plan)
    schedule = schedule_of(run.config, scene)
    assert isinstance(schedule, RoundSchedule)
    rounds = islice(schedule.rounds(scene, run.config.seed), len(run.records))
    for index, (_, theirs) in enumerate(rounds):
        mine = recorded_round(run, run.plan, index)
        there = {int(c): place for place, c in enumerate(theirs.client)}
        order = [there[int(client)] for client in mine.client]
        assert sorted(order) == list(range(theirs.client.size))
        assert np.array_equal(mine.channel, theirs.channel[order])
        assert np.array_equal(mine.ready_s, theirs.ready_s[order])
        assert mine.upload_start_s == pytest.approx(theirs.upload_start_s[order], nan_ok=True)
        assert mine.upload_end_s == pytest.approx(theirs.upload_end_s[order], nan_ok=True)
        assert mine.duration_s == pytest.approx(theirs.duration_s)
        assert mine.server_time_s == theirs.server_time_s == 0.5


def test_a_flow_is_told_without_gaps(recorded: Path) -> None:
    run = read(recorded, "rolling")
    assert run.plan is not None
    until_s = run.clock_s
    frame = recorded_flow(run, run.plan, until_s)
    assert frame["end_s"].max() == until_s
    for client in frame["client"].unique():
        rows = frame.filter(client=client).sort("start_s")
        assert (rows["start_s"][1:] >= rows["end_s"][:-1] - 1e-9).all(), "at two places at once"
        computed = rows.filter(kind="compute").row(0, named=True)
        length_s = computed["end_s"] - computed["start_s"]
        assert length_s == pytest.approx(run.plan.compute_time_s[client])
    uploads = frame.filter(kind="upload").sort("channel", "start_s")
    for channel in uploads["channel"].unique():
        rows = uploads.filter(channel=channel)
        assert (rows["start_s"][1:] >= rows["end_s"][:-1] - 1e-9).all(), "two on one sub-channel"


def test_records_of_other_clients_are_refused(recorded: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(recorded / "runs" / "full", tmp_path / "run")
    rounds = folder / "rounds.jsonl"
    text = rounds.read_text()
    first = read_run(folder).records[0].client[0]
    rounds.write_text(text.replace(f'"client":[{first},', '"client":[99,', 1))
    run = read_run(folder)
    assert run.plan is not None
    with pytest.raises(InputFileError, match=r"client 99 is in the records, and plan\.json has 40"):
        refuse_foreign_clients(run, run.plan)
