"""Words that go with numbers."""


def counted(number: int, noun: str) -> str:
    """A number and its noun, which has an s unless there is one of it.

    >>> counted(1, "client"), counted(1500, "client")
    ('1 client', '1,500 clients')
    """
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
