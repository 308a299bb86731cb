"""TensorFlow Federated's HDF5 files: a group for every client, with one array a feature."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from pipefl.errors import InputFileError, MissingFileError, PipeflError

_GROUP = "examples"


def hdf5_clients(
    path: Path, features: Sequence[str]
) -> Iterator[tuple[str, dict[str, NDArray[Any]]]]:
    """Client after client in the order of their names: the name, and an array a feature.

    The layout is `examples/<client>/<feature>`, the arrays of a client equally long; texts come
    as arrays of `bytes`. Features that are not asked for are not read, and a client is read
    when it is reached, so that a large file is never in memory as a whole.

    Raises `InputFileError` for what is not such a file. O(bytes of the features).
    """
    try:
        import h5py  # type: ignore[import-untyped]  # it comes without types
    except ImportError:
        needs = "HDF5 files need the package h5py: pip install 'pipefl[train]'"
        raise PipeflError(f"{path}: {needs}") from None
    if not path.is_file():
        raise MissingFileError(f"{path}: there is no such file")
    try:
        with h5py.File(path, "r") as file:
            names = sorted(_group(path, file, _GROUP))
            if not names:
                raise InputFileError(f"{path}: the group {_GROUP!r} holds no clients")
            for name in names:
                client = _group(path, file[_GROUP], name)
                yield name, _arrays(path, name, client, features)
    except (OSError, RuntimeError, KeyError) as error:  # what h5py says of damaged files
        reason = " ".join(str(error).split())
        raise InputFileError(
            f"{path}: it cannot be read as HDF5, or is truncated: {reason}"
        ) from None


def _group(path: Path, parent: Any, name: str) -> Any:
    group = parent.get(name)
    if group is None or not hasattr(group, "keys"):
        raise InputFileError(
            f"{path}: there is no group {name!r}; expected was {_GROUP}/<client>/<feature>"
        )
    return group


def _arrays(
    path: Path, client: str, group: Any, features: Sequence[str]
) -> dict[str, NDArray[Any]]:
    arrays = {}
    for feature in features:
        dataset = group.get(feature)
        if dataset is None or not getattr(dataset, "shape", ()):
            there = ", ".join(sorted(group)) or "nothing"
            raise InputFileError(
                f"{path}: client {client!r} has no array {feature!r}; it has {there}"
            )
        arrays[feature] = dataset[:]
    lengths = {feature: len(array) for feature, array in arrays.items()}
    if len(set(lengths.values())) > 1:
        raise InputFileError(f"{path}: client {client!r} has arrays of several lengths: {lengths}")
    return arrays
