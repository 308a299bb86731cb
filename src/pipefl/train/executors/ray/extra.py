"""What is said where the package ray is not installed; this module does not import it."""

from collections.abc import Iterator
from contextlib import contextmanager

from pipefl.errors import PipeflError


@contextmanager
def naming_the_extra() -> Iterator[None]:
    """Import in here what imports ray."""
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name != "ray":
            raise
        raise PipeflError("Ray needs the package ray: pip install 'pipefl[ray]'") from None
