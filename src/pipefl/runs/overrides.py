"""Settings changed by name: `--set learning_rate=0.05 --set model_options.dense=128`."""

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ValidationError

from pipefl.errors import ArgumentError, PipeflError
from pipefl.runs.config import RunConfig
from pipefl.settings import nearest

_A_TABLE = "it must be a table of settings"
_ANY_SETTING = "it must be true or false, a number, a text or a list of whole numbers"


def with_overrides(config: RunConfig, overrides: Mapping[str, object]) -> RunConfig:
    """The config with these settings changed; a name is a field, or `table.field`.

    A field of a table may be named alone where no other field has its name.

    >>> changed = with_overrides(RunConfig(num_clusters=4, target_accuracy=0.97), {"seed": 3})
    >>> changed.seed
    3
    """
    table = config.model_dump(exclude_unset=True)
    for name, value in overrides.items():
        *sections, field = setting_path(name)
        place = table
        for section in sections:
            given = place.get(section, {})
            if not isinstance(given, Mapping):
                raise ArgumentError(section, given, _A_TABLE)
            place[section] = dict(given)
            place = place[section]
        place[field] = value
    return config_from(table)


def config_from(table: Mapping[str, object]) -> RunConfig:
    """The config that a table holds; what is wrong with it is said in one line."""
    try:
        return RunConfig.model_validate(table)
    except ValidationError as error:
        raise first_complaint(error) from None


def setting_path(name: str) -> Sequence[str]:
    """Where a setting is in a config's tables, from its name; complains of one that there is not.

    >>> setting_path("seed"), setting_path("jitter"), setting_path("model_options.dense")
    (['seed'], ('devices', 'jitter'), ['model_options', 'dense'])
    """
    parts = name.split(".")
    fields: Mapping[str, Any] = RunConfig.model_fields
    if len(parts) == 1 and name in fields:
        return parts
    if len(parts) == 2 and parts[0] in fields:
        section = _section(parts[0])
        if section is not None and parts[1] not in section:
            raise _unknown(name, [f"{parts[0]}.{field}" for field in section])
        if section is not None or parts[0].endswith("_options"):
            return parts
    homes = [place for place in fields if name in (_section(place) or ())]
    if len(homes) == 1:
        return (homes[0], name)
    raise _unknown(name, [*fields, *(f for place in fields for f in _section(place) or ())])


def _section(field: str) -> list[str] | None:
    """The fields of a nested table, None for what is no table of fixed fields."""
    kind = RunConfig.model_fields[field].annotation
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return list(kind.model_fields)
    return None


def _unknown(name: str, names: Sequence[str]) -> PipeflError:
    hint = nearest(name, names) or f"the settings are {', '.join(RunConfig.model_fields)}"
    return PipeflError(f"there is no setting {name!r}; {hint}".rstrip())


def first_complaint(error: ValidationError) -> PipeflError:
    """The first thing that pydantic finds wrong, in one line."""
    first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"] if not str(part)[:1].isupper())
    if first["type"] == "extra_forbidden":
        return _unknown(place, list(RunConfig.model_fields))
    if first["type"] == "value_error":
        return PipeflError(str(first["ctx"]["error"]))
    if first["type"] in ("model_type", "dict_type"):
        return ArgumentError(place, first["input"], _A_TABLE)
    table, *names = map(str, first["loc"])
    if table.endswith("_options") and names:  # what follows is one of the types that it has not
        return ArgumentError(f"{table}.{names[0]}", first["input"], _ANY_SETTING)
    message = first["msg"].replace("Input should be", "it must be")
    return ArgumentError(place, first["input"], message)
