import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipefl.errors import InputFileError
from pipefl.runs.history import first_at_target, history
from pipefl.runs.records import RecordFile, RoundRecord, finite, read_records, record_from

numbers = st.floats(allow_nan=False, allow_infinity=False)


def record(number: int, accuracy: float | None = None, **changes: object) -> RoundRecord:
    table = {
        "round": number,
        "start_s": number - 1.0,
        "duration_s": 1.0,
        "clock_s": float(number),
        "client": [3, 5],
        "version": [number - 1, number - 1],
        "client_loss": [0.25, None],
        "channel": [0, 1],
        "upload_start_s": [0.1, 0.1],
        "upload_end_s": [0.2, 0.2],
        "accuracy": accuracy,
    }
    return RoundRecord(**{**table, **changes})  # type: ignore[arg-type]  # a table of fields


@given(numbers, numbers, st.lists(numbers))
def test_a_record_is_read_back_to_the_bit(start_s: float, loss: float, ends: list[float]) -> None:
    written = record(1, start_s=start_s, loss=loss, upload_end_s=ends)
    assert record_from(written.line()) == written


def test_what_json_has_no_word_for_is_none() -> None:
    assert [finite(value) for value in (1.5, float("nan"), float("inf"))] == [1.5, None, None]


@given(st.data())
def test_a_file_cut_anywhere_holds_the_records_before_the_cut(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    lines = [record(number).line() + "\n" for number in range(1, 5)]
    whole = "".join(lines).encode()
    cut = data.draw(st.integers(0, len(whole)))
    path = tmp_path_factory.mktemp("cut") / "rounds.jsonl"
    path.write_bytes(whole[:cut])
    complete = whole[:cut].count(b"\n")
    assert [each.round for each in read_records(path)] == list(range(1, complete + 1))


def test_a_file_is_gone_on_with_after_the_records_that_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "rounds.jsonl"
    file = RecordFile(path, keep=0)
    for number in (1, 2, 3):
        file.append(record(number))
    file.close()
    path.write_bytes(path.read_bytes() + b'{"round": 4, "star')
    again = RecordFile(path, keep=2)
    again.append(record(3, accuracy=0.5))
    again.sync()
    again.close()
    assert [each.accuracy for each in read_records(path)] == [None, None, 0.5]
    assert path.read_bytes().count(b"\n") == 3


def test_a_record_is_on_disk_before_the_next_round(tmp_path: Path) -> None:
    path = tmp_path / "rounds.jsonl"
    file = RecordFile(path, keep=0)
    file.append(record(1))
    assert len(read_records(path)) == 1
    file.close()


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("not json\n", "line 1: not the record of a round"),
        ('{"round": 1}\n', "line 1: not the record of a round"),
        (record(2).line() + "\n", "line 1: round 2 stands where round 1 is due"),
    ],
)
def test_a_foreign_line_is_named(tmp_path: Path, line: str, complaint: str) -> None:
    path = tmp_path / "rounds.jsonl"
    path.write_text(line)
    with pytest.raises(InputFileError, match=complaint):
        read_records(path)


def test_a_history_has_a_row_a_round_and_columns_of_one_kind() -> None:
    records = [record(1), record(2, accuracy=0.9, missed=[7], refused={"5": "it is NaN"})]
    frame = history(records)
    assert frame["round"].to_list() == [1, 2]
    assert frame["accuracy"].to_list() == [None, 0.9]
    assert frame.row(1, named=True)["num_missed"] == 1
    assert frame.row(1, named=True)["num_refused"] == 1
    assert history([]).schema == frame.schema


def test_the_first_round_at_the_target_counts() -> None:
    records = [record(1, 0.5), record(2), record(3, 0.97), record(4, 0.99)]
    found = first_at_target(records, 0.97)
    assert found is not None
    assert found.round == 3
    assert first_at_target(records, 0.995) is None


def test_a_line_is_plain_json() -> None:
    assert json.loads(record(1).line())["client"] == [3, 5]
