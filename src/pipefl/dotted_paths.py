"""Users' own parts by the dotted path of a factory, `package.module:factory`."""

from collections.abc import Callable
from importlib import import_module
from typing import Any

from pipefl.errors import ArgumentError


def factory_at(dotted_path: str, argument: str) -> Callable[[], Any]:
    """What `package.module:factory` names; `argument` is whose value the path is.

    >>> factory_at("collections:Counter", "model")()
    Counter()
    >>> factory_at("collections:Countr", "model")
    Traceback (most recent call last):
    pipefl.errors.ArgumentError: model is 'collections:Countr'; it must be the dotted path of \
a module and a name in it, package.module:factory (module 'collections' has no attribute 'Countr')
    """
    accepted = "it must be the dotted path of a module and a name in it, package.module:factory"
    module_name, colon, name = dotted_path.partition(":")
    if not (module_name and colon and name):
        raise ArgumentError(argument, dotted_path, accepted)
    try:
        factory: Callable[[], Any] = getattr(import_module(module_name), name)
    except (ImportError, AttributeError) as error:
        raise ArgumentError(argument, dotted_path, f"{accepted} ({error})") from None
    return factory
