"""Frozen dataclasses made from tables of settings, as they stand in a config file."""

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from difflib import get_close_matches
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from pipefl.errors import ArgumentError

Setting = bool | int | float | str | list[int]
Settings = Mapping[str, Setting]

T = TypeVar("T")


def with_settings(
    owner: T, settings: Settings, *, section: str, hidden: Iterable[str] = ("name",)
) -> T:
    """A copy of a frozen dataclass with these fields set; the owner checks their values.

    A name that the owner does not have, or a value of another type, is an error that names
    `section.name` and what would do. Fields in `hidden` are not the user's to set.

    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Spring:
    ...     stiffness: float = 1.0
    >>> with_settings(Spring(), {"stiffness": 2}, section="spring")
    Spring(stiffness=2.0)
    """
    types = get_type_hints(type(owner))
    known = {f.name: types[f.name] for f in fields(owner) if f.name not in set(hidden)}  # type: ignore[arg-type]  # any dataclass
    values = {
        name: _fitted(f"{section}.{name}", value, _known(name, known, section))
        for name, value in settings.items()
    }
    return replace(owner, **values)  # type: ignore[type-var]  # any dataclass


def parse_setting(text: str) -> tuple[str, Any]:
    """A name and a value from `name=value`, the value as TOML has it, or a plain text.

    >>> parse_setting("learning_rate=0.05"), parse_setting("policy=rolling")
    (('learning_rate', 0.05), ('policy', 'rolling'))
    >>> parse_setting("target_accuracy=none")
    ('target_accuracy', None)
    """
    name, equals, value = text.partition("=")
    if not equals or not name.strip():
        raise ArgumentError("--set", text, "it must have the form name=value")
    value = value.strip()
    if value.lower() == "none":
        return name.strip(), None
    try:
        return name.strip(), tomllib.loads(f"value = {value}")["value"]
    except tomllib.TOMLDecodeError:
        return name.strip(), value


def nearest(name: str, names: Iterable[str]) -> str:
    """`did you mean …? ` for a name that is close to one of these, else nothing.

    >>> nearest("rollng", ["rolling", "age"])
    'did you mean rolling? '
    """
    close = get_close_matches(name, list(names), n=1, cutoff=0.5)
    return f"did you mean {close[0]}? " if close else ""


def _known(name: str, known: Mapping[str, Any], section: str) -> Any:
    if name not in known:
        names = ", ".join(known) or "none"
        accepted = f"{nearest(name, known)}the settings there are: {names}"
        raise ArgumentError(section, name, accepted)
    return known[name]


def _fitted(name: str, value: Setting, kind: Any) -> Any:
    """The value as the field's type has it: whole numbers where real ones are due, tuples."""
    if get_origin(kind) in (Union, UnionType):
        kinds = [each for each in get_args(kind) if each is not NoneType]
        kind = kinds[0] if len(kinds) == 1 else kind
    if get_origin(kind) is Literal:
        if value in get_args(kind):
            return value
        raise ArgumentError(name, value, f"it must be one of {', '.join(map(str, get_args(kind)))}")
    if get_origin(kind) is tuple and isinstance(value, list):
        return tuple(value)
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if kind in (bool, int, float, str) and type(value) is kind:
        return value
    words = {bool: "true or false", int: "a whole number", float: "a number", str: "a text"}
    other = "a list of numbers" if get_origin(kind) is tuple else f"a {kind}"
    raise ArgumentError(name, value, f"it must be {words.get(kind, other)}")
