import lzma
import re
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pipefl.data.tff_sqlite import sqlite_clients
from pipefl.errors import InputFileError, MissingFileError
from tff_files import bytes_example, write_sqlite

ROWS = [
    ("train", "b", bytes_example(word=[b"one"])),
    ("train", "a", bytes_example(word=[b"two"])),
    ("test", "a", bytes_example(word=[b"three"])),
    ("train", "b", bytes_example(word=[b"four"], other=[])),
]


def test_a_split_comes_by_clients_in_the_order_of_the_rows(tmp_path: Path) -> None:
    path = tmp_path / "words.sqlite"
    write_sqlite(path, ROWS)
    assert list(sqlite_clients(path, "train")) == [
        ("a", [{"word": [b"two"]}]),
        ("b", [{"word": [b"one"]}, {"word": [b"four"], "other": []}]),
    ]
    assert list(sqlite_clients(path, "test")) == [("a", [{"word": [b"three"]}])]


def test_it_reads_without_writing_beside_the_file(tmp_path: Path) -> None:
    path = tmp_path / "words.sqlite"
    write_sqlite(path, ROWS)
    list(sqlite_clients(path, "train"))
    assert [file.name for file in tmp_path.iterdir()] == ["words.sqlite"]


def test_a_packed_file_is_read_alike_or_refused(tmp_path: Path) -> None:
    plain, packed = tmp_path / "words.sqlite", tmp_path / "words.sqlite.lzma"
    write_sqlite(plain, ROWS)
    # What TensorFlow Federated hands out is in the older of the two formats.
    packed.write_bytes(lzma.compress(plain.read_bytes(), format=lzma.FORMAT_ALONE))
    assert list(sqlite_clients(packed, "train")) == list(sqlite_clients(plain, "train"))
    packed.write_bytes(packed.read_bytes()[:-20])
    with pytest.raises(InputFileError, match=r"words\.sqlite\.lzma: the \.lzma file .*truncated"):
        list(sqlite_clients(packed, "train"))


def test_a_missing_file_is_named_and_not_made(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError, match="nowhere.sqlite: there is no such file"):
        list(sqlite_clients(tmp_path / "nowhere.sqlite", "train"))
    assert not list(tmp_path.iterdir())


def test_a_split_that_is_not_there_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "words.sqlite"
    write_sqlite(path, ROWS)
    with pytest.raises(InputFileError, match="no split 'valid'; the splits are: 'test', 'train'"):
        list(sqlite_clients(path, "valid"))


def test_foreign_databases_and_rows_are_named(tmp_path: Path) -> None:
    path = tmp_path / "other.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE words (word TEXT)")
    for content in (path.read_bytes(), b"", b"not a database " * 100):
        path.write_bytes(content)
        match = f"{re.escape(str(path))}: .*expected was a SQLite file with .*table `examples`"
        with pytest.raises(InputFileError, match=match):
            list(sqlite_clients(path, "train"))
    path.unlink()
    write_sqlite(path, [("train", "a", "text")])
    with pytest.raises(InputFileError, match="an example of client 'a' is str, not a blob"):
        list(sqlite_clients(path, "train"))
    path.unlink()
    write_sqlite(path, [("train", "a", b"hello")])
    with pytest.raises(InputFileError, match="an example of client 'a': an Example has no field"):
        list(sqlite_clients(path, "train"))


@given(data=st.data())
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_is_cut_off_or_changed_is_read_or_refused(
    tmp_path: Path, data: st.DataObject
) -> None:
    path = tmp_path / "words.sqlite"
    if not path.exists():
        write_sqlite(path, ROWS)
    content = bytearray(path.read_bytes())
    at = data.draw(st.integers(0, len(content) - 1))
    if data.draw(st.booleans()):
        content[at] = data.draw(st.integers(0, 255))
    else:
        del content[at:]
    damaged = tmp_path / "damaged.sqlite"
    damaged.write_bytes(content)
    with suppress(InputFileError):
        assert all(examples for _, examples in sqlite_clients(damaged, "train"))
