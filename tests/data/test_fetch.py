import hashlib
import io
import json
import os
import subprocess
import sys
import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pipefl.data.fetch import Errand, FetchError, fetch_parts
from pipefl.data.hosts import Hosts
from pipefl.data.sources import DataFile, Download, Package, Part, Way
from small_web import Site, small_web, unused_address

CONTENT = {"first": b"1" * 200_000, "second": b"22"}


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def tar_of(files: dict[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:bz2") as tar:
        for name, content in files.items():
            info = tarfile.TarInfo(f"folder/{name}")
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    return packed.getvalue()


ARCHIVE = tar_of({**CONTENT, "readme": b"not wanted"})
FILES = tuple(DataFile(f"set/{name}", len(c), sha256(c)) for name, c in CONTENT.items())


def plain(address: str) -> Way:
    """A way to the two files, each by itself."""
    return Way(
        "mirrors",
        tuple(
            Download(name, sha256(content), (f"{address}/{name}",), (file,))
            for (name, content), file in zip(CONTENT.items(), FILES, strict=True)
        ),
    )


def packed(address: str, *, unknown_sums: bool = False) -> Way:
    """A way to both in an archive."""
    brings = tuple(DataFile(file.place) for file in FILES) if unknown_sums else FILES
    download = Download(
        "both.tar.bz2", sha256(ARCHIVE), (f"{address}/both",), brings, unpacked=True
    )
    return Way("mirrors", (download,))


@pytest.fixture
def site() -> Iterator[Site]:
    with small_web() as site:
        site.files.update({**CONTENT, "both": ARCHIVE})
        yield site


def fetch(folder: Path, *ways: Way, hosts: Hosts | None = None) -> tuple[bool, list[str]]:
    """Whether anything was fetched, and what was said."""
    said: list[str] = []
    errand = Errand(folder, said.append, hosts=hosts or Hosts())
    return fetch_parts("set", (ways,), errand), said


def below(folder: Path) -> dict[str, bytes]:
    """All files but the lock's."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.name != ".lock"
    }


WHOLE = {f"set/{name}": content for name, content in CONTENT.items()}


@pytest.mark.parametrize("way", [plain, packed])
def test_files_are_fetched_once(tmp_path: Path, site: Site, way: Callable[[str], Way]) -> None:
    assert fetch(tmp_path, way(site.address)) == (True, [])
    assert below(tmp_path) == WHOLE
    assert [path.name for path in tmp_path.iterdir()] == ["set"]
    num_asked = len(site.asked)
    assert fetch(tmp_path, way(site.address)) == (False, [])
    assert len(site.asked) == num_asked


def test_a_good_file_is_not_fetched_again_with_the_missing_one(tmp_path: Path, site: Site) -> None:
    fetch(tmp_path, plain(site.address))
    (tmp_path / "set" / "second").unlink()
    site.asked.clear()
    assert fetch(tmp_path, plain(site.address)) == (True, [])
    assert site.asked == [("second", None)]
    assert below(tmp_path) == WHOLE


@pytest.mark.parametrize("name", ["first", "first.gz", "first.xz"])
@pytest.mark.parametrize("content", [b"", b"1" * 199_999, b"<html>", b"\x1f\x8b broken"])
def test_a_wrong_file_is_said_and_replaced(
    tmp_path: Path, site: Site, name: str, content: bytes
) -> None:
    wrong = tmp_path / "set" / name
    wrong.parent.mkdir()
    wrong.write_bytes(content)
    fetched, said = fetch(tmp_path, plain(site.address))
    assert fetched
    assert said == [f"{wrong} does not hold what it should, by its SHA-256; it must be replaced"]
    assert below(tmp_path) == WHOLE


def test_a_wrong_file_stays_until_there_is_a_better(tmp_path: Path) -> None:
    wrong = tmp_path / "set" / "first"
    wrong.parent.mkdir()
    wrong.write_bytes(b"wrong")
    with pytest.raises(FetchError):
        fetch(tmp_path, plain(unused_address()))
    assert below(tmp_path) == {"set/first": b"wrong"}


def test_ways_are_tried_in_turn(tmp_path: Path, site: Site) -> None:
    closed = unused_address()
    fetched, said = fetch(tmp_path, plain(closed), packed(site.address))
    assert fetched
    assert said == [f"set: mirrors: {closed[7:]}: it cannot be reached"]
    assert below(tmp_path) == WHOLE


def test_a_way_that_breaks_off_in_the_middle_is_finished_by_another(
    tmp_path: Path, site: Site
) -> None:
    del site.files["second"]
    assert fetch(tmp_path, plain(site.address), packed(site.address))[0]
    assert below(tmp_path) == WHOLE


def test_what_cannot_be_had_is_told_with_all_that_was_tried(tmp_path: Path, site: Site) -> None:
    site.files.clear()
    closed = unused_address()
    by_hand = Way("by hand", placed=(DataFile("set/*.json"),))
    with pytest.raises(FetchError) as caught:
        fetch(tmp_path, plain(closed), packed(site.address), by_hand)
    assert str(caught.value) == (
        f"set: files are missing or wrong in {tmp_path / 'set'} and cannot be had from here "
        f"(mirrors: {closed[7:]}: it cannot be reached; mirrors: {site.address[7:]}: HTTP status "
        f"404); put there first, second, compressed or not (from {closed}/ or "
        f"{site.address}/both); or *.json"
    )
    assert below(tmp_path) == {}


def test_files_put_there_by_hand_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "set").mkdir()
    (tmp_path / "set" / "mine.json").write_text("{}")
    by_hand = Way("by hand", placed=(DataFile("set/*.json"),))
    assert fetch(tmp_path, plain(unused_address()), by_hand) == (False, [])
    assert below(tmp_path) == {"set/mine.json": b"{}"}


@pytest.mark.parametrize("cut", [0, 100, len(ARCHIVE) - 1])
def test_nothing_of_a_truncated_archive_gets_a_name(tmp_path: Path, site: Site, cut: int) -> None:
    site.files["both"] = ARCHIVE[:cut]
    with pytest.raises(FetchError):
        fetch(tmp_path, packed(site.address))
    assert below(tmp_path) == {}


def test_an_archive_put_there_by_hand_is_unpacked(tmp_path: Path) -> None:
    (tmp_path / "set").mkdir()
    given = tmp_path / "set" / "both.tar.bz2"
    given.write_bytes(ARCHIVE)
    assert fetch(tmp_path, packed(unused_address())) == (
        True,
        [f"{given} is here and will be unpacked"],
    )
    assert below(tmp_path) == {**WHOLE, "set/both.tar.bz2": ARCHIVE}


def test_an_archive_that_is_another_is_not_unpacked(tmp_path: Path, site: Site) -> None:
    (tmp_path / "set").mkdir()
    other = tar_of({"first": b"evil", "second": b"evil"})
    (tmp_path / "set" / "both.tar.bz2").write_bytes(other)
    assert fetch(tmp_path, packed(site.address)) == (True, [])
    assert below(tmp_path) == {**WHOLE, "set/both.tar.bz2": other}


def test_files_without_a_known_sum_are_taken_as_they_are(tmp_path: Path, site: Site) -> None:
    way = packed(site.address, unknown_sums=True)
    assert fetch(tmp_path, way)[0]
    (tmp_path / "set" / "first").write_bytes(b"mine")
    assert fetch(tmp_path, way) == (False, [])
    (tmp_path / "set" / "second").unlink()
    assert fetch(tmp_path, way)[0]
    assert below(tmp_path) == WHOLE


def test_a_package_that_is_another_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "links").mkdir()
    with tarfile.open(tmp_path / "links" / "set-1.tar.gz", "w:gz") as tar:
        tar.addfile(tarfile.TarInfo("set-1/setup.py"))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "links"))
    download = Download("set-1.tar.gz", sha256(b"?"), Package("pip", "set", "1"), FILES)
    expected = r"\(pip, package set 1: its set-1\.tar\.gz is another one, by its SHA-256\)"
    with pytest.raises(FetchError, match=expected):
        fetch(tmp_path / "data", Way("registry", (download,)))
    assert below(tmp_path / "data") == {}


def test_what_a_killed_process_left_is_cleared(tmp_path: Path, site: Site) -> None:
    left = tmp_path / "set" / ".incoming" / "unpacking-x"
    left.mkdir(parents=True)
    (left / "first").write_bytes(b"half")
    (left.parent / "tmpabc").write_bytes(b"half")
    assert fetch(tmp_path, packed(site.address))[0]
    assert below(tmp_path) == WHOLE


SCRIPT = """
import json, sys
from pathlib import Path
from pipefl.data.fetch import Errand, fetch_parts
from pipefl.data.sources import DataFile, Download, Way
folder, address, sums, loud = json.loads(sys.argv[1])
downloads = tuple(
    Download(name, sum, (f"{address}/{name}",), (DataFile(f"set/{name}", None, sum),))
    for name, sum in sums.items()
)
def say(line):
    print(line, flush=True)
def watch(name, num_bytes, total):
    if loud:
        say(num_bytes)
errand = Errand(Path(folder), say, watch)
print(fetch_parts("set", ((Way("mirrors", downloads),),), errand), flush=True)
"""


def started(folder: Path, site: Site, *, loud: bool = False) -> "subprocess.Popen[str]":
    """A process of its own that fetches the two files."""
    sums = {name: sha256(content) for name, content in CONTENT.items()}
    argument = json.dumps([str(folder), site.address, sums, loud])
    command = [sys.executable, "-c", SCRIPT, argument]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=dict(os.environ))


def test_two_processes_take_turns(tmp_path: Path, site: Site) -> None:
    site.gated["first"] = 100_000
    with started(tmp_path, site) as one:
        assert site.reached.wait(60)
        with started(tmp_path, site) as two:
            assert two.stdout is not None
            assert two.stdout.readline().startswith("another process is fetching files into ")
            site.gate.set()
            assert (one.communicate(timeout=60)[0], two.communicate(timeout=60)[0]) == (
                "True\n",
                "False\n",
            )
    assert (one.returncode, two.returncode) == (0, 0)
    assert [path for path, _ in site.asked] == ["first", "second"]
    assert below(tmp_path) == WHOLE


def test_a_killed_download_goes_on_where_it_was(tmp_path: Path, site: Site) -> None:
    site.gated["first"] = 163_840
    with started(tmp_path, site, loud=True) as process:
        assert process.stdout is not None
        while int(process.stdout.readline()) < 163_840:
            pass
        process.kill()
    site.gated.clear()
    site.gate.set()
    assert [name for name in below(tmp_path) if ".incoming" not in name] == []
    site.asked.clear()
    assert fetch(tmp_path, plain(site.address))[0]
    assert site.asked == [("first", "bytes=163840-"), ("second", None)]
    assert below(tmp_path) == WHOLE


def test_parts_are_all_fetched_and_a_part_that_fails_is_an_error(
    tmp_path: Path, site: Site
) -> None:
    first: Part = (Way("mirrors", plain(site.address).downloads[:1]),)
    second: Part = (Way("mirrors", plain(unused_address()).downloads[1:]),)
    with pytest.raises(FetchError):
        fetch_parts("set", (first, second), Errand(tmp_path))
    assert below(tmp_path) == {"set/first": CONTENT["first"]}
    assert not fetch_parts("set", (), Errand(tmp_path))
