"""Numbers as a person reads them on a page."""


def number(value: float) -> str:
    """Four figures that count.

    >>> number(0.123456), number(1234.56), number(7.0)
    ('0.1235', '1,235', '7')
    """
    return f"{value:,.4g}"


def share(value: float, digits: int = 1) -> str:
    """A part of the whole.

    >>> share(0.649), share(0.0123, 2), share(1.0, 0)
    ('64.9%', '1.23%', '100%')
    """
    return f"{value:.{digits}%}"


def in_percent(accuracy: float) -> str:
    """An accuracy to be reached, as people say it.

    >>> in_percent(0.97), in_percent(0.925)
    ('97%', '92.5%')
    """
    return f"{100 * accuracy:.4g}%"
