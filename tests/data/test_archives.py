import io
import tarfile
from pathlib import Path

import pytest

from pipefl.data.archives import take_out
from pipefl.data.sources import SourceError


def member(name: str, content: bytes = b"good") -> tuple[tarfile.TarInfo, bytes]:
    info = tarfile.TarInfo(name)
    info.size = len(content)
    return info, content


def link(name: str, target: str, kind: bytes = tarfile.SYMTYPE) -> tuple[tarfile.TarInfo, bytes]:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    return info, b""


def archive(path: Path, *members: tuple[tarfile.TarInfo, bytes], mode: str = "w:gz") -> Path:
    with tarfile.open(path, mode) as tar:  # type: ignore[call-overload]  # any of the modes
        for info, content in members:
            tar.addfile(info, io.BytesIO(content))
    return path


def all_below(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.fixture
def inner(tmp_path: Path) -> Path:
    """A folder in a folder, to see what is written beside it."""
    folder = tmp_path / "inner"
    folder.mkdir()
    return folder


@pytest.mark.parametrize("mode", ["w", "w:gz", "w:bz2", "w:xz"])
def test_wanted_members_are_taken_out_and_nothing_else(inner: Path, mode: str) -> None:
    path = archive(
        inner / "a.tar", member("top/a", b"A"), member("top/c", b"C"), member("b", b"B"), mode=mode
    )
    take_out(path, {"a": inner / "a", "b": inner / "other"}, inner)
    path.unlink()
    assert all_below(inner) == {"a": b"A", "other": b"B"}


@pytest.mark.parametrize("name", ["../a", "../../a", "/a", "/x/a", "x/../../a", "./a", "a"])
def test_names_that_lead_elsewhere_lead_nowhere(tmp_path: Path, inner: Path, name: str) -> None:
    path = archive(inner / "a.tar.gz", member("../evil"), member(name))
    take_out(path, {"a": inner / "a"}, inner)
    path.unlink()
    assert all_below(tmp_path) == {"inner/a": b"good"}


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE])
@pytest.mark.parametrize("target", ["../secret", "/etc/passwd", "nowhere", "b"])
def test_links_are_not_followed(tmp_path: Path, inner: Path, kind: bytes, target: str) -> None:
    (tmp_path / "secret").write_bytes(b"secret")
    path = archive(inner / "a.tar.gz", member("b"), link("a", target, kind))
    with pytest.raises(SourceError, match=r"a\.tar\.gz holds no a$"):
        take_out(path, {"a": inner / "a"}, inner)
    path.unlink()
    assert all_below(tmp_path) == {"secret": b"secret"}


def test_writing_through_a_link_of_the_archive_is_not_possible(tmp_path: Path, inner: Path) -> None:
    path = archive(inner / "a.tar.gz", link("a", str(tmp_path / "evil")), member("x/a"))
    take_out(path, {"a": inner / "a"}, inner)
    path.unlink()
    assert all_below(tmp_path) == {"inner/a": b"good"}


@pytest.mark.parametrize("mode", ["w", "w:gz", "w:bz2", "w:xz"])
@pytest.mark.parametrize("kept", [0.0, 0.3, 0.6, 0.9])
def test_a_truncated_archive_changes_nothing(inner: Path, mode: str, kept: float) -> None:
    noise = b"".join(i.to_bytes(4, "big") * 2 for i in range(20_000))
    path = archive(inner / "a.tar", member("a"), member("b", noise), mode=mode)
    path.write_bytes(path.read_bytes()[: int(kept * path.stat().st_size)])
    (inner / "a").write_bytes(b"before")
    with pytest.raises(SourceError, match=r"^a\.tar (cannot be unpacked: |holds no )"):
        take_out(path, {"a": inner / "a", "b": inner / "b"}, inner)
    path.unlink()
    assert all_below(inner) == {"a": b"before"}


def test_a_damaged_archive_changes_nothing(inner: Path) -> None:
    noise = b"".join(i.to_bytes(4, "big") * 2 for i in range(20_000))
    path = archive(inner / "a.tar.gz", member("a", noise))
    packed = bytearray(path.read_bytes())
    middle = len(packed) // 2
    packed[middle : middle + 64] = bytes(64)
    path.write_bytes(packed)
    with pytest.raises(SourceError, match=r"^a\.tar\.gz cannot be unpacked: "):
        take_out(path, {"a": inner / "a"}, inner)
    path.unlink()
    assert all_below(inner) == {}


@pytest.mark.parametrize("content", [b"", b"<html>", bytes(5000), bytes(range(256)) * 9])
def test_what_is_no_archive_is_said(inner: Path, content: bytes) -> None:
    path = inner / "a.tar.gz"
    path.write_bytes(content)
    with pytest.raises(SourceError, match=r"^a\.tar\.gz (cannot be unpacked: |holds no a)"):
        take_out(path, {"a": inner / "a"}, inner)
    path.unlink()
    assert all_below(inner) == {}


def test_all_missing_members_are_named(inner: Path) -> None:
    path = archive(inner / "a.tar.gz", member("b"))
    with pytest.raises(SourceError, match=r"^a\.tar\.gz holds no a, c$"):
        take_out(path, {name: inner / name for name in "abc"}, inner)
    path.unlink()
    assert all_below(inner) == {}
