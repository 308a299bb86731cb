"""Federated EMNIST as LEAF makes it: JSON files in the folders `train` and `test`."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from pipefl.data.handwriting import Handwriting, Writer, digits_of
from pipefl.data.leaf_json import leaf_users


def from_leaf(paths: Sequence[Path]) -> Handwriting:
    """All files of the folders of these two: 784 real numbers an image, the paper 1, the ink 0.

    Labels are 0 to 9 for digits and 10 to 61 for letters.
    """
    train, test = (path.parent for path in paths)
    return Handwriting("LEAF's JSON files", _digits(train), _digits(test))


def _digits(folder: Path) -> Iterator[Writer]:
    for user, x, y in leaf_users(folder):
        yield user, digits_of(f"{folder}: user {user!r}", x, y)
