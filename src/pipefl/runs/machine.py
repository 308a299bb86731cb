"""The machine that a run is run on."""

import os
import platform
from pathlib import Path

_CPU_INFO = Path("/proc/cpuinfo")


def machine() -> dict[str, str]:
    """The machine in words: processor, cores, memory, system, Python."""
    return {
        "processor": _processor(),
        "cores": str(os.cpu_count() or "unknown"),
        "memory": _memory(),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "python": f"{platform.python_implementation()} {platform.python_version()}",
    }


def _processor() -> str:
    """The processor's name where Linux tells it, its kind elsewhere."""
    try:
        lines = _CPU_INFO.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, "") or platform.processor() or platform.machine() or "unknown"


def _memory() -> str:
    try:
        total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError):
        return "unknown"
    return f"{total / 2**30:.3g} GiB"
