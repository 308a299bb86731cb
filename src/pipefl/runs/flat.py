"""A configuration as one table of names and values, for people to read and to compare."""

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel

from pipefl.runs.config import RunConfig


def flat_settings(config: RunConfig) -> dict[str, Any]:
    """All settings of a configuration, those of its tables by dotted names.

    >>> flat_settings(RunConfig(num_clusters=4, target_accuracy=0.97))["devices.jitter"]
    0.0
    """
    return _flat(config.model_dump())


def default_settings() -> dict[str, Any]:
    """The same of a configuration in which nothing is set.

    >>> default_settings()["batch_size"], default_settings()["target_accuracy"]
    (16, None)
    """
    fields = RunConfig.model_fields
    defaults = {
        name: field.get_default(call_default_factory=False) for name, field in fields.items()
    }
    return _flat({
        name: value.model_dump() if isinstance(value, BaseModel) else value
        for name, value in defaults.items()
    })  # fmt: skip


def differing(configs: Sequence[RunConfig]) -> dict[str, list[Any]]:
    """The settings in which configurations are not all alike, a value for each of them."""
    flat = [flat_settings(config) for config in configs]
    names = dict.fromkeys(name for table in flat for name in table)
    values = {name: [table.get(name) for table in flat] for name in names}
    return {name: each for name, each in values.items() if any(v != each[0] for v in each)}


def shown(value: object) -> str:
    """A setting's value as text.

    >>> shown(None), shown(True), shown(1000000.0), shown({}), shown([1, 2])
    ('not set', 'yes', '1,000,000', 'none', '1, 2')
    """
    match value:
        case None:
            return "not set"
        case bool():
            return "yes" if value else "no"
        case int() | float():
            return f"{value:,.10g}"
        case dict():
            return ", ".join(f"{name} = {shown(each)}" for name, each in value.items()) or "none"
        case list() | tuple():
            return ", ".join(shown(each) for each in value) or "none"
        case _:
            return str(value)


def _flat(table: Mapping[str, Any]) -> dict[str, Any]:
    """Tables of fixed fields by dotted names; tables of options as they are."""
    flat: dict[str, Any] = {}
    for name, value in table.items():
        if isinstance(value, dict) and not name.endswith("_options"):
            flat |= {f"{name}.{field}": each for field, each in value.items()}
        else:
            flat[name] = value
    return flat
