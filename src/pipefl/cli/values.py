"""Option values that need more than a number: lists, choices, file endings."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, cast

from pipefl.errors import ArgumentError, InputFileError

if TYPE_CHECKING:
    from pipefl.plan import Method

Number = TypeVar("Number", int, float)

_METHODS = ("isotonic", "hull", "hypotheses")


def number_of_clusters(text: str) -> int | None:
    """K, or None for `auto`."""
    if text == "auto":
        return None
    try:
        return int(text)
    except ValueError:
        accepted = "it must be a whole number of clusters, or auto"
        raise ArgumentError("--clusters", text, accepted) from None


def numbers(option: str, text: str) -> list[float]:
    """One or several numbers: `1.5` or `1,1.5,2`."""
    return _listed(option, text, float, "one or several numbers such as 1,1.5,2")


def whole_numbers(option: str, text: str) -> list[int]:
    """One or several whole numbers, with ranges: `1,2,4` or `1-8`."""
    expanded = ",".join(_expanded(part) for part in text.split(","))
    return _listed(option, expanded, int, "one or several whole numbers such as 1,2,4 or 1-8", text)


def solver_name(text: str) -> "Method":
    """One of the solvers."""
    check_choice("--method", text, _METHODS)
    return cast("Method", text)


def check_choice(option: str, text: str, choices: tuple[str, ...]) -> None:
    """Complain of a text that is none of the choices."""
    if text not in choices:
        raise ArgumentError(option, text, f"it must be one of {', '.join(choices)}")


def check_ending(option: str, path: Path | None, endings: tuple[str, ...]) -> None:
    """Complain before the work is done if its result could not be written there."""
    if path is None:
        return
    if path.suffix.lower() not in endings:
        raise ArgumentError(option, str(path), f"its name must end in {' or '.join(endings)}")
    if not path.parent.is_dir():
        raise InputFileError(f"{option} {path}: there is no folder {path.parent}")
    if path.is_dir():
        raise InputFileError(f"{option} {path}: it is a folder")


def _expanded(part: str) -> str:
    first, dash, last = part.strip().partition("-")
    if not (dash and first.isdigit() and last.isdigit() and len(last) < 8):
        return part
    return ",".join(map(str, range(int(first), int(last) + 1)))


def _listed(
    option: str,
    text: str,
    read: Callable[[str], Number],
    accepted: str,
    shown: str | None = None,
) -> list[Number]:
    try:
        return [read(part) for part in text.split(",")]
    except ValueError:
        raise ArgumentError(option, shown or text, f"it must be {accepted}") from None
