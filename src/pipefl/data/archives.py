"""Data files out of tar archives, whole or not at all."""

import lzma
import shutil
import tarfile
import zlib
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from pipefl.data.sources import SourceError


def take_out(archive: Path, wanted: Mapping[str, Path], work_in: Path) -> None:
    """Write the archive's members with these names to these paths, in place of what is there.

    A member is a plain file, is found by its name without folders, and is copied as bytes;
    nothing else of the archive reaches the disk, so that no name or link in it leads anywhere. The
    files appear under their own names when all of them have been read; until then they are in
    `work_in`, on the same disk.
    """
    with TemporaryDirectory(dir=work_in, prefix="unpacking-") as work:
        _copy_members(archive, wanted, Path(work))
        for name, path in wanted.items():
            Path(work, name).replace(path)


def _copy_members(archive: Path, wanted: Mapping[str, Path], work: Path) -> None:
    missing = set(wanted)
    try:
        with tarfile.open(archive) as tar:
            for member in tar:
                name = PurePosixPath(member.name).name
                if name not in missing or not member.isreg():
                    continue
                _copy(tar, member, work / name)
                missing.discard(name)
            _read_to_the_end(tar)
    except OSError as error:
        if error.errno is not None:  # the disk is full, say: nothing that the archive can help
            raise
        raise SourceError(f"{archive.name} cannot be unpacked: {error}") from None
    except (tarfile.TarError, EOFError, zlib.error, lzma.LZMAError) as error:
        raise SourceError(f"{archive.name} cannot be unpacked: {error}") from None
    if missing:
        raise SourceError(f"{archive.name} holds no {', '.join(sorted(missing))}")


def _copy(tar: tarfile.TarFile, member: tarfile.TarInfo, path: Path) -> None:
    content = tar.extractfile(member)
    if content is None:
        raise SourceError(f"{member.name} is not a file")
    with content, path.open("wb") as copy:
        shutil.copyfileobj(content, copy)


def _read_to_the_end(tar: tarfile.TarFile) -> None:
    """The checksum of a compressed file comes last, behind the padding that nobody reads."""
    while tar.fileobj.read(2**18):
        pass
