"""Configs as TOML files."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import tomli_w

from pipefl.errors import InputFileError, MissingFileError, PipeflError
from pipefl.runs.config import RunConfig
from pipefl.runs.overrides import config_from

NOTES = ("versions", "machine")
"""Tables beside a configuration that say what it was run with."""


def read_config(path: Path) -> RunConfig:
    """The config of a file; what runs note in `NOTES` beside it is passed over."""
    table = read_table(path)
    try:
        return config_from(table)
    except PipeflError as error:
        raise InputFileError(f"{path}: {error}") from None


def read_table(path: Path) -> dict[str, Any]:
    """What a TOML file holds, but for its `NOTES`."""
    table = _read(path)
    return {name: value for name, value in table.items() if name not in NOTES}


def read_notes(path: Path) -> dict[str, dict[str, str]]:
    """The `NOTES` of a TOML file, as texts; those that it does not have are empty."""
    table = _read(path)
    found = {name: table.get(name, {}) for name in NOTES}
    return {
        name: {key: str(value) for key, value in dict(of).items()} for name, of in found.items()
    }


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise MissingFileError(f"{path}: there is no such config file") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputFileError(f"{path}: not a TOML file: {error}") from None
    except OSError as error:
        raise InputFileError(f"{path}: the file cannot be read: {error.strerror}") from None


def config_toml(config: RunConfig, notes: Mapping[str, Mapping[str, str]] | None = None) -> str:
    """The config as TOML, defaults written out, with `NOTES`; what is None is left out."""
    table: dict[str, Any] = without_none(config.model_dump())
    return tomli_w.dumps(table | dict(notes or {}))


def without_none(table: dict[str, Any]) -> dict[str, Any]:
    """A table as TOML can hold it, which has no word for None."""
    return {name: _kept(value) for name, value in table.items() if value is not None}


def _kept(value: Any) -> Any:
    if isinstance(value, dict):
        return without_none(value)
    return [_kept(each) for each in value] if isinstance(value, list | tuple) else value
