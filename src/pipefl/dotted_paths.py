"""Users' own parts by the dotted path of a factory, `package.module:factory`."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from pipefl.errors import ArgumentError, PipeflError


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
        with blaming(dotted_path, "importing it", ImportError, AttributeError):
            factory: Callable[[], Any] = getattr(import_module(module_name), name)
    except (ImportError, AttributeError) as error:
        raise ArgumentError(argument, dotted_path, f"{accepted} ({error})") from None
    return factory


def made_by(factory: Callable[[], Any], dotted_path: str) -> Any:
    """What the factory at that path makes."""
    with blaming(dotted_path, "calling the factory without arguments"):
        return factory()


@contextmanager
def blaming(dotted_path: str, what: str, *but: type[Exception]) -> Iterator[None]:
    """One line on whatever the user's own code raises, except for errors of the kinds `but`."""
    try:
        yield
    except but:
        raise
    except Exception as error:
        lines = str(error).splitlines() or [""]
        text = f"{what} fails with {type(error).__name__}: {lines[0]}"
        raise PipeflError(f"{dotted_path}: {text}") from error
