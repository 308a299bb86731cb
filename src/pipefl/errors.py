"""What can go wrong through the caller's doing, as exceptions with one clear line."""


class PipeflError(Exception):
    """Every error that PipeFL raises for a user's mistake; its text is one line.

    >>> from pipefl.plan import plan_clusters
    >>> plan_clusters([1.0, 2.0], upload_time_s=0)
    Traceback (most recent call last):
    pipefl.errors.ArgumentError: upload_time_s is 0.0; it must be a finite number of seconds above 0
    """


class ArgumentError(PipeflError, ValueError):
    """An argument whose value cannot be used: the text names it, its value and what would do."""

    def __init__(self, name: str, value: object, accepted: str) -> None:
        super().__init__(f"{name} is {_shown(value)}; {accepted}")
        self.name = name


class InputFileError(PipeflError, ValueError):
    """A file that is there but does not hold what it should."""


class MissingFileError(PipeflError, FileNotFoundError):
    """A file that is not there."""


def _shown(value: object) -> str:
    is_scalar = type(value).__module__ == "numpy" and getattr(value, "shape", None) == ()
    text = repr(value.item() if is_scalar and hasattr(value, "item") else value)
    text = " ".join(text.split())
    return text if len(text) <= 80 else f"{text[:77]}..."
