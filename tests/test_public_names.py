"""What can be imported by name from each package."""

from importlib import import_module
from inspect import isclass, isroutine

import pytest

PACKAGES = (
    "pipefl",
    "pipefl.devices",
    "pipefl.plan",
    "pipefl.policies",
    "pipefl.report",
    "pipefl.timeline",
    "pipefl.wireless",
)


@pytest.mark.parametrize("package", PACKAGES)
def test_the_public_names_are_sorted_and_there(package: str) -> None:
    module = import_module(package)
    ranked = sorted(module.__all__, key=_constants_first)
    assert ranked == module.__all__
    assert [name for name in module.__all__ if not hasattr(module, name)] == []


@pytest.mark.parametrize("package", PACKAGES)
def test_everything_public_is_documented(package: str) -> None:
    module = import_module(package)
    assert module.__doc__
    public = {name: getattr(module, name) for name in module.__all__}
    defined = {name: each for name, each in public.items() if isclass(each) or isroutine(each)}
    assert [name for name, each in defined.items() if not each.__doc__] == []


def _constants_first(name: str) -> tuple[bool, str]:
    return not name.isupper(), name
