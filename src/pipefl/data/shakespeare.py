"""Federated Shakespeare, from whichever of its files are here."""

from collections.abc import Callable, Sequence
from pathlib import Path

from pipefl.data.entry import Choices
from pipefl.data.federated import FederatedDataset
from pipefl.data.folder import data_folder
from pipefl.data.plays import play_roles
from pipefl.data.presence import found_files, missing_text
from pipefl.data.shakespeare_leaf import leaf_roles
from pipefl.data.shakespeare_tff import hdf5_roles, sqlite_roles
from pipefl.data.snippets import Roles, federated_text
from pipefl.data.sources import Way
from pipefl.data.text_sources import (
    HDF5_SNIPPETS,
    LEAF_WINDOWS,
    PLAYS,
    PLAYS_PACKAGED,
    SHAKESPEARE,
    SQLITE_SNIPPETS,
    SQLITE_SNIPPETS_PACKED,
)
from pipefl.errors import MissingFileError

# What others have divided comes first, since results can then be compared with theirs.
_READERS: tuple[tuple[Way, Callable[[Sequence[Path]], Roles]], ...] = (
    (HDF5_SNIPPETS, hdf5_roles),
    (SQLITE_SNIPPETS, sqlite_roles),
    (SQLITE_SNIPPETS_PACKED, sqlite_roles),
    (LEAF_WINDOWS, leaf_roles),
    (PLAYS, play_roles),
    (PLAYS_PACKAGED, play_roles),
)


def shakespeare(choices: Choices) -> FederatedDataset:
    """Next-character prediction; a client is a role of a play, a sample 80 tokens.

    `source` says which files it comes from. TensorFlow Federated's have 715 roles; built from
    the plays there are 1,137, of which `num_clients=715` draws as many.
    Paper: sec:simulations.
    """
    folder = data_folder()
    for way, read in _READERS:
        paths = found_files(way, folder)
        if paths is not None:
            return federated_text("shakespeare", read(paths), choices)
    raise MissingFileError(missing_text("shakespeare", SHAKESPEARE, folder))
