"""LEAF's JSON files: users with inputs `x` and targets `y`, several files to a folder."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pipefl.errors import InputFileError, MissingFileError

_EXPECTED = 'expected was {"users": […], "user_data": {user: {"x": […], "y": […]}}}'


def leaf_users(folder: Path) -> Iterator[tuple[str, list[Any], list[Any]]]:
    """User after user of the `*.json` files of a folder, such as `train`: name, x and y.

    Files come in the order of their names and users in the order of `users`. A file is in
    memory while its users are given out, and `num_samples`, where it stands, must agree with
    `y`. A user in two files is refused: one of them is left over from another sampling, and
    LEAF itself would silently take the last.
    """
    paths = sorted(folder.glob("*.json"))
    if not paths:
        raise MissingFileError(f"{folder}: there are no files *.json, as LEAF writes them")
    file_of: dict[str, str] = {}
    for path in paths:
        for user, x, y in _users(path):
            if user in file_of:
                where = f"in {file_of[user]} and in {path.name}"
                raise InputFileError(f"{folder}: user {user!r} stands {where}")
            file_of[user] = path.name
            yield user, x, y


def _users(path: Path) -> Iterator[tuple[str, list[Any], list[Any]]]:
    content = _content(path)
    sizes = content.get("num_samples")
    if sizes is not None and (not isinstance(sizes, list) or len(sizes) != len(content["users"])):
        raise InputFileError(f"{path}: `num_samples` is not one number for each of `users`")
    for i, user in enumerate(content["users"]):
        data = content["user_data"].get(user) if isinstance(user, str) else None
        x, y = (data.get("x"), data.get("y")) if isinstance(data, dict) else (None, None)
        if not isinstance(x, list) or not isinstance(y, list) or len(x) != len(y):
            kind = "has no lists x and y of one length in `user_data`"
            raise InputFileError(f"{path}: user {user!r} {kind}; {_EXPECTED}")
        if sizes is not None and sizes[i] != len(y):
            text = f"`num_samples` says {sizes[i]!r}, and there are {len(y):,}"
            raise InputFileError(f"{path}: user {user!r}: {text}")
        yield user, x, y


def _content(path: Path) -> dict[str, Any]:
    """The parsed file, with a list of users and a table of their data."""
    try:
        content = json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise InputFileError(f"{path}: not JSON, or truncated: {error}") from None
    users = content.get("users") if isinstance(content, dict) else None
    if not isinstance(users, list) or not isinstance(content.get("user_data"), dict):
        raise InputFileError(f"{path}: this is not LEAF's layout; {_EXPECTED}")
    return dict(content)
