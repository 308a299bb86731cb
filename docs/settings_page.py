"""The page of a run's settings, written from `RunConfig` and what a run is put together of."""

from collections.abc import Iterator, Mapping
from dataclasses import Field, fields
from typing import Any

import numpy as np

from pipefl.devices.example import example_population
from pipefl.models.catalogue import MODELS, named_model
from pipefl.plan import plan_clusters
from pipefl.policies.scene import Scene
from pipefl.policies.schedules import FLOWS, ROUND_POLICIES
from pipefl.runs.config import RunConfig
from pipefl.train.algorithms.catalogue import ALGORITHMS

_INTRODUCTION = """\
# Settings of a run

`make figures` writes this page from the code. Every setting can be given on the command line
(`--set NAME=VALUE`, as often as you like), in Python (`overrides={"NAME": VALUE}`) and in a
`config.toml`; in a run's folder lies the complete one. A setting of a table may be named alone,
`jitter` for `devices.jitter`, where no other has its name. On the command line `none` is for none.

A name that there is not, or a value that will not do, is refused before anything is run:

```console
$ pipefl run demo-clustered --set learning_rat=0.05
pipefl: error: there is no setting 'learning_rat'; did you mean learning_rate?
$ pipefl run demo-clustered --set learning_rate=-1
pipefl: error: learning_rate is -1; it must be greater than 0
```
"""
_GROUPS = {  # from the first field of each
    "name": "The run",
    "dataset": "Data",
    "model": "Model",
    "algorithm": "Clients' work",
    "policy": "Schedule and clock",
    "weighting": "Server",
    "max_rounds": "Length and evaluation",
    "executor": "Execution",
}
_SAME_BITS = """
Nothing of this group, nor the run's name, bears on the results; but `vectorised` rounds otherwise.\
"""
_OPTIMISER = """
## Server's optimiser: `server_options`

The arguments of the optimiser in `torch.optim`, with `beta1` and `beta2` for its `betas`.\
"""
_NOT_SET = ("name", "num_replies", "additive", "jitter")  # have settings of their own, or none
_OF_THE_DATA = ("num_classes", "num_features", "image_size", "vocabulary")
_SIDE, _CHARACTERS, _SEQUENCE = 28, 90, 80


def settings_page() -> str:
    """The page's text."""
    return "\n".join([_INTRODUCTION, *_groups(), *_options()]) + "\n"


def _groups() -> Iterator[str]:
    schema = RunConfig.model_json_schema()
    for name, field in schema["properties"].items():
        if name in _GROUPS:
            yield f"\n## {_GROUPS[name]}\n" if name != "name" else f"## {_GROUPS[name]}\n"
            yield "| setting | value | default | meaning |"
            yield "|---|---|---|---|"
        section = field.get("$ref")
        if section is None:
            yield _row(name, field)
            continue
        for inner, its_field in schema["$defs"][section.rpartition("/")[2]]["properties"].items():
            yield _row(f"{name}.{inner}", its_field)
    yield _SAME_BITS


def _row(name: str, field: Mapping[str, Any]) -> str:
    return f"| `{name}` | {_value(field)} | {_default(field['default'])} | {field['description']} |"


def _value(field: Mapping[str, Any]) -> str:
    """What a value must be, from a field's JSON schema."""
    kinds = [each for each in field.get("anyOf", [field]) if each.get("type") != "null"]
    kind = kinds[0]
    if "enum" in kind:
        return ", ".join(f"`{choice}`" for choice in kind["enum"])
    words = {"boolean": "true or false", "integer": "whole number", "number": "number",
             "string": "text", "object": "table"}[kind["type"]]  # fmt: skip
    limits = {"exclusiveMinimum": ">", "minimum": "≥", "maximum": "≤"}
    told = [
        f"{sign}\N{NO-BREAK SPACE}{kind[limit]:g}"
        for limit, sign in limits.items()
        if limit in kind
    ]
    return f"{words} {', '.join(told)}".strip()


def _default(value: object) -> str:
    if value is None:
        return "none"
    if value == {}:
        return "empty"
    return f"`{value if isinstance(value, str) else _toml(value)}`"


def _options() -> Iterator[str]:
    """The tables of settings that models, algorithms and policies have of their own."""
    models = {name: named_model(name, *_data_of(name)) for name in MODELS}
    yield from _owners("Models: `model_options`", "model", models)
    yield from _owners("Algorithms: `algorithm_options`", "algorithm", ALGORITHMS)
    yield from _owners("Policies: `policy_options`", "policy", _policies())
    yield _OPTIMISER


def _data_of(model: str) -> tuple[int, tuple[int, ...]]:
    """The classes and one sample's shape in the data that a model is meant for."""
    return (_CHARACTERS, (_SEQUENCE,)) if model == "lstm" else (10, (_SIDE, _SIDE))


def _policies() -> Mapping[str, Any]:
    """Every policy as it is chosen by name for the example population, with four clusters."""
    times_s = example_population().compute_time_s
    scene = Scene(times_s, np.array(1.5), plan=plan_clusters(times_s, 1.5, num_clusters=4))
    rounds = {name: named.make(scene) for name, named in ROUND_POLICIES.items()}
    return {**rounds, **{name: make(scene, {}) for name, make in FLOWS.items()}}


def _owners(title: str, kind: str, owners: Mapping[str, Any]) -> Iterator[str]:
    yield f"\n## {title}\n"
    yield f"| {kind} | settings and their defaults |"
    yield "|---|---|"
    for name, owner in owners.items():
        told = ", ".join(_told(owner, f) for f in fields(owner) if _is_set_by_users(f.name))
        yield f"| `{name}` | {told or 'none'} |"


def _is_set_by_users(field: str) -> bool:
    return field not in (*_NOT_SET, *_OF_THE_DATA)


def _told(owner: object, field: Field[Any]) -> str:
    """A setting with its default, unless that is worked out for every run."""
    value = getattr(owner, field.name)
    if value != field.default:
        return f"`{field.name}` (from clients and plan)"
    return f"`{field.name} = {_toml(value)}`"


def _toml(value: object) -> str:
    """A setting's value as TOML has it, which has no word for None."""
    if isinstance(value, tuple):
        return str(list(value))
    return f'"{value}"' if isinstance(value, str) else str(value).lower()
