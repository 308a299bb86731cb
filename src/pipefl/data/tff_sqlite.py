"""TensorFlow Federated's SQLite files: a row an example, as a serialised `tf.train.Example`."""

import bz2
import gzip
import lzma
import shutil
import sqlite3
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from io import BufferedIOBase
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from tempfile import TemporaryDirectory

from pipefl.data.tf_example import FeatureValues, parse_example
from pipefl.errors import InputFileError, MissingFileError

Example = dict[str, FeatureValues]

_OPENERS: dict[str, Callable[[Path], BufferedIOBase]] = {
    ".lzma": lzma.LZMAFile,
    ".xz": lzma.LZMAFile,
    ".gz": gzip.GzipFile,
    ".bz2": bz2.BZ2File,
}
_ROWS = """
    SELECT client_id, serialized_example_proto FROM examples
    WHERE split_name = ? ORDER BY client_id, rowid
"""


def sqlite_clients(path: Path, split: str) -> Iterator[tuple[str, list[Example]]]:
    """Client after client of a split in the order of their names: the name and its examples.

    The table is `examples(split_name, client_id, serialized_example_proto)`; the splits
    are "train" and "test", and a client's examples keep the order of the rows. The file may be
    packed as TensorFlow Federated hands it out (`.sqlite.lzma`): it is then unpacked
    beside other temporary files for as long as it is read.

    Raises `InputFileError` for what is not such a file. O(bytes).
    """
    with _unpacked(path) as database:
        # `immutable` opens a file in a folder where nobody may write.
        address = f"{database.resolve().as_uri()}?mode=ro&immutable=1"
        try:
            with closing(sqlite3.connect(address, uri=True)) as connection:
                _check_split(path, connection, split)
                rows = connection.execute(_ROWS, (split,))
                for client, group in groupby(rows, key=itemgetter(0)):
                    yield str(client), [_example(path, client, blob) for _, blob in group]
        except sqlite3.Error as error:
            expected = "expected was a SQLite file with TensorFlow Federated's table `examples`"
            raise InputFileError(f"{path}: {error}; {expected}") from None


@contextmanager
def _unpacked(path: Path) -> Iterator[Path]:
    """The database's own file, which is the given one unless that is packed."""
    if not path.is_file():
        raise MissingFileError(f"{path}: there is no such file")
    opener = _OPENERS.get(path.suffix)
    if opener is None:
        yield path
        return
    with TemporaryDirectory(prefix="pipefl-") as folder:
        database = Path(folder, path.stem)
        try:
            with opener(path) as packed, database.open("wb") as file:
                shutil.copyfileobj(packed, file)
        except (lzma.LZMAError, zlib.error, EOFError, OSError) as error:
            reason = f"the {path.suffix} file cannot be unpacked, or is truncated: {error}"
            raise InputFileError(f"{path}: {reason}") from None
        yield database


def _check_split(path: Path, connection: sqlite3.Connection, split: str) -> None:
    """Refuse a split that has no rows, naming those that have."""
    found = connection.execute("SELECT 1 FROM examples WHERE split_name = ? LIMIT 1", (split,))
    if found.fetchone() is None:
        rows = connection.execute("SELECT DISTINCT split_name FROM examples ORDER BY split_name")
        there = ", ".join(repr(name) for (name,) in rows) or "none"
        raise InputFileError(f"{path}: it holds no split {split!r}; the splits are: {there}")


def _example(path: Path, client: object, blob: object) -> Example:
    if not isinstance(blob, bytes):
        kind = type(blob).__name__
        raise InputFileError(f"{path}: an example of client {client!r} is {kind}, not a blob")
    try:
        return parse_example(blob)
    except ValueError as error:
        raise InputFileError(f"{path}: an example of client {client!r}: {error}") from None
