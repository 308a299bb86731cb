"""Keeping freed memory, so that big buffers do not go back to the system at every step."""

import ctypes

# <malloc.h>
_M_TRIM_THRESHOLD = -1
_M_MMAP_THRESHOLD = -3

_KEPT_BYTES = 1 << 30


def keep_freed_memory() -> bool:
    """Have malloc keep up to 1 GiB of freed memory; False where it is not glibc's.

    glibc maps blocks above 128 KiB from the system and unmaps them when they are freed, so
    that every pass over a batch pays for zeroed pages again: about a quarter of a step of
    the convolutional model. With both thresholds raised, blocks are reused.
    """
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, TypeError, AttributeError):
        return False
    mallopt.argtypes = [ctypes.c_int, ctypes.c_int]
    mallopt.restype = ctypes.c_int
    done = [mallopt(option, _KEPT_BYTES) for option in (_M_MMAP_THRESHOLD, _M_TRIM_THRESHOLD)]
    return all(done)
