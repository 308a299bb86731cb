"""The unit that the times of an axis are written in."""

from dataclasses import dataclass


@dataclass(frozen=True)
class TimeUnit:
    """A unit by name and symbol, and how Vega writes a value in seconds in it."""

    name: str
    symbol: str
    label_expr: str


_SECONDS = TimeUnit("seconds", "s", "datum.label")
_SMALLER = (
    (2e-3, TimeUnit("microseconds", "µs", "format(datum.value * 1e6, ',.6~g')")),
    (2.0, TimeUnit("milliseconds", "ms", "format(datum.value * 1e3, ',.6~g')")),
)


def time_unit(longest_s: float) -> TimeUnit:
    """Seconds, unless the longest of the times is less than two of a thousandth.

    >>> [time_unit(longest_s).symbol for longest_s in (7.0, 0.3, 7e-6)]
    ['s', 'ms', 'µs']
    """
    for below_s, unit in _SMALLER:
        if longest_s < below_s:
            return unit
    return _SECONDS
