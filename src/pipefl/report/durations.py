"""Seconds as a person reads them."""

from dataclasses import dataclass


def in_words(seconds: float) -> str:
    """Two units at most.

    >>> in_words(0.25), in_words(42), in_words(3599.7), in_words(93_780)
    ('0.25 s', '42 s', '1 h 0 min', '26 h 3 min')
    """
    if seconds < 59.95:
        return f"{seconds:.3g} s"
    whole = round(seconds)
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    minutes = round(seconds / 60)
    return f"{minutes // 60:,} h {minutes % 60} min"


@dataclass(frozen=True)
class TimeUnit:
    """A unit's name, and how many seconds it has."""

    name: str
    seconds: float


_UNITS = (
    TimeUnit("days", 86_400.0),
    TimeUnit("hours", 3600.0),
    TimeUnit("minutes", 60.0),
    TimeUnit("seconds", 1.0),
)


def time_unit(longest_s: float) -> TimeUnit:
    """The largest unit of which there are at least three.

    >>> time_unit(150).name, time_unit(348.5).name, time_unit(4 * 86_400).name
    ('seconds', 'minutes', 'days')
    """
    return next((unit for unit in _UNITS if longest_s >= 3 * unit.seconds), _UNITS[-1])
