import hashlib
from pathlib import Path

import pytest

from pipefl.data.hosts import Hosts
from pipefl.data.mirrors import from_mirrors
from pipefl.data.sources import DataFile, Download, SourceError
from small_web import small_web, unused_address

CONTENT = b"".join(i.to_bytes(4, "big") for i in range(60_000))
SHA256 = hashlib.sha256(CONTENT).hexdigest()
PART = f"{SHA256[:12]}-file.part"


class Told:
    """What the user hears."""

    def __init__(self) -> None:
        self.said: list[str] = []
        self.seen: list[tuple[str, int, int | None]] = []

    def say(self, line: str) -> None:
        self.said.append(line)

    def watch(self, file_name: str, num_bytes: int, total: int | None) -> None:
        self.seen.append((file_name, num_bytes, total))


def fetch(into: Path, *urls: str, told: Told | None = None, hosts: Hosts | None = None) -> Path:
    told = told or Told()
    download = Download("file", SHA256, urls, (DataFile("x/file"),))
    return from_mirrors(
        download, urls, into, hosts=hosts or Hosts(), say=told.say, watch=told.watch
    )


def below(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_file_is_downloaded_and_its_progress_told(tmp_path: Path) -> None:
    told = Told()
    with small_web() as site:
        path = fetch(tmp_path, site.has("f", CONTENT), told=told)
    assert path == tmp_path / "file"
    assert below(tmp_path) == {"file": CONTENT}
    assert told.said == []
    counts = [count for _, count, _ in told.seen]
    assert counts == sorted(counts)
    assert told.seen[-1] == ("file", len(CONTENT), len(CONTENT))


def test_a_broken_connection_is_taken_up_where_it_broke(tmp_path: Path) -> None:
    with small_web() as site:
        site.cuts["f"] = [98_304, 49_152]
        fetch(tmp_path, site.has("f", CONTENT))
        assert site.asked == [("f", None), ("f", "bytes=98304-"), ("f", "bytes=147456-")]
    assert below(tmp_path) == {"file": CONTENT}


def test_a_server_without_ranges_sends_all_again(tmp_path: Path) -> None:
    with small_web() as site:
        site.ranges, site.cuts["f"] = False, [98_304]
        fetch(tmp_path, site.has("f", CONTENT))
        assert [path for path, _ in site.asked] == ["f", "f"]
    assert below(tmp_path) == {"file": CONTENT}


def test_what_arrived_before_a_failure_is_not_downloaded_again(tmp_path: Path) -> None:
    with small_web() as site:
        url = site.has("f", CONTENT)
        site.cuts["f"] = [65_536, 0]
        with pytest.raises(SourceError, match=r"^127\.0\.0\.1:\d+: .*"):
            fetch(tmp_path, url)
        assert below(tmp_path) == {PART: CONTENT[:65_536]}
        fetch(tmp_path, url)
        assert site.asked[-1] == ("f", "bytes=65536-")
    assert below(tmp_path) == {"file": CONTENT}


def test_another_mirror_goes_on_where_the_first_broke(tmp_path: Path) -> None:
    with small_web() as first, small_web() as second:
        first.cuts["f"] = [65_536, 0]
        fetch(tmp_path, first.has("f", CONTENT), second.has("g", CONTENT))
        assert second.asked == [("g", "bytes=65536-")]
    assert below(tmp_path) == {"file": CONTENT}


def test_other_bytes_are_refused_and_the_next_mirror_is_tried(tmp_path: Path) -> None:
    told = Told()
    with small_web() as bad, small_web() as good:
        fetch(tmp_path, bad.has("f", b"?" * 999), good.has("f", CONTENT), told=told)
    assert below(tmp_path) == {"file": CONTENT}
    assert [line.partition(": ")[0] for line in told.said] == ["file"]
    assert told.said[0].endswith("the file there is another one, by its SHA-256")


def test_other_bytes_leave_nothing_behind(tmp_path: Path) -> None:
    with small_web() as site, pytest.raises(SourceError, match="another one, by its SHA-256"):
        fetch(tmp_path, site.has("f", CONTENT[:-1] + b"?"))
    assert below(tmp_path) == {}


@pytest.mark.parametrize(
    "before",
    [b"?" * 1000, b"?" * len(CONTENT), CONTENT + b"?", CONTENT[:-1] + b"?"],
    ids=["shorter", "as long", "longer", "one byte"],
)
@pytest.mark.parametrize("ranges", [True, False])
def test_a_beginning_of_something_else_does_not_spoil_the_file(
    tmp_path: Path, before: bytes, ranges: bool
) -> None:
    (tmp_path / PART).write_bytes(before)
    with small_web() as site:
        site.ranges = ranges
        fetch(tmp_path, site.has("f", CONTENT))
    assert below(tmp_path) == {"file": CONTENT}


def test_a_connection_that_broke_after_the_last_byte_has_brought_all(tmp_path: Path) -> None:
    (tmp_path / PART).write_bytes(CONTENT)
    with small_web() as site:
        fetch(tmp_path, site.has("f", CONTENT))
        assert len(site.asked) == 1
    assert below(tmp_path) == {"file": CONTENT}


def test_a_mirror_without_the_file_is_passed_over(tmp_path: Path) -> None:
    told = Told()
    with small_web() as site:
        fetch(tmp_path, f"{site.address}/none", site.has("f", CONTENT), told=told)
        assert site.asked == [("none", None), ("f", None)]
    assert told.said == [f"file: {site.address[7:]}: HTTP status 404"]


def test_a_host_that_cannot_be_reached_is_passed_over(tmp_path: Path) -> None:
    hosts, closed, told = Hosts(), unused_address(), Told()
    with small_web() as site:
        for _ in range(3):
            urls = (f"{closed}/f", site.has("f", CONTENT))
            fetch(tmp_path, *urls, told=told, hosts=hosts).unlink()
    assert told.said == []
    with pytest.raises(SourceError, match=rf"^{closed[7:]}: it cannot be reached$"):
        fetch(tmp_path, f"{closed}/f", hosts=hosts)


def test_a_mirror_that_goes_away_is_given_up(tmp_path: Path) -> None:
    hosts = Hosts()
    with small_web() as site:
        url = site.has("f", CONTENT)
        hosts.ask([url])
    for _ in range(2):
        with pytest.raises(SourceError, match=r": it cannot be reached$"):
            fetch(tmp_path, url, hosts=hosts)
    assert hosts.against(url) == "it cannot be reached"
