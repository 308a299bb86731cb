"""Where data files lie: `$PIPEFL_DATA`, else the user's cache."""

import os
from pathlib import Path

from pipefl.errors import InputFileError, PipeflError

VARIABLE = "PIPEFL_DATA"


def data_folder() -> Path:
    """The folder that holds a sub-folder for every dataset; it need not be there yet.

    >>> import pytest
    >>> with pytest.MonkeyPatch.context() as patch:
    ...     patch.setenv("PIPEFL_DATA", "/tmp")
    ...     data_folder()
    PosixPath('/tmp')
    """
    chosen = os.environ.get(VARIABLE)
    if not chosen:
        return _cache()
    folder = Path(chosen).expanduser()
    nearest = next(place for place in (folder, *folder.absolute().parents) if place.exists())
    if not nearest.is_dir():
        raise InputFileError(f"{VARIABLE} is {chosen!r}, but {nearest} is not a folder")
    return folder


def _cache() -> Path:
    try:
        import pooch  # type: ignore[import-untyped]  # it comes without types
    except ImportError:
        raise PipeflError(
            f"data needs the package pooch: pip install 'pipefl[train]', or let {VARIABLE} "
            "name the folder of the files"
        ) from None
    return Path(pooch.os_cache("pipefl"))
