"""Small files as TensorFlow Federated writes them, byte by byte from their descriptions."""

import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path

import h5py  # type: ignore[import-untyped]  # it comes without types
import numpy as np

Snippets = Mapping[str, Sequence[bytes]]


def bytes_example(**features: Sequence[bytes]) -> bytes:
    """A serialised `tf.train.Example` of lists of bytes."""
    entries = b""
    for name, values in features.items():
        listed = _field(1, b"".join(_field(1, value) for value in values))
        entries += _field(1, _field(1, name.encode()) + _field(2, listed))
    return _field(1, entries)


def _field(number: int, content: bytes) -> bytes:
    """A field of wire type 2: its number, its length and its content."""
    length, rest = b"", len(content)
    while rest >= 128:
        length += bytes([rest % 128 + 128])
        rest //= 128
    return bytes([number << 3 | 2]) + length + bytes([rest]) + content


def write_sqlite(path: Path, rows: Sequence[tuple[str, str, object]]) -> None:
    """The table `examples` of these (split, client, blob)."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(
            "CREATE TABLE examples (split_name TEXT NOT NULL, client_id TEXT NOT NULL, "
            "serialized_example_proto BLOB NOT NULL)"
        )
        connection.executemany("INSERT INTO examples VALUES (?, ?, ?)", rows)


def write_snippets_sqlite(path: Path, train: Snippets, test: Snippets) -> None:
    """Federated Shakespeare as one SQLite file, the roles' rows in turns."""
    write_sqlite(
        path,
        [
            (split, role, bytes_example(snippets=[snippet]))
            for split, said in (("test", test), ("train", train))
            for i in range(max(map(len, said.values())))
            for role in said
            for snippet in said[role][i : i + 1]
        ],
    )


def write_snippets_hdf5(path: Path, said: Snippets) -> None:
    """One of the two HDF5 files of federated Shakespeare."""
    with h5py.File(path, "w") as file:
        for role, snippets in said.items():
            values = np.array(snippets, object)
            group = file.create_group(f"examples/{role}")
            group.create_dataset("snippets", data=values, dtype=h5py.string_dtype("ascii"))
