"""Federated Shakespeare from TensorFlow Federated's files: snippets by role, already divided."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from pipefl.data.snippets import Roles
from pipefl.data.tff_hdf5 import hdf5_clients
from pipefl.data.tff_sqlite import sqlite_clients
from pipefl.errors import InputFileError

_FEATURE = "snippets"
_Said = Iterator[tuple[str, list[bytes]]]


def hdf5_roles(paths: Sequence[Path]) -> Roles:
    """The roles of `shakespeare_train.h5` and the test snippets of `shakespeare_test.h5`."""
    train, test = paths
    return _roles("HDF5", _said_in_hdf5(train), _said_in_hdf5(test))


def sqlite_roles(paths: Sequence[Path]) -> Roles:
    """The roles of the split "train" and the snippets of "test" of `shakespeare.sqlite`."""
    (path,) = paths
    return _roles("SQLite", _said_in_sqlite(path, "train"), _said_in_sqlite(path, "test"))


def _roles(form: str, train: _Said, test: _Said) -> Roles:
    said = dict(train)
    pooled = [text for _, snippets in test for text in snippets]
    num_train = sum(len(snippets) for snippets in said.values())
    return Roles(
        source=f"federated Shakespeare, TensorFlow Federated's snippets ({form})",
        train=said,
        test=pooled,
        notes={"snippets": f"{num_train:,} to train with, {len(pooled):,} to test with"},
    )


def _said_in_hdf5(path: Path) -> _Said:
    for role, arrays in hdf5_clients(path, [_FEATURE]):
        yield role, _checked(path, role, arrays[_FEATURE].ravel().tolist())


def _said_in_sqlite(path: Path, split: str) -> _Said:
    for role, examples in sqlite_clients(path, split):
        snippets = [value for example in examples for value in example.get(_FEATURE, [None])]
        yield role, _checked(path, role, snippets)


def _checked(path: Path, role: str, values: Iterable[object]) -> list[bytes]:
    snippets = []
    for value in values:
        if not isinstance(value, bytes):
            expected = f"the texts of a feature {_FEATURE!r}"
            raise InputFileError(f"{path}: role {role!r}: expected were {expected}")
        snippets.append(value)
    return snippets
