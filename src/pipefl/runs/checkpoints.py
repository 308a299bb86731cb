"""A run's state on disk: arrays in safetensors files whose names hold their checksums."""

import hashlib
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load, save

from pipefl.errors import PipeflError
from pipefl.runs.writing import write_bytes_whole

_NAME = re.compile(r"step-(\d{8})-([0-9a-f]{64})\.safetensors")
_KEPT = 2


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """The state after `num_steps` steps: named arrays, and whatever JSON can hold."""

    num_steps: int
    arrays: Mapping[str, NDArray[Any]]
    notes: Mapping[str, Any]


def write_checkpoint(folder: Path, checkpoint: Checkpoint) -> Path:
    """Write a checkpoint, and remove all but the last two.

    It is written beside, forced to the disk and renamed; its name ends with the SHA-256
    of its bytes. So there is no instant at which a file under such a name is not whole.
    """
    folder.mkdir(parents=True, exist_ok=True)
    arrays = {name: np.ascontiguousarray(array) for name, array in checkpoint.arrays.items()}
    notes = json.dumps(dict(checkpoint.notes), allow_nan=False)
    data = save(arrays, metadata={"notes": notes})
    sha256 = hashlib.sha256(data).hexdigest()
    path = folder / f"step-{checkpoint.num_steps:08d}-{sha256}.safetensors"
    write_bytes_whole(path, data, folder / ".part")
    for old in _newest_first(folder)[_KEPT:]:
        old.unlink(missing_ok=True)
    return path


def read_newest(
    folder: Path, most_steps: int, complain: Callable[[str], None]
) -> Checkpoint | None:
    """The newest whole checkpoint of at most so many steps, or None.

    One whose bytes do not have the checksum of its name is passed over, with a complaint.
    """
    for path in _newest_first(folder):
        try:
            data = path.read_bytes()
        except OSError as error:
            complain(f"{path} cannot be read ({error.strerror}); trying the one before")
            continue
        steps, sha256 = _of_name(path)
        if hashlib.sha256(data).hexdigest() != sha256:
            complain(f"{path} is damaged (its checksum is another); trying the one before")
        elif steps <= most_steps:
            return _parsed(path, data, steps)
    return None


def _parsed(path: Path, data: bytes, num_steps: int) -> Checkpoint:
    try:
        arrays = load(data)
        header = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])
        notes = json.loads(header["__metadata__"]["notes"])
    except (SafetensorError, KeyError, ValueError) as error:
        raise PipeflError(f"{path}: not a checkpoint: {error}") from None
    return Checkpoint(num_steps, arrays, notes)


def _newest_first(folder: Path) -> list[Path]:
    if not folder.is_dir():
        return []
    paths = [path for path in folder.iterdir() if _NAME.fullmatch(path.name)]
    return sorted(paths, key=_of_name, reverse=True)


def _of_name(path: Path) -> tuple[int, str]:
    match = _NAME.fullmatch(path.name)
    assert match is not None  # noqa: S101  # only such paths are asked for
    return int(match[1]), match[2]
