"""Packages that `pip install pipefl` leaves out, and the extra that brings each."""

from pipefl.errors import PipeflError

EXTRA_OF = {
    "flwr": "flower",
    "h5py": "train",
    "mlflow": "mlflow",
    "nicegui": "studio",
    "pooch": "train",
    "pydantic": "train",
    "ray": "ray",
    "safetensors": "train",
    "tensorboard": "tensorboard",
    "tomli_w": "train",
    "torch": "train",
}


class MissingExtraError(PipeflError, ImportError):
    """Something was asked for whose packages are not installed."""


def missing_extra(what: str, error: ImportError) -> MissingExtraError | None:
    """What to install for an import that failed, or None if no extra would bring it.

    >>> str(missing_extra("pipefl run", ModuleNotFoundError(name="torch.nn")))
    "pipefl run needs the package torch: pip install 'pipefl[train]'"
    >>> missing_extra("pipefl run", ModuleNotFoundError(name="no_such_package")) is None
    True
    """
    package = (error.name or "").partition(".")[0]
    if package not in EXTRA_OF:
        return None
    return MissingExtraError(
        f"{what} needs the package {package}: pip install 'pipefl[{EXTRA_OF[package]}]'"
    )
