"""Federated Shakespeare from LEAF's files: windows of 80 characters and what follows each."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from pipefl.data.leaf_json import leaf_users
from pipefl.data.snippets import Roles
from pipefl.errors import InputFileError


def leaf_roles(paths: Sequence[Path]) -> Roles:
    """The roles of the folder `train` and the text of the folder `test`, from a file of each.

    LEAF strings all that a role says together and keeps no borders of speeches, so that
    n_m counts sequences.
    """
    train, test = (path.parent for path in paths)
    said = dict(_stretches(train))
    return Roles(
        source="federated Shakespeare, LEAF's windows put together again",
        train=said,
        test=[text for _, texts in _stretches(test) for text in texts],
        are_speeches=False,
        notes={"stretches": f"{sum(map(len, said.values())):,} of unbroken text to train with"},
    )


def unbroken(windows: Sequence[str], following: Sequence[str]) -> Iterator[str]:
    r"""The stretches of text that windows were slid over.

    Window i is x_i, and y_i the character after it. Where x_{i+1} is x_i without its first
    character and with y_i at its end, one stretch goes on; anywhere else another begins.
    Windows that were left out, as in LEAF's samples of itself, make stretches short
    and let them overlap. O(characters).

    >>> list(unbroken(["abc", "bcd", "xyz"], ["d", "e", "!"]))
    ['abcde', 'xyz!']
    """
    stretch: list[str] = []
    expected = None
    for window, character in zip(windows, following, strict=True):
        if window != expected:
            if stretch:
                yield "".join(stretch)
            stretch = [window]
        stretch.append(character)
        expected = window[1:] + character
    if stretch:
        yield "".join(stretch)


def _stretches(folder: Path) -> Iterator[tuple[str, list[bytes]]]:
    for user, windows, following in leaf_users(folder):
        _check(folder, user, windows, following)
        # As TensorFlow Federated does, by bytes: what is not ASCII is unknown in any case.
        yield user, [text.encode() for text in unbroken(windows, following)]


def _check(folder: Path, user: str, windows: list[Any], following: list[Any]) -> None:
    lengths = {len(window) if isinstance(window, str) else 0 for window in windows}
    ends = {len(end) if isinstance(end, str) else 0 for end in following}
    if len(lengths) > 1 or 0 in lengths or ends - {1}:
        expected = "windows of text of one length, and one character after each"
        raise InputFileError(f"{folder}: user {user!r}: expected were {expected}")
