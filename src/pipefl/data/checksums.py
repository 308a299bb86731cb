"""SHA-256 sums of what files hold, however they are compressed."""

import bz2
import gzip
import hashlib
import lzma
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO, Literal, cast

# By what a file begins with: browsers decompress `.gz` files and keep the name.
_OPENERS: dict[bytes, Callable[[Path, Literal["rb"]], Any]] = {
    b"\x1f\x8b": gzip.open,
    b"BZh": bz2.open,
    b"\xfd7zXZ\x00": lzma.open,
}
_CHUNK_BYTES = 2**18


def file_sha256(path: Path) -> str:
    """The sum of the file as it stands."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def contents_sha256(path: Path) -> str | None:
    """The sum of the decompressed contents, or None where they cannot be decompressed.

    The same data compressed by others has another file's sum, and the same contents'. O(size).
    """
    try:
        with _opened(path) as file:
            digest = hashlib.sha256()
            while chunk := file.read(_CHUNK_BYTES):
                digest.update(chunk)
            return digest.hexdigest()
    except (EOFError, gzip.BadGzipFile, lzma.LZMAError, zlib.error):
        return None
    except OSError as error:
        if error.errno is None:  # how bz2 says that the bytes are not its own
            return None
        raise


def _opened(path: Path) -> BinaryIO:
    with path.open("rb") as file:
        start = file.read(max(map(len, _OPENERS)))
    for mark, opener in _OPENERS.items():
        if start.startswith(mark):
            return cast("BinaryIO", opener(path, "rb"))
    return path.open("rb")
