from pathlib import Path

import numpy as np
import pytest

from pipefl.errors import InputFileError
from pipefl.report.round_chart import round_chart
from pipefl.runs.intervals import IntervalRecord, Intervals, intervals_from, read_intervals
from pipefl.runs.records import RecordFile


def _record(number: int) -> IntervalRecord:
    planned = Intervals(
        channel=[0, 0],
        ready_s=[1.0, 3.0],
        upload_start_s=[2.0, 4.0],
        upload_end_s=[4.0, 6.0],
        duration_s=6.5,
        server_time_s=0.5,
    )
    actual = Intervals(
        channel=[0, -1],
        ready_s=[0.1 + 0.2, None],
        upload_start_s=[2.01, None],
        upload_end_s=[4.5, None],
        duration_s=36.0,
        server_time_s=0.1,
    )
    return IntervalRecord(
        round=number,
        plan=1,
        slot_time_s=[2.0, 4.0],
        num_channels=1,
        client=[4, 7],
        cluster=[0, 1],
        outcome=["delivered", "silent"],
        lateness_s=[0.01, None],
        planned=planned,
        actual=actual,
        events=["client 7 left"],
    )


def test_records_are_read_back_to_the_bit() -> None:
    assert intervals_from(_record(1).line()) == _record(1)


def test_both_sides_are_rounds_that_can_be_drawn() -> None:
    planned, actual = _record(1).planned_round(), _record(1).actual_round()
    assert planned.delivered.tolist() == [True, True]
    assert actual.delivered.tolist() == [True, False]
    assert actual.missed.tolist() == [7]
    assert actual.busy_s == pytest.approx(2.49)
    assert planned.utilisation == pytest.approx(4 / 6.5)
    kinds = actual.intervals.filter(actual.intervals["client"] == 7)
    assert kinds.is_empty()
    assert np.isfinite(actual.intervals["end_s"].to_numpy()).all()
    assert round_chart(actual, [2.0, 4.0]).to_dict()


def test_a_file_goes_on_after_the_rounds_that_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "intervals.jsonl"
    for keep, numbers in ((0, (1, 2, 3)), (2, (3, 4))):
        file = RecordFile(path, keep=keep, parse=intervals_from)
        for number in numbers:
            file.append(_record(number))
        file.close()
    assert [record.round for record in read_intervals(path)] == [1, 2, 3, 4]


def test_lines_of_something_else_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "intervals.jsonl"
    path.write_text('{"round": 1}\n')
    with pytest.raises(InputFileError, match=r"line 1: not the record of a round"):
        read_intervals(path)
