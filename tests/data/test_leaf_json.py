import json
import re
from pathlib import Path
from typing import Any

import pytest

from pipefl.data.leaf_json import leaf_users
from pipefl.errors import InputFileError, MissingFileError


def leaf(**users: tuple[list[Any], list[Any]]) -> dict[str, Any]:
    return {
        "users": list(users),
        "num_samples": [len(y) for _, y in users.values()],
        "user_data": {user: {"x": x, "y": y} for user, (x, y) in users.items()},
    }


def test_users_come_file_after_file(tmp_path: Path) -> None:
    second = leaf(zoe=([[0.5, 1.0]], [3]), ann=([], []))
    (tmp_path / "all_data_1.json").write_text(json.dumps(second))
    (tmp_path / "all_data_0.json").write_text(json.dumps(leaf(bob=(["to be"], ["!"]))))
    (tmp_path / "readme.txt").write_text("no data")
    assert list(leaf_users(tmp_path)) == [
        ("bob", ["to be"], ["!"]),
        ("zoe", [[0.5, 1.0]], [3]),
        ("ann", [], []),
    ]


def test_sizes_may_be_left_out(tmp_path: Path) -> None:
    content = leaf(bob=(["to be"], ["!"]))
    del content["num_samples"]
    (tmp_path / "data.json").write_text(json.dumps(content))
    assert list(leaf_users(tmp_path)) == [("bob", ["to be"], ["!"])]


def test_a_folder_without_files_is_named(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError, match=f"{re.escape(str(tmp_path))}: there are no files"):
        list(leaf_users(tmp_path))


def test_a_user_of_two_files_is_refused(tmp_path: Path) -> None:
    for name in ("a.json", "b.json"):
        (tmp_path / name).write_text(json.dumps(leaf(bob=(["x"], ["y"]))))
    with pytest.raises(InputFileError, match="user 'bob' stands in a.json and in b.json"):
        list(leaf_users(tmp_path))


GOOD = leaf(bob=(["to", "be"], ["1", "2"]))


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (json.dumps(GOOD)[:-5], "not JSON, or truncated"),
        ("", "not JSON, or truncated"),
        ("[" * 100_000, "not JSON, or truncated"),
        ("[1, 2]", "not LEAF's layout; expected was"),
        (json.dumps({"users": ["bob"]}), "not LEAF's layout; expected was"),
        (json.dumps({**GOOD, "users": "bob"}), "not LEAF's layout; expected was"),
        (json.dumps({**GOOD, "user_data": {}}), "user 'bob' has no lists x and y"),
        (json.dumps({**GOOD, "users": [["bob"]]}), r"user \['bob'\] has no lists x and y"),
        (json.dumps({**GOOD, "user_data": {"bob": {"x": [1], "y": []}}}), "x and y of one length"),
        (json.dumps({**GOOD, "num_samples": [3]}), "`num_samples` says 3, and there are 2"),
        (json.dumps({**GOOD, "num_samples": []}), "`num_samples` is not one number for each"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, content: str, complaint: str) -> None:
    path = tmp_path / "data.json"
    path.write_text(content)
    with pytest.raises(InputFileError, match=f"^{re.escape(str(path))}: .*{complaint}"):
        list(leaf_users(tmp_path))
