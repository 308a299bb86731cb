"""When, how and on what a sweep was run: one small file for each time."""

import json
import os
import platform
import time
from datetime import UTC, datetime
from pathlib import Path

from pipefl.runs.directory import versions, write_json
from pipefl.sweeps.measured import MeasuredSession

_FOLDER = "sessions"
_WRITE_EVERY_S = 30.0


class SessionFile:
    """The session that is going on; what was written last is right but for half a minute."""

    def __init__(self, sweep: Path, command: str, jobs: int) -> None:
        began = datetime.now(UTC).replace(microsecond=0)
        self._path = sweep / _FOLDER / f"{began:%Y%m%d-%H%M%S}-{os.getpid()}.json"
        self._began_s = time.monotonic()
        self._written_s = 0.0
        self._session = MeasuredSession(
            began=began.isoformat(),
            wall_s=0.0,
            command=command,
            jobs=jobs,
            machine=machine(),
            versions=versions(),
        )

    def note(self, *, at_once: bool = False) -> None:
        """Write down how long it has been, if that was not done a moment ago."""
        now_s = time.monotonic()
        if not at_once and now_s - self._written_s < _WRITE_EVERY_S:
            return
        self._written_s = now_s
        wall_s = round(now_s - self._began_s, 1)
        self._path.parent.mkdir(parents=True, exist_ok=True)
        write_json(self._path, self._session.model_copy(update={"wall_s": wall_s}).model_dump())


def sessions(sweep: Path) -> tuple[MeasuredSession, ...]:
    """All sessions of a sweep's directory, in the order of time."""
    paths = sorted((sweep / _FOLDER).glob("*.json"))
    return tuple(
        MeasuredSession.model_validate(json.loads(path.read_text(encoding="utf-8")))
        for path in paths
    )


def machine() -> str:
    """The machine's processor and memory in one line."""
    parts = [_processor(), f"{os.cpu_count()} cores"]
    try:
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        parts.append(f"{memory / 2**30:.0f} GB of memory")
    except (ValueError, OSError):
        pass
    return f"{', '.join(parts)}; {platform.system()}, Python {platform.python_version()}"


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()
