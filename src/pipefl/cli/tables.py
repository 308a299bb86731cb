"""Tables in the terminal, none of whose figures are cut off."""

from rich.console import Console
from rich.measure import Measurement
from rich.table import Table


def print_whole(table: Table) -> None:
    """Print a table as wide as it is.

    On a narrow terminal its lines run on into the next; in a file or a pipe, where the width
    is a guess, they stay whole. Rich would leave out letters, and whole columns, instead.
    """
    console = Console(highlight=False)
    wide = console.options.update(width=10_000)
    console.width = max(console.width, Measurement.get(console, wide, table).maximum)
    console.print(table, crop=False)
