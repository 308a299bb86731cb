"""Asking the processor's library of matrix products for results that do not depend on addresses."""

import os

_STRICT = {"MKL_CBWR": "AUTO,STRICT"}


def ask_for_repeatable_products() -> None:
    """Have MKL add in one order wherever a matrix begins in memory.

    Left to itself, MKL may choose another kernel for memory that begins elsewhere in a cache
    line, and the last bits of a product change with it. Its strict mode costs nothing that
    could be measured here. MKL reads the setting at its first product, and not again; so this
    is called when `pipefl.models` is imported, before which nothing of ours needs torch. A
    setting that is there already is left as it is.
    """
    for name, value in _STRICT.items():
        os.environ.setdefault(name, value)
